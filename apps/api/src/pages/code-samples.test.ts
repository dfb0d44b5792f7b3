import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { WHALE_USD } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createCodeSamples, LANGUAGES, SAMPLES } from './code-samples.ts'

const pagesRoot = fileURLToPath(new URL('../../public', import.meta.url))
const samples = createCodeSamples({
  pagesRoot,
  streamUrl: 'wss://stream.example/',
  publicUrl: 'https://stream.example',
})
const files = LANGUAGES.flatMap(({ ending }) => SAMPLES.map(({ id }) => `${id}.${ending}`))

describe('code samples', () => {
  it.each(LANGUAGES)('in $name read the key in one place and open this deployment’s stream', (language) => {
    for (const { id } of SAMPLES) {
      const text = samples(`${id}.${language.ending}`)

      expect(text.split(language.keyFromEnvironment)).toHaveLength(2)
      expect(text).toContain('wss://stream.example/')
      expect(text).not.toContain('localhost')
    }
  })

  it('send full frames, and the whale’s threshold is the contract’s', () => {
    for (const file of files) expect(samples(file), file).toMatch(/"?jsonrpc"?: ?['"]2\.0['"]/)
    for (const { ending } of LANGUAGES) {
      const figure = /usdValue"?:\s*([\d_]+)/.exec(samples(`whale-swaps.${ending}`))?.[1]
      expect(Number(figure?.replaceAll('_', '')), ending).toBe(WHALE_USD)
    }
  })

  it.each(readdirSync(`${pagesRoot}/examples`).filter((file) => file.endsWith('.mjs')))(
    'say in a sentence that the key is missing: %s',
    (file) => {
      const { PAIRWIRE_KEY: _, ...env } = process.env
      const { status, stderr } = spawnSync(process.execPath, [`${pagesRoot}/examples/${file}`, 'mint'], {
        env,
      })

      expect(String(stderr)).toBe('Put your API key into the environment variable PAIRWIRE_KEY.\n')
      expect(status).toBe(1)
    },
  )

  it('leave none of their files unused', () => {
    const present = readdirSync(`${pagesRoot}/examples`).filter((file) =>
      SAMPLES.some(({ id }) => file.startsWith(`${id}.`)),
    )

    expect(present.sort()).toEqual([...files].sort())
  })
})
