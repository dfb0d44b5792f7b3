import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COPY_FORMS } from './copy-forms.ts'
import { examplesOf } from './examples.ts'

const url = 'wss://stream.example/'
const key = 'pw_a1'

const written = (name: string, parts: { request?: string; key?: string; url?: string } = {}) =>
  COPY_FORMS.find((form) => form.name === name)!.write({ request: EXAMPLES[1]!.text, url, ...parts })

const EXAMPLES = examplesOf()

describe('copy as', () => {
  it('offers eight forms', () => {
    expect(COPY_FORMS.map(({ name }) => name)).toEqual([
      'Request JSON',
      'wscat',
      'websocat',
      'curl',
      'Node',
      'Python',
      'Go',
      'Rust',
    ])
  })

  it('outputs the request itself unchanged', () => {
    expect(written('Request JSON', { request: ' {"id":1}\r\n', key })).toBe(' {"id":1}\r\n')
  })

  it.each(['wscat', 'websocat', 'curl', 'Node', 'Python', 'Go', 'Rust'])(
    'reads the key for %s from the environment, and writes it only when given',
    (name) => {
      expect(written(name)).toContain('PAIRWIRE_KEY')
      expect(written(name)).not.toContain(key)
      expect(written(name, { key })).toContain(key)
      expect(written(name, { key })).not.toContain('PAIRWIRE_KEY')
    },
  )

  it.each(['wscat', 'websocat', 'Node', 'Python', 'Go', 'Rust'])(
    'contains the request as typed in %s',
    (name) => {
      for (const { text } of EXAMPLES) expect(written(name, { request: text })).toContain(text)
    },
  )

  it('reports a missing key in Node or Python in a sentence', () => {
    const { PAIRWIRE_KEY: _, ...env } = process.env
    const program = { input: written('Node'), env, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], program)

    expect(stderr).toBe('Put your API key into the environment variable PAIRWIRE_KEY.\n')
    expect(status).toBe(1)
    expect(written('Python')).toContain(`or sys.exit('${stderr.trim()}')`)
  })

  it('requests the upgrade over HTTP in curl', () => {
    expect(written('curl')).toContain("'https://stream.example/'")
    expect(written('curl', { url: 'ws://localhost:8080/' })).toContain("'http://localhost:8080/'")
  })

  it('adds the key after an existing query', () => {
    expect(written('Python', { url: 'wss://stream.example/?a=b' })).toContain('?a=b&key=')
  })
})
