import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { hasGo, hasPython, readPrograms, runProgram } from './programs.ts'
import { STORY_MS } from './story-time.ts'

const inPython = hasPython ? it.concurrent : it.skip
const inGo = hasGo ? it.concurrent : it.skip
const url = inject('serviceUrl')
const dataFolder = inject('dataFolder')

const ADDRESS = /[1-9A-HJ-NP-Za-km-z]{32,44}/

/** A line about an event; wscat prints the frames themselves. */
const EVENT = {
  'new-pairs': new RegExp(`^\\w+ .* ${ADDRESS.source}$`),
  'all-swaps': new RegExp(`^(buy|sell) .* ${ADDRESS.source} ${ADDRESS.source}$`),
  'whale-swaps': new RegExp(`^(buy|sell) .* ${ADDRESS.source} ${ADDRESS.source}$`),
}
const FRAME = {
  'new-pairs': /"method":"newPairNotification"/,
  'all-swaps': /"method":"swapNotification"/,
  'whale-swaps': /"method":"swapNotification"/,
}

describe('the code examples, as shown in the frame', { timeout: STORY_MS }, () => {
  let key: string
  let programs: Map<string, string>
  beforeAll(async () => {
    const email = freshEmail()
    key = (await makeAccount({ dataFolder }, email, 'pro')).user.APIKey
    await pairwire(dataFolder, 'account', 'plan', email, 'pro', '--connections', '10')
    const page = await (await fetch(`${url}/frame/code-examples?key=${key}`)).text()
    programs = readPrograms(page, /<pre data-language="(\w+)" data-sample="([\w-]+)"[^>]*>(.*?)<\/pre>/gs)
    expect(programs.size).toBe(15)
  })

  describe.each(['new-pairs', 'all-swaps', 'whale-swaps'] as const)('%s', (sample) => {
    it.concurrent('in Node print an event', async () => {
      const text = programs.get(`node/${sample}`)!

      expect(await runProgram({ text, ending: 'mjs' }, key, EVENT[sample])).toBeTruthy()
    })

    inPython('in Python print an event', async () => {
      const text = programs.get(`python/${sample}`)!

      expect(await runProgram({ text, ending: 'py' }, key, EVENT[sample])).toBeTruthy()
    })

    inGo('in Go compile and print an event', async () => {
      const text = programs.get(`go/${sample}`)!

      expect(await runProgram({ text, ending: 'go' }, key, EVENT[sample])).toBeTruthy()
    })

    it.concurrent('with wscat print an event', async () => {
      const text = programs.get(`wscat/${sample}`)!

      expect(await runProgram({ text, ending: 'sh' }, key, FRAME[sample])).toBeTruthy()
    })
  })
})

describe('the programs of the guides, as shown on their pages', { timeout: STORY_MS }, () => {
  let key: string
  beforeAll(async () => {
    const email = freshEmail()
    key = (await makeAccount({ dataFolder }, email, 'pro')).user.APIKey
    await pairwire(dataFolder, 'account', 'plan', email, 'pro', '--connections', '3')
  })

  const readGuide = async (path: string, name: string) => {
    const page = await (await fetch(url + path)).text()
    const programs = readPrograms(page, /<figcaption>([\w-]+\.mjs)<\/figcaption>.*?<pre[^>]*>(.*?)<\/pre>/gs)
    return programs.get(name)!
  }

  it('watch new tokens and print the progress of each', async () => {
    const text = await readGuide('/docs/guides/new-tokens', 'new-tokens.mjs')

    const line = await runProgram({ text, ending: 'mjs' }, key, /^(launched|listed|graduated) /)

    expect(line).toMatch(ADDRESS)
  })

  it('price a token in US dollars', async () => {
    const page = await (await fetch(`${url}/docs`)).text()
    const samples = readPrograms(page, /<pre data-language="(node)"[^>]*>(.*?)<\/pre>/gs)
    const whale = await runProgram({ text: samples.get('node')!, ending: 'mjs' }, key, EVENT['whale-swaps'])
    const mint = whale.split(' ')[2]!
    const text = await readGuide('/docs/guides/token-pricing', 'token-price.mjs')

    const line = await runProgram({ text, ending: 'mjs', args: [mint] }, key, / USD over /)

    expect(Number(line.split(' ')[0])).toBeGreaterThan(0)
  })
})
