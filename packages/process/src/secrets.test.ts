import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { readSecrets } from './secrets.ts'

const NONE = { sessionSecret: undefined, keyEncryptionSecret: undefined }
const BOTH = { sessionSecret: 's'.repeat(32), keyEncryptionSecret: 'k'.repeat(32) }

describe('secrets', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = aFolder()
    file = join(folder, 'secrets.json')
  })

  it('are created once, readable by their owner only, and found again', () => {
    const made = readSecrets(folder, NONE, false)
    expect(readdirSync(folder)).toEqual([])
    made.keep()

    const found = readSecrets(folder, NONE, true)
    found.keep()

    expect(found.secrets).toEqual(made.secrets)
    expect(readdirSync(folder)).toEqual(['secrets.json'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('are the configured ones if both are set, and nothing is written', () => {
    const first = readSecrets(folder, BOTH, true)
    first.keep()

    expect(readSecrets(folder, BOTH, false).secrets).toEqual(first.secrets)
    expect(readdirSync(folder)).toEqual([])
  })

  // Guards every session and API key: a database belongs to the secrets that it was created with.
  it.each([
    ['none', NONE],
    ['one of two', { ...NONE, sessionSecret: BOTH.sessionSecret }],
  ])('are not created again beside a database, with %s configured', (_case, configured) => {
    expect(() => readSecrets(folder, configured, true)).toThrow(
      /^SESSION_SECRET, KEY_ENCRYPTION_SECRET: .*secrets\.json is missing.* Put it back from a backup, or set both/,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('stop the start with a sentence that repeats none of them, if their file is damaged', () => {
    readSecrets(folder, NONE, false).keep()
    const whole = readFileSync(file, 'utf8')
    const secret: string = JSON.parse(whole).sessionSecret
    const damaged = ['', ' \n', 'null', '{}', whole.slice(0, 60), whole.slice(0, -1), whole.slice(9)]
    damaged.push(JSON.stringify({ ...JSON.parse(whole), sessionSecret: 'short' }))

    for (const text of damaged) {
      writeFileSync(file, text)
      for (const hasDatabase of [true, false]) {
        let message = ''
        try {
          readSecrets(folder, NONE, hasDatabase)
        } catch (error) {
          message = (error as Error).message
        }
        expect(message).toMatch(
          /^SESSION_SECRET, KEY_ENCRYPTION_SECRET: .* (is empty|is cut off or damaged)\./,
        )
        expect(message).not.toContain(secret.slice(0, 8))
      }
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })
})
