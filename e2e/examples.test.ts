import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aSwap, createFakeServer } from '@pairwire/client/testing'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { chromePath } from './browser.ts'
import { test } from './browser-test.ts'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { hasGo, hasPython, makeProgramFolder, readPrograms, runProgram } from './programs.ts'
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

it('the fragment of the page about cursors stores each event once', async () => {
  const page = await (await fetch(`${url}/docs/cursors`)).text()
  const fragment = readPrograms(page, /<figcaption>([^<]+)<\/figcaption>.*?<pre[^>]*>(.*?)<\/pre>/gs)
  const text = `${fragment.get('Store each event once')!}
for (const cursor of ['one', 'two', 'one']) keep({ cursor, params: cursor.length })
console.log(...stored.keys())`

  expect(await runProgram({ text, ending: 'mjs' }, '', /^one two$/)).toBeTruthy()
})

describe('the programs of the SDK, as they stand on their pages', { timeout: STORY_MS }, () => {
  const WHALE = new RegExp(`^(buy|sell) \\d{5,}\\S* ${ADDRESS.source} \\w+$`)
  const env = { PAIRWIRE_URL: inject('streamUrl') }
  let key: string
  let programs: Map<string, string>
  beforeAll(async () => {
    const email = freshEmail()
    key = (await makeAccount({ dataFolder }, email, 'pro')).user.APIKey
    await pairwire(dataFolder, 'account', 'plan', email, 'pro', '--connections', '4')
    const read = async (path: string) => {
      const page = await (await fetch(url + path)).text()
      return readPrograms(page, /<figcaption>([^<]+)<\/figcaption>.*?<pre[^>]*>(.*?)<\/pre>/gs)
    }
    programs = new Map([
      ...(await read('/docs/sdk')),
      ['quick start', (await read('/docs')).get('whales.mjs')!],
    ])
  })

  it.concurrent('print whales in Node, from the quick start on', async () => {
    const text = programs.get('quick start')!

    expect(await runProgram({ text, ending: 'mjs', env }, key, WHALE)).toBeTruthy()
  })

  it.concurrent('print whales in Node, with the eight lines that come first', async () => {
    const text = programs.get('whales.mjs')!

    expect(text).toContain(`url: '${inject('streamUrl')}'`)
    expect(await runProgram({ text, ending: 'mjs' }, key, /^(buy|sell) \d{5,}\S* \w+$/)).toBeTruthy()
  })

  const inPythonNow = hasPython ? it.concurrent : it.skip
  inPythonNow('print whales in Python', async () => {
    const text = programs.get('whale_alert.py')!

    expect(await runProgram({ text, ending: 'py', env }, key, WHALE)).toBeTruthy()
  })

  it.concurrent('test a program', async () => {
    const text = `${programs.get('A test')!}console.log('over')\n`

    expect(await runProgram({ text, ending: 'mjs' }, key, /^over$/)).toBeTruthy()
  })

  const inGoNow = hasGo ? it.concurrent : it.skip
  inGoNow('resume in Go, where a kill skips nothing and repeats one swap at most', async () => {
    const server = await createFakeServer()
    const [folder, text] = [makeProgramFolder(), programs.get('resume.go')!]
    writeFileSync(join(folder, 'cursor'), server.push(aSwap())!)
    const values = Array.from({ length: 6 }, (_, index) => 1_000 + index)
    for (const usdValue of values) server.push(aSwap({ usdValue }))
    const run = async (wanted: RegExp) => {
      const lines: string[] = []
      const program = { text, ending: 'go', env: { PAIRWIRE_URL: server.url }, folder, lines }
      await runProgram(program, server.key, wanted)
      return lines.map((line) => Number(line.split(' ')[1]))
    }

    const before = await run(/^buy 1002 /)
    server.push(aSwap({ usdValue: 1_006 }))
    const after = await run(/^buy 1006 /)
    await server.stop()

    expect(before.slice(0, 3)).toEqual([1_000, 1_001, 1_002])
    expect(after).toEqual([...values, 1_006].slice(-after.length))
    expect(after[0]).toBeLessThanOrEqual(before.at(-1)! + 1)
    expect(after[0]).toBeGreaterThanOrEqual(before.at(-1)!)
  })

  inGoNow(
    'ask again in Go where a retry helps, go on from the oldest swap, and end where none does',
    async () => {
      const server = await createFakeServer()
      const [folder, text] = [makeProgramFolder(), programs.get('resume.go')!]
      writeFileSync(join(folder, 'cursor'), server.push(aSwap())!)
      server.push(aSwap({ usdValue: 1_000 }))
      server.forget()
      server.push(aSwap({ usdValue: 1_001 }))
      const run = (wanted: RegExp) =>
        runProgram({ text, ending: 'go', env: { PAIRWIRE_URL: server.url }, folder }, server.key, wanted)

      for (const passing of ['TOO_MANY_REQUESTS', 'INTERNAL_ERROR', 'CURSOR_AHEAD'] as const)
        server.refuse(passing)
      expect(await run(/^buy /)).toMatch(/^buy 1001 /)
      server.refuse('PLAN_USED_UP')
      await expect(run(/^buy /)).rejects.toThrow(/^Ended with 1:\n.*PLAN_USED_UP/)
      await server.stop()
    },
  )

  const inBrowser = chromePath ? test : test.skip
  inBrowser('list swaps in a page', async ({ open }) => {
    const page = await open()
    const file = join(makeProgramFolder(), 'browser.html')
    writeFileSync(file, programs.get('browser.html')!)

    await page.goto(`file://${file}#${key}`)
    await page.locator('li').first().waitFor()

    expect(await page.locator('li').first().textContent()).toMatch(
      new RegExp(`^(buy|sell) .* ${ADDRESS.source} `),
    )
    expect(await page.locator('#state').textContent()).toBe('open')
  })
})
