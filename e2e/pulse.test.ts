import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPairwire } from '@pairwire/client'
import type { Usage } from '@pairwire/contract'
import { describe, expect, inject } from 'vitest'
import { chromePath, expectClean, expectCleanInBothThemes, isFocused, type WatchedPage } from './browser.ts'
import { test } from './browser-test.ts'
import { askAsOperator, makeAccount } from './operator.ts'
import { freshEmail, signInNew, startTrial } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

const service: Pick<Service, 'url' | 'dataFolder'> = {
  url: inject('serviceUrl'),
  dataFolder: inject('dataFolder'),
}

const BUSY = 'All connections of your plan are in use.'
const SPENDS_NONE =
  'NewPairs Only has 1,000 swaps a period, so Pulse spends none and follows new pairs alone: Nearly graduated stays empty, and so do buys and sells.'

const partsOf = (page: WatchedPage) => ({
  key: page.getByLabel('API key'),
  start: page.getByRole('button', { name: 'Start', exact: true }),
  stop: page.getByRole('button', { name: 'Stop', exact: true }),
  status: () => page.locator('.pulse [role="status"]').first().innerText(),
  notes: () => page.locator('.pulse-notes').innerText(),
  count: () => page.locator('.pulse-count').innerText(),
  list: (name: string) => page.getByRole('list', { name, exact: true }),
  rows: (name: string) => page.getByRole('list', { name, exact: true }).getByRole('listitem'),
})

async function openPulse(page: WatchedPage, { url } = service) {
  let sockets = 0
  page.on('websocket', () => sockets++)
  await page.goto(`${url}/docs/pulse`)
  const parts = partsOf(page)
  await parts.start.waitFor()
  return { ...parts, sockets: () => sockets }
}

/** An account has 120 calls a minute: a busy machine would use them up by polling more often. */
const USAGE_POLL = { interval: 1000 }

/** Events of each kind that the page's user was sent, as their account counts them. */
const usageOf = (page: WatchedPage) =>
  page.evaluate(async () => {
    const headers = { authorization: `Bearer ${localStorage.getItem('token')}` }
    const { days }: Usage = await (await fetch('/api/usage', { headers })).json()
    const sumOf = (kind: 'newPairs' | 'buys' | 'sells') => days.reduce((sum, day) => sum + day[kind], 0)
    return { newPairs: sumOf('newPairs'), swaps: sumOf('buys') + sumOf('sells') }
  })

describe.skipIf(!chromePath)('Pulse', { timeout: STORY_MS }, () => {
  test('begins when Start is pressed, needs no key of who is signed in, and fills its columns', async ({
    open,
  }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    const { start, stop, status, rows, notes, key, sockets } = await openPulse(page)
    expect(sockets()).toBe(0)
    expect(await key.isVisible()).toBe(false)

    await start.click()
    await rows('New').first().waitFor()
    await rows('Nearly graduated').first().waitFor()

    expect(await status()).toBe('Streaming simulated data.')
    expect(await notes()).toBe('')
    expect(await rows('Nearly graduated').first().innerText()).toMatch(
      /Cap \$[\d.]+[KMB]?[\s\S]*Liquidity \$[\s\S]*▲ \d+[\s\S]*▼ \d+[\s\S]*Curve [\d.]+%/,
    )
    await rows('New').first().locator('img').waitFor()
    await expectCleanInBothThemes(page)
    await stop.click()
    expect(await status()).toBe('Stopped.')
    expect(sockets()).toBe(1)
  })

  test('fills all columns with the key that the start prints, which has no webhooks, since it has no account', async ({
    open,
    onTestFinished,
  }) => {
    const page = await open()
    const own = await startService()
    onTestFinished(async () => void (await own.kill()))
    const printed = () => /X-API-KEY: (\w{32})/.exec(own.output())?.[1] ?? ''
    await expect.poll(printed).not.toBe('')
    const { start, rows, notes, key } = await openPulse(page, own)
    await key.fill(printed())

    await start.click()
    await rows('New').first().waitFor()
    await rows('Nearly graduated').first().waitFor()

    expect(await notes()).toBe('')
    const headers = { 'x-api-key': printed() }
    const webhooks = await fetch(`${own.url}/v1/webhooks`, { headers })
    expect(await webhooks.json()).toMatchObject({
      errorType: 'KEY_UNKNOWN',
      errorMessage:
        'The key that the start prints has no account, and so no webhooks. Register, and use the key of your account page.',
    })
    const elsewhere = await fetch(`${own.url}/v1/plan`, { headers: { ...headers, via: '1.1 proxy' } })
    expect(elsewhere.status).toBe(401)
  })

  // Guards the swaps of a plan that caps them.
  test.for(['signed in', 'with a pasted key'])(
    'spends no swap where the plan caps them, and says which column stays empty: %s',
    async (how, { open }) => {
      const account = await open()
      const user = await signInNew(account, service, 'newpairs')
      const page = how === 'signed in' ? account : await open()
      const { start, status, rows, notes, key } = await openPulse(page)
      if (how !== 'signed in') await key.fill(user.APIKey)

      await start.click()
      await rows('New').first().waitFor()

      expect(await status()).toBe('Streaming simulated data.')
      expect(await notes()).toBe(SPENDS_NONE)
      expect(await rows('New').first().innerText()).toMatch(/▲ –\s*▼ –/)
      expect(await rows('Nearly graduated').count()).toBe(0)
      await expect.poll(async () => (await usageOf(account)).newPairs, USAGE_POLL).toBeGreaterThan(0)
      expect((await usageOf(account)).swaps).toBe(0)
      await expectClean(page)
    },
  )

  // The stream alone would not say so: the plan that comes allows a subscription without a filter, and counts it.
  test('gives up swaps when the plan changes to one that caps them, and takes them up again', async ({
    open,
  }) => {
    const page = await open()
    const { Email } = await signInNew(page, service, 'pro')
    const frames: string[] = []
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => frames.push(String(payload))),
    )
    const { start, rows, notes, status } = await openPulse(page)
    const grant = (plan: string) => askAsOperator(service, 'account plan', { who: Email, plan })
    await start.click()
    await rows('Nearly graduated').first().waitFor()

    await grant('newpairs')
    await expect.poll(notes).toContain(SPENDS_NONE)
    await expect.poll(() => rows('Nearly graduated').count()).toBe(0)
    const ended = frames.findIndex((text) => text.includes('FILTER_TOO_LARGE'))
    expect(ended).toBeGreaterThan(0)
    const isSwap = (text: string) => text.includes('"swapNotification"')
    // What was sent before is counted a little later.
    await expect.poll(async () => (await usageOf(page)).swaps, USAGE_POLL).toBe(frames.filter(isSwap).length)
    const { newPairs, swaps } = await usageOf(page)
    await expect.poll(async () => (await usageOf(page)).newPairs, USAGE_POLL).toBeGreaterThan(newPairs)
    expect(frames.slice(ended).filter(isSwap)).toEqual([])
    expect((await usageOf(page)).swaps).toBe(swaps)
    expect(await status()).toBe('Streaming simulated data.')

    await grant('none')
    await expect.poll(status).toBe('This account has no active plan.')
    await grant('pro')
    await start.click()
    await rows('Nearly graduated').first().waitFor()
    expect(await notes()).toBe('')
  })

  test('fills its columns in the free trial of a plan', async ({ open }) => {
    const page = await open()
    await signInNew(page, service)
    await startTrial(page, service.url, 'Basic')
    const { start, rows, notes } = await openPulse(page)

    await start.click()
    await rows('Nearly graduated').first().waitFor()

    expect(await notes()).toBe('Basic needs a filter: swaps below 1 US dollar are missing.')
  })

  test('sends usdValue 1 where the plan needs a filter, and says so', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'basic')
    const sent: string[] = []
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void sent.push(String(payload))))
    const { start, rows, notes } = await openPulse(page)

    await start.click()
    await rows('Nearly graduated').first().waitFor()

    expect(await notes()).toBe('Basic needs a filter: swaps below 1 US dollar are missing.')
    const request = sent.map((text) => JSON.parse(text)).find(({ method }) => method === 'swapSubscribe')
    expect(request.params).toMatchObject({ include: { usdValue: 1 }, facts: true })
  })

  test('says in the stream’s sentences that there is no plan, or that a key is unknown', async ({ open }) => {
    const page = await open()
    const { user } = await makeAccount(service, freshEmail())
    const { start, status, notes, key } = await openPulse(page)

    for (const [text, sentence] of [
      [user.APIKey, 'This account has no active plan.'],
      ['0'.repeat(32), 'This API key is not known, or it was reset.'],
    ] as const) {
      await key.fill(text)
      await start.click()
      await expect.poll(status).toBe(sentence)
      expect(await notes()).toBe('')
    }
  })

  test('leaves the connection to a program that holds it, and does not wait for it', async ({ open }) => {
    const page = await open()
    const { APIKey } = await signInNew(page, service, 'pro')
    const { start, stop, status, rows, sockets } = await openPulse(page)
    const states: string[] = []
    const pairwire = createPairwire({
      url: service.url,
      key: APIKey,
      onState: (state) => void states.push(state),
    })
    pairwire.blocks().on('event', () => {})
    await expect.poll(() => pairwire.state).toBe('open')

    await start.click()
    await expect.poll(status).toBe(BUSY)
    await start.waitFor()
    expect(sockets()).toBe(1)
    await pairwire.close()
    expect(states).toEqual(['connecting', 'open', 'idle'])

    await start.click()
    await rows('New').first().waitFor()
    expect(sockets()).toBe(2)
    await stop.click()
  })

  test('stands still under the pointer, while it goes on counting', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    const { start, rows, list, count } = await openPulse(page)
    await start.click()
    await rows('Nearly graduated').first().waitFor()

    await list('Nearly graduated').hover()
    await expect.poll(count).toContain('lists paused while you are on them')
    const [before, counted] = [await list('Nearly graduated').innerText(), await count()]
    await expect.poll(count).not.toBe(counted)
    expect(await list('Nearly graduated').innerText()).toBe(before)

    await page.mouse.move(5, 5)
    await expect.poll(() => list('Nearly graduated').innerText()).not.toBe(before)
    expect(await count()).not.toContain('paused')
  })

  test('can be used by the keyboard alone: Start, the lists, a mint to copy, Stop', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    const { start, stop, status, rows, list, count } = await openPulse(page)
    const tabTo = async (target: typeof start) => {
      for (let presses = 0; presses < 60 && !(await isFocused(target)); presses++)
        await page.keyboard.press('Tab')
      expect(await isFocused(target)).toBe(true)
    }

    await tabTo(start)
    await page.keyboard.press('Enter')
    await rows('New').nth(2).waitFor()
    await tabTo(list('New'))
    await expect.poll(count).toContain('paused')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const mint = (await page.locator('.pulse-mint:focus').getAttribute('title'))!
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(mint)
    const short = `${mint.slice(0, 4)}…${mint.slice(-4)}`
    await expect.poll(() => page.locator('.pulse-mint:focus').innerText()).toBe(short)
    while (!(await isFocused(stop))) await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')

    expect(await status()).toBe('Stopped.')
  })

  test('fits a phone of 390 px, light and dark, where a touch holds the lists', async ({ open }) => {
    const page = await open({ width: 390, height: 844 })
    await signInNew(page, service, 'pro')
    const { start, rows, list, count } = await openPulse(page)

    await start.tap()
    await rows('Nearly graduated').first().waitFor()

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await expectCleanInBothThemes(page)
    await list('New').dispatchEvent('touchstart')
    await expect.poll(count).toContain('paused')
    await list('New').dispatchEvent('touchend')
    await expect.poll(count).not.toContain('paused')
  })

  test('shows its source beside the lists, and below them where there is no room', async ({ open }) => {
    for (const width of [1440, 390]) {
      const page = await open({ width, height: 900 })
      await page.goto(`${service.url}/docs/pulse`)
      await page.locator('.pulse-source summary').focus()
      await page.keyboard.press('Enter')
      const source = (await page.locator('.pulse-source pre').boundingBox())!
      const lists = (await page.locator('.pulse-columns').boundingBox())!

      if (width === 390) expect(source.y).toBeGreaterThan(lists.y + lists.height)
      else expect(source.x).toBeGreaterThan(lists.x + lists.width)
      const [narrowest] = (await page
        .locator('.pulse-columns > div')
        .evaluateAll((all) => all.map((column) => column.getBoundingClientRect().width).sort())) as number[]
      expect(narrowest).toBeGreaterThanOrEqual(290)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
      await expectCleanInBothThemes(page)
    }
  })

  test('runs from a folder, from the source that its page shows, with a key put in', async ({ open }) => {
    const { user } = await makeAccount(service, freshEmail(), 'newpairs')
    const page = await open()
    await page.goto(`${service.url}/docs/pulse`)
    await page.locator('.pulse-source summary').click()
    const source = await page.locator('.pulse-source pre').innerText()
    const file = join(mkdtempSync(join(tmpdir(), 'pulse-')), 'pulse.html')
    writeFileSync(file, source.replace("const KEY = ''", `const KEY = '${user.APIKey}'`))

    await page.goto(`file://${file}`)
    const { start, status, notes, rows, key } = partsOf(page)
    expect(await key.isVisible()).toBe(false)
    await start.click()
    await rows('New').first().waitFor()

    expect(await status()).toBe('Streaming simulated data.')
    expect(await notes()).toBe(SPENDS_NONE)
    await expectCleanInBothThemes(page)
  })
})
