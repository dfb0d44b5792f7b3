import { aNewPair, aSwap, createFakeServer } from '@pairwire/client/testing'
import { afterEach, describe, expect, inject } from 'vitest'
import { inCi } from '../packages/basics/src/testing/in-ci.ts'
import { chromePath, expectClean, heapOf, type WatchedPage } from './browser.ts'
import { test } from './browser-test.ts'
import { STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')

/** Mint, curve and pool of token number `n`. */
const addressesOf = (n: number) =>
  ['A', 'B', 'C'].map((letter) => `${letter}${String(n).padStart(3, '2')}`.padEnd(40, '1')) as [
    string,
    string,
    string,
  ]

const curve = (progress: number, complete = false) => ({
  curve: { progress, complete, virtualBase: '1', virtualQuote: '1' },
})

const named = (account: string, name: string, symbol: string) => ({
  account,
  info: {
    ...{ decimals: 6, supply: '1000000000000000', mintAuthority: null, freezeAuthority: null },
    metadata: { name, symbol, logo: null, socials: null },
  },
})

/** The launch of token number `n`, bought by its creator for 150 US dollars. */
const launch = (n: number, symbol: string, name = `Token ${n}`) => {
  const [mint, ammAccount] = addressesOf(n)
  const bought = { baseAmount: '1', quoteAmount: '1000000000', usdValue: 150, supplyShare: 0.042 }
  const pair = { sourceExchange: 'pumpfun', ammAccount, baseToken: named(mint, name, symbol) }
  return aNewPair(pair, { ...curve(1.5), creatorBuy: bought, marketCap: '30' })
}

const trade = (n: number, progress: number, change: object = {}) => {
  const [baseTokenMint, ammAccount] = addressesOf(n)
  const swap = { sourceExchange: 'pumpfun', baseTokenMint, ammAccount, usdValue: 150, ...change }
  const liquidity = { quoteAmount: '1000000000', quoteTokenLiquidity: '20000000000' }
  return aSwap({ ...swap, ...liquidity }, { ...curve(progress), marketCap: '100' })
}

describe.skipIf(!chromePath)('The lists of Pulse', { timeout: STORY_MS }, () => {
  const servers: Awaited<ReturnType<typeof createFakeServer>>[] = []
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())))

  /** Pulse, started on a fake server whose plan allows everything. */
  const startPulse = async (page: WatchedPage) => {
    const server = await createFakeServer()
    servers.push(server)
    await page.route('**/docs/assets/pulse.js', async (route) => {
      const answer = await route.fetch()
      const script = (await answer.text()).replace(inject('streamUrl'), `${server.url}/`)
      await route.fulfill({ response: answer, body: script })
    })
    const plan = { name: 'Pro', swapEventsPerPeriod: null, swapFilterRequired: false }
    await page.route('**/v1/plan?*', (route) => route.fulfill({ json: { plan, simulated: false } }))
    await page.goto(`${url}/docs/pulse`)
    await page.getByLabel('API key').fill(server.key)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const subscribed = () => server.received.filter(({ method }) => /^(swap|newPair)Sub/.test(method)).length
    await expect.poll(subscribed).toBe(2)
    const rows = (name: string) =>
      page.getByRole('list', { name, exact: true }).getByRole('listitem').allInnerTexts()
    return { server, rows, notes: () => page.locator('.pulse-notes').innerText() }
  }

  test('show what the creator bought, and move a token from New to Nearly graduated to Graduated', async ({
    open,
  }) => {
    const page = await open()
    const { server, rows } = await startPulse(page)

    server.push(launch(1, 'VOLE'))
    await expect.poll(() => rows('New')).toHaveLength(1)
    const [shown] = await rows('New')
    for (const part of ['VOLE', 'Token 1', 'pumpfun', 'Cap $4.5K', 'Creator bought 4.2%, $150', 'Curve 1.5%'])
      expect(shown!.replaceAll(/\s+/g, ' ')).toContain(part)

    server.push(trade(1, 71.25))
    server.push(trade(1, 80, { swapType: 'sell' }))
    await expect.poll(async () => (await rows('Nearly graduated'))[0]).toContain('▼ 1')
    expect(await rows('New')).toEqual([])
    const near = (await rows('Nearly graduated'))[0]!.replaceAll(/\s+/g, ' ')
    for (const part of ['Cap $15K', 'Liquidity $3K', '▲ 1', '▼ 1', 'Curve 80%']) expect(near).toContain(part)

    const [mint, , ammAccount] = addressesOf(1)
    const pool = { sourceExchange: 'pumpswap', launchpad: 'pumpfun', migration: 'pumpfun', ammAccount }
    const baseToken = named(mint, 'Token 1', 'VOLE')
    server.push(aNewPair({ ...pool, baseToken, quoteTokenLiquidityAdded: '85000000000' }))
    await expect.poll(() => rows('Graduated')).toHaveLength(1)
    expect(await rows('Nearly graduated')).toEqual([])
    expect((await rows('Graduated'))[0]!.replaceAll(/\s+/g, ' ')).toContain('Liquidity $12.8K')
    await expectClean(page)
  })

  test('count five minutes, and nothing older', async ({ open }) => {
    const page = await open()
    const { server, rows } = await startPulse(page)
    for (let swap = 0; swap < 5; swap++) server.push(trade(1, 75))
    await expect.poll(async () => (await rows('Nearly graduated'))[0]).toMatch(/▲ 5/)

    // A slot of the fake server is a second.
    for (let slot = 0; slot < 320; slot++) server.block()
    server.push(trade(1, 76))

    await expect.poll(async () => (await rows('Nearly graduated'))[0]).toMatch(/▲ 1\b/)
  })

  test('mark a symbol that several tokens have, in any case', async ({ open }) => {
    const page = await open()
    const { server, rows } = await startPulse(page)

    for (const [at, symbol] of ['VOLE', 'vole', 'Vole', 'OWL'].entries()) server.push(launch(at, symbol))
    await expect.poll(() => rows('New')).toHaveLength(4)

    const marked = (await rows('New')).map((text) => /\w+ tokens are called \w+/.exec(text)?.[0])
    expect(marked.filter(Boolean).sort()).toEqual([
      'three tokens are called VOLE',
      'three tokens are called Vole',
      'three tokens are called vole',
    ])
  })

  test('are sorted, and filtered by launchpad and by least market cap', async ({ open }) => {
    const page = await open()
    const { server, rows } = await startPulse(page)
    const caps = [20, 60, 40]
    for (const [at, marketCap] of caps.entries()) {
      const { pair, facts } = launch(at, `T${marketCap}`)
      const launchpad = at === 2 ? 'raydium_launchlab' : 'pumpfun'
      server.push(aNewPair({ ...pair, launchpad }, { ...facts, marketCap: String(marketCap) }))
      server.block()
    }
    const symbols = async () => (await rows('New')).map((text) => /T\d+/.exec(text)![0])

    await expect.poll(symbols).toEqual(['T40', 'T60', 'T20'])
    await page.getByLabel('Sort by').selectOption('Market cap')
    await expect.poll(symbols).toEqual(['T60', 'T40', 'T20'])
    await page.getByLabel('Launchpad').selectOption('pumpfun')
    await expect.poll(symbols).toEqual(['T60', 'T20'])
    await page.getByLabel('Launchpad').selectOption('All')
    // A quote token is worth 150 US dollars.
    await page.getByLabel('Least market cap').fill('5000')
    await expect.poll(symbols).toEqual(['T60', 'T40'])
  })

  // Guards against strangers, who name tokens as they like.
  test('take no name for markup, and let none hide, turn or push what stands beside it', async ({ open }) => {
    const page = await open({ width: 390, height: 844 })
    const { server, rows } = await startPulse(page)
    const hostile = [
      '<img src=x onerror=alert(1)>',
      '\u202EEVIL\u2066',
      'X'.repeat(500),
      'a\u0301'.repeat(200),
    ]
    for (const [at, name] of hostile.entries()) server.push(launch(at, name, name))

    await expect.poll(() => rows('New')).toHaveLength(4)

    expect((await rows('New')).join('')).toContain('<img src=x onerror=alert(1)>')
    expect((await rows('New')).join('')).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|X{33}/)
    expect(await page.locator('.pulse-row img').count()).toBe(0)
    const heights = await page
      .locator('.pulse-row')
      .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    expect(new Set(heights).size).toBe(1)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await expectClean(page)
  })

  test('say what is missing, and go on after a cut with nothing lost', async ({ open }) => {
    const page = await open()
    const { server, rows, notes } = await startPulse(page)
    server.push(launch(1, 'VOLE'))
    server.gap({ fromSlot: 1_000, toSlot: 1_004 })
    await expect.poll(notes).toContain('Events of slots 1000 to 1004 are missing.')

    server.cut()
    server.push(launch(2, 'OWL'))

    await expect.poll(() => rows('New')).toHaveLength(2)
  })

  test('say in the stream’s sentence that the plan is used up, and subscribe to no swaps again', async ({
    open,
  }) => {
    const page = await open()
    const { server, rows, notes } = await startPulse(page)

    // The first request is that for new pairs, which comes again.
    server.refuse('INTERNAL_ERROR')
    server.refuse('PLAN_USED_UP')
    server.cut()

    await expect.poll(notes).toContain('The fake server refuses swapSubscribe: PLAN_USED_UP.')
    const asked = () => server.received.filter(({ method }) => method === 'swapSubscribe').length
    const before = asked()
    const pairs = () => server.received.filter(({ method }) => method === 'newPairSubscribe').length
    const asks = pairs()
    server.cut()
    await expect.poll(pairs).toBeGreaterThan(asks)
    server.push(launch(2, 'OWL'))
    await expect.poll(() => rows('New')).toHaveLength(1)
    expect(asked()).toBe(before)
  })

  test('need no more memory for the fourth thousand tokens than for the third, hours later', async ({
    open,
  }) => {
    const page = await open()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    const { server, rows } = await startPulse(page)
    const heaps: number[] = []
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 1_000; n++) {
        const token = round * 1_000 + n
        server.push(launch(token, `T${token}`))
        for (let swap = 0; swap < inCi(3, 1); swap++) server.push(trade(token, n % 2 ? 75 : 5))
        if (n % 10 === 0) for (let slot = 0; slot < 36; slot++) server.block()
      }
      await expect.poll(async () => (await rows('New'))[0]).toContain(`T${round * 1_000 + 992}`)
      heaps.push(await heapOf(devtools))
    }

    expect(heaps[3]! - heaps[2]!).toBeLessThan(1_048_576)
    expect(await page.locator('.pulse-row').count()).toBeLessThanOrEqual(60)
  })
})
