import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@pairwire/basics'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { afterAll, beforeAll, describe, expect, inject, vi } from 'vitest'
import { SharedSeats } from '../apps/gateway/src/seats/shared-seats.ts'
import { CuttingProxy } from '../apps/gateway/src/testing/cutting-proxy.ts'
import { createFakeAccounts, keyNumber } from '../apps/gateway/src/testing/fake-accounts.ts'
import { createSeatStore } from '../apps/gateway/src/testing/seat-store.ts'
import { createStreamChain } from '../apps/gateway/src/testing/stream-chain.ts'
import { openGateway, type TestGateway } from '../apps/gateway/src/testing/test-gateway.ts'
import { chromePath } from './browser.ts'
import { test } from './browser-test.ts'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { SOON_MS, STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')
const dataFolder = inject('dataFolder')

describe('the samples of /docs/http-streams', { timeout: STORY_MS }, () => {
  let key: string
  let page: string
  beforeAll(async () => {
    const email = freshEmail()
    key = (await makeAccount({ dataFolder }, email, 'pro')).user.APIKey
    await pairwire(dataFolder, 'account', 'plan', email, 'pro', '--connections', '10')
    page = await (await fetch(`${url}/docs/http-streams.md`)).text()
  })

  /** The code blocks of a language. */
  const samples = (language: string) =>
    [...page.matchAll(new RegExp(`\`\`\`${language} .*\\n([\\s\\S]*?)\\n\`\`\``, 'g'))].map(
      ([, code]) => code!,
    )

  test('in a shell print events, by query and by body', async () => {
    const lines = samples('sh').flatMap((block) => block.split('\n'))
    const commands = lines.filter((line) => line.startsWith('curl'))
    expect(commands).toHaveLength(3)

    for (const command of commands) {
      // Of the simulator's tokens and values some are rarer than a test waits for.
      const text = command.replace('usdValue=1000"', 'usdValue=1"').replace(/include\.baseTokenMint=\w+&/, '')
      const said = await run(text, { PAIRWIRE_KEY: key }, /^data: \{.*"method":"\w+Notification"/m)
      expect(said).toMatch(/^retry: 1000\n\n: alive\n/)
    }
  })

  const inBrowser = chromePath ? test : test.skip
  inBrowser('in a browser shows swaps', async ({ open }) => {
    const [html] = samples('html')
    const server = createServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(html!.replace('YOUR_KEY', key).replace('usdValue=10000', 'usdValue=1')),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const tab = await open()

    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

    await tab
      .getByText(/^(buy|sell) [\d.]+ USD$/)
      .first()
      .waitFor()
    await tab.close()
    server.close()
  })
})

/** Runs a shell's line until it has said what is expected; resolves with all that it said. */
function run(line: string, env: Record<string, string>, expected: RegExp): Promise<string> {
  const child = spawn('bash', ['-c', `exec ${line}`], { env: { ...process.env, ...env }, timeout: SOON_MS })
  let said = ''
  return new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += chunk
      if (expected.test(said)) child.kill()
    })
    child.on('close', () => resolve(said))
  })
}

describe.skipIf(!chromePath)('the EventSource of a browser', { timeout: STORY_MS }, () => {
  const bus = createInProcessBus({ maxBytes: 200_000_000 })
  const accounts = createFakeAccounts()
  const chain = createStreamChain()
  const proxy = new CuttingProxy()
  const clock = { ...createManualClock(), ...systemClock, advance() {} }
  const gateways: TestGateway[] = []
  let port: number
  let publishing: NodeJS.Timeout

  const openOne = async () => {
    const name = { id: randomUUID(), name: 'one of three' }
    const gateway = await openGateway({
      ...{ beside: { bus: { ...bus, close: async () => {} }, accounts }, clock },
      openShared: (parts) =>
        new SharedSeats({ ...parts, bus, gateway: name, accounts: createSeatStore(accounts.seats) }),
    })
    gateways.push(gateway)
    proxy.pointTo(gateway.port)
  }
  beforeAll(async () => {
    for (let number = 1; number <= 3; number++) accounts.set(`a${number}`, { key: keyNumber(number) })
    port = await proxy.listen()
    for (let number = 0; number < 3; number++) await openOne()
    await bus.publish(chain.nextSlot())
    publishing = setInterval(() => void bus.publish(chain.nextSlot()), 40)
  })
  afterAll(async () => {
    clearInterval(publishing)
    await proxy.close()
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await bus.close()
  })

  // Guards the promise to browsers: they come back by themselves, and lose nothing.
  test('gets each event once and in order over cuts of every kind and a rolling restart of three gateways', async ({
    open,
  }) => {
    const site = createServer((_request, response) => response.end('<!doctype html>'))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const tab = await open()
    await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const filters = [
      '',
      `include.walletAccount=${chain.wallet(2)}&`,
      `include.walletAccount=${chain.wallet(99)}&`,
    ]
    const addresses = filters.map(
      (filter, at) => `http://127.0.0.1:${port}/v1/stream/swaps?${filter}key=${keyNumber(at + 1)}`,
    )
    await tab.evaluate(
      `window.streams = ${JSON.stringify(addresses)}.map((address) => {
        const stream = { opens: 0, got: [], source: new EventSource(address) }
        stream.source.onopen = () => stream.opens++
        stream.source.onmessage = ({ lastEventId, data }) => stream.got.push([lastEventId, JSON.parse(data).method])
        return stream
      })`,
    )
    const read = () =>
      tab.evaluate('streams.map(({ opens, got, source }) => [opens, source.readyState, got])') as Promise<
        [number, number, [string, string][]][]
      >
    const untilBack = (opens: number) =>
      vi.waitFor(
        async () =>
          expect((await read()).every(([count, state]) => count >= opens && state === 1)).toBe(true),
        { timeout: 3 * SOON_MS, interval: 50 },
      )
    await untilBack(1)

    await wait(300)
    proxy.cut()
    await untilBack(2)
    // The gateway does not learn of it, and each account has one connection.
    proxy.orphan()
    await untilBack(3)
    for (const [round, gateway] of gateways.slice(0, 3).entries()) {
      await openOne()
      await gateway.gateway.drain(100)
      await gateway.close()
      gateways.splice(gateways.indexOf(gateway), 1)
      if (round === 2) await untilBack(4)
    }
    clearInterval(publishing)
    const wanted = [undefined, 2, 99].map((wallet) =>
      chain.events.filter((event) => chain.isFor(event, wallet)).map(({ cursor }) => cursor),
    )

    await vi.waitFor(
      async () => {
        for (const [at, [, , got]] of (await read()).entries()) {
          const cursors = got.filter(([, method]) => method !== 'connectionClosed').map(([id]) => id)
          const due = wanted[at]!.filter((cursor) => cursor >= (cursors[0] ?? '~'))
          expect(cursors).toEqual(due)
        }
      },
      { timeout: 3 * SOON_MS, interval: 200 },
    )
    expect((await read())[0]![2].length).toBeGreaterThan(50)
    site.close()
  })

  // Guards what the docs say of tabs: the seventh neither fails nor opens.
  test('waits with a seventh stream over HTTP/1.1, in whatever tab, until one of six is closed', async ({
    open,
  }) => {
    accounts.set('a4', { key: keyNumber(4), connectionLimit: 10 })
    const site = createServer((_request, response) => response.end('<!doctype html>'))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const tab = await open()
    const tabs = [tab, await tab.context().newPage()]
    const address = `http://127.0.0.1:${port}/v1/stream/blocks?key=${keyNumber(4)}`
    const openStreams = async (tab: (typeof tabs)[number], count: number) => {
      await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
      await tab.evaluate(
        `window.streams = Array.from({ length: ${count} }, () => new EventSource('${address}'))`,
      )
    }
    const states = async () =>
      (
        await Promise.all(
          tabs.map((tab) => tab.evaluate('(window.streams ?? []).map((one) => one.readyState)')),
        )
      ).flat()

    await openStreams(tabs[0]!, 6)
    await vi.waitFor(async () => expect(await states()).toEqual([1, 1, 1, 1, 1, 1]), { timeout: SOON_MS })
    await openStreams(tabs[1]!, 1)
    // Of another host, and after it: by now the seventh would be open too.
    await tabs[1]!.evaluate("fetch('/').then((answer) => answer.text())")
    const meanwhile = await states()
    await tabs[0]!.evaluate('streams[0].close()')

    expect(meanwhile).toEqual([1, 1, 1, 1, 1, 1, 0])
    await vi.waitFor(async () => expect((await states()).at(-1)).toBe(1), { timeout: SOON_MS })
    site.close()
  })
})
