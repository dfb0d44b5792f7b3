import { once } from 'node:events'
import { createServer } from 'node:http'
import { freePort } from '@pairwire/basics/testing/free-port'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createChain, GRPC_STATUS, serveYellowstone, type YellowstoneOptions } from '@pairwire/chain-double'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LiveStreet, marketBlocks, openLiveStreet } from './testing/live-street.ts'

let market: Awaited<ReturnType<typeof marketBlocks>>
beforeAll(async () => {
  market = await marketBlocks(8)
})

/** Milliseconds of a slot. */
const SLOT_MS = 250

/** Blocks that a server keeps for replay; a client that is away for longer misses some. */
const HISTORY = 20

/** A chain that grows by the clock, a function that serves it again on one port, and a street that streams it. */
async function setUp(options: Partial<YellowstoneOptions> = {}) {
  const clock = createManualClock()
  const chain = createChain({ firstSlot: 1_000, slotMs: SLOT_MS })
  const port = await freePort()
  const grow = (blocks = 1) => {
    for (let at = 0; at < blocks; at++) {
      const transactions = market[chain.blocks.length % market.length]!
      chain.add(transactions, { blockTime: Math.floor(clock.now() / 1_000) })
    }
  }
  const serve = async (options: Partial<YellowstoneOptions> = {}) => {
    const server = await serveYellowstone({ chain, port, ...options })
    server.faults.history = HISTORY
    onTestFinished(server.close)
    return server
  }

  const server = await serve(options)
  const street = await openLiveStreet(`yellowstone+http://localhost:${port}`, {
    clock,
    tokens: ['secret-token'],
  })
  await street.until(() => server.streams() > 0)
  await street.pass(10 * SLOT_MS, SLOT_MS, grow)
  await street.until(() => has(street, 1_008))
  return { clock, chain, port, grow, serve, server, street, trouble: () => street.status().source!.trouble }
}

type Parts = Awaited<ReturnType<typeof setUp>>

/** Lets more blocks pass than a server keeps. */
const missMore = ({ street, grow }: Parts) => street.pass(3 * HISTORY * SLOT_MS, SLOT_MS, grow)

/** Lets the chain continue until it is streamed again. */
async function goesOn({ street, chain, grow }: Parts): Promise<void> {
  const behind = chain.head()!.slot
  await street.until(() => {
    grow()
    return street.frames.some(({ params }) => params.block > behind)
  })
}

/** Asserts that every slot was streamed or announced as missing, once and in order, and that some are missing. */
function expectWholeWithGap({ street }: Parts): void {
  const slots: number[] = []
  for (const { method, params } of street.frames) {
    if (method === 'latestBlockNotification') slots.push(params.block)
    // Every subscription is notified; the test reads one of them.
    if (method !== 'gapNotification' || params.subscription_id !== 1) continue
    expect(params).toMatchObject({ cause: 'upstream', resume_from: null })
    for (let slot = params.fromSlot; slot <= params.toSlot; slot++) slots.push(slot)
  }
  const gaps = street.frames.filter(({ method }) => method === 'gapNotification')
  expect(gaps.length).toBeGreaterThan(0)
  expect(new Set(gaps.map(({ params }) => params.subscription_id))).toEqual(new Set([1, 2]))
  expect(slots).toEqual(Array.from(slots, (_, at) => slots[0]! + at))
  const after = gaps.at(-1)!.params.toSlot
  const swaps = street.frames.filter(
    ({ method, params }) => method === 'swapNotification' && params.slot > after,
  )
  expect(swaps.length).toBeGreaterThan(0)
}

const has = ({ frames }: LiveStreet, slot: number) => frames.some(({ params }) => params.block === slot)

const says = ({ logged }: LiveStreet, words: string) => logged.some((line) => line.includes(words))

// The client's stream is open throughout, and everything that waits uses the test's clock.
describe('an endpoint of the live chain, as seen by clients', () => {
  it.each([
    ['a web server', 'does not speak gRPC', serveWebsite],
    [
      'a gRPC server that is no Yellowstone',
      'There is no Yellowstone service at this address',
      serveOtherGrpc,
    ],
  ])('wrong: %s answers there', async (_, sentence, serveWrong) => {
    const parts = await setUp()
    await parts.server.close()
    const close = await serveWrong(parts.port)

    await parts.street.until(() => says(parts.street, sentence))
    expect(parts.trouble()).toContain(sentence)
    expect(parts.street.status().sourceUp).toBe(false)
    await missMore(parts)
    await close()
    await parts.serve()
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expectWholeWithGap(parts)
  })

  it('refused: nothing listens there', async () => {
    const parts = await setUp()
    await parts.server.close()

    await parts.street.until(() => says(parts.street, 'the connection is refused'))
    expect(parts.trouble()).toMatch(/^Nothing listens at localhost:\d+: the connection is refused\.$/)
    await missMore(parts)
    await parts.serve()
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expectWholeWithGap(parts)
  })

  it('unauthorised: it wants another token', async () => {
    const parts = await setUp()
    parts.server.faults.token = 'another-token'
    parts.server.drop()

    await parts.street.until(() => says(parts.street, 'refuses our token'))
    expect(parts.trouble()).toContain('refuses our token')
    await missMore(parts)
    parts.server.faults.token = 'secret-token'
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expect(parts.street.logged.join()).not.toContain('secret-token')
    expectWholeWithGap(parts)
  })

  it('too old: it is reported as such, read as far as possible, and well after its upgrade', async () => {
    const parts = await setUp()
    const version = JSON.stringify({ version: { package: 'yellowstone-grpc-geyser', version: '13.0.2' } })
    const endpoint = () => parts.street.status().source!.endpoints[0]!
    await parts.server.close()
    const old = await parts.serve({ version, missing: ['SubscribeReplayInfo'] })
    old.faults.replay = 'off'

    parts.grow(HISTORY)
    await parts.street.until(() => says(parts.street, 'is older than 14.1.0'))
    await goesOn(parts)
    expect(endpoint()).toMatchObject({
      state: 'connected',
      version: 'yellowstone-grpc-geyser 13.0.2',
      trouble: expect.stringContaining('version 13.0.2 is older than 14.1.0'),
    })
    await old.close()
    await parts.serve()
    await goesOn(parts)

    expect(endpoint()).toMatchObject({ version: 'yellowstone-grpc-geyser 15.1.2', trouble: null })
    expectWholeWithGap(parts)
  })

  it('too fast for us: it drops a client that does not keep up', async () => {
    const parts = await setUp()
    parts.server.faults.lagsOut = true
    parts.server.endStreams(GRPC_STATUS.internal, 'lagged to receive geyser messages')

    await parts.street.until(() => says(parts.street, 'because we did not keep up with it'))
    expect(parts.trouble()).toContain('because we did not keep up with it')
    await missMore(parts)
    parts.server.faults.lagsOut = false
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expectWholeWithGap(parts)
  })

  it('too slow: its blocks arrive a minute late', async () => {
    const { street, chain, clock, grow } = await setUp()
    const late = () => void chain.add([], { blockTime: Math.floor(clock.now() / 1_000) - 60 })

    await street.pass(10 * SLOT_MS, SLOT_MS, late)
    await street.until(() => says(street, 'Blocks arrive late: the source is 6'))
    expect(street.status().lagMs).toBeGreaterThan(59_000)
    await street.pass(10 * SLOT_MS, SLOT_MS, grow)
    await street.until(() => says(street, 'has caught up'))

    expect(street.status().lagMs).toBeLessThan(5_000)
    expect(street.logged.filter((line) => line.includes('Blocks arrive late'))).toHaveLength(1)
  })

  it('silent: the connection is open and nothing arrives', async () => {
    const parts = await setUp()
    parts.server.faults.isSilent = true

    await parts.street.until(() => {
      parts.grow()
      return says(parts.street, 'said nothing for 30 s')
    })
    expect(parts.trouble()).toBe('The endpoint said nothing for 30 s.')
    parts.server.faults.isSilent = false
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expectWholeWithGap(parts)
  })

  it('gone for an hour', async () => {
    const parts = await setUp()
    await parts.server.close()

    await parts.street.pass(3_600_000, 5_000, () => parts.grow(5_000 / SLOT_MS))
    expect(parts.trouble()).toContain('the connection is refused')
    expect(parts.street.logged.filter((line) => line.includes('is refused'))).toHaveLength(1)
    await parts.serve()
    await goesOn(parts)

    expect(parts.trouble()).toBeNull()
    expect(parts.street.status().source!.slotsMissed).toBeGreaterThan(14_000)
    expectWholeWithGap(parts)
  })
})

async function serveWebsite(port: number): Promise<() => Promise<void>> {
  const server = createServer((_request, response) => response.writeHead(404).end('Not found'))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function serveOtherGrpc(port: number): Promise<() => Promise<void>> {
  const missing = ['GetVersion', 'GetSlot', 'SubscribeReplayInfo', 'Subscribe']
  const server = await serveYellowstone({ chain: createChain(), port, missing })
  return server.close
}
