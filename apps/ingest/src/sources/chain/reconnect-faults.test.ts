import { createChain, GRPC_STATUS, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { afterEach, describe, expect, it } from 'vitest'
import {
  collect,
  createHastyClock,
  createListLog,
  createMemoryCheckpoint,
  eventually,
  expectedOf,
  someTransactions,
  WANTED,
} from '../../testing/live-chain.ts'
import { createRpcBackfill } from '../rpc/rpc-backfill.ts'
import { createRpcClient } from '../rpc/rpc-client.ts'
import { createYellowstoneFeed } from '../yellowstone/yellowstone-feed.ts'
import { createChainSource } from './chain-source.ts'
import type { Place } from './checkpoint.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const has = (slot: number) => (entries: readonly string[]) =>
  entries.some((entry) => entry.startsWith(`${slot}:`))

/** A chain of four published blocks, 1001 to 1003 among them, and a source that reads it over Yellowstone. */
async function setUp({
  times = 10,
  withRpc = false,
  place,
}: {
  times?: number
  withRpc?: boolean
  place?: Place
} = {}) {
  const chain = createChain({ firstSlot: 1_000 })
  const server = await serveYellowstone({ chain })
  const rpc = await serveRpc({ chain })
  closing.push(server.close, rpc.close)
  const clock = createHastyClock(times)
  const log = createListLog()
  const checkpoint = createMemoryCheckpoint(place)
  let count = 0
  const add = (blocks = 1, each: Parameters<typeof chain.add>[1] = {}) => {
    for (let at = 0; at < blocks; at++) chain.add(someTransactions(`${count++}`, 3), each)
  }
  const start = async () => {
    const feed = createYellowstoneFeed({
      ...{
        url: new URL(server.url.replace('yellowstone+', '')),
        token: undefined,
        programs: [WANTED],
        clock,
      },
    })
    const client = createRpcClient({ url: new URL(rpc.url), token: undefined, clock })
    const backfill = withRpc ? createRpcBackfill(client, [WANTED], clock) : undefined
    const source = createChainSource({ feeds: [feed], backfill, checkpoint, clock, log })
    const collected = collect(source)
    closing.push(collected.stop)
    await eventually(() => server.streams() > 0)
    return { collected, source }
  }
  return { chain, server, rpc, add, start, checkpoint, log }
}

/** The same, with four blocks on the chain and three of them published. */
async function setUpRunning(options: Parameters<typeof setUp>[0] = {}) {
  const parts = await setUp(options)
  const { collected, source } = await parts.start()
  parts.add(4)
  await collected.until(has(1_003))
  return { ...parts, collected, source }
}

describe('reconnect faults of other clients', () => {
  it('official client: does not silently continue at the live head when the server forgot the slot', async () => {
    const { server, add, collected } = await setUpRunning()
    server.faults.history = 3

    server.drop()
    add(10)
    await collected.until(has(1_013))

    expect(collected.entries.slice(3)).toEqual(['gap 1004-1010', '1011:0,2,4', '1012:0,2,4', '1013:0,2,4'])
  })

  it('LaserStream: continues from what was published, not from the newest slot seen during a replay', async () => {
    const { chain, server, add, collected, checkpoint } = await setUpRunning()

    server.drop()
    add(20)
    await collected.until((entries) => entries.length > 5)
    // The connection breaks in the middle of the replay, after slots at the head were seen.
    server.drop()
    expect(checkpoint.place!.slot).toBeLessThanOrEqual(1_023)
    add(2)
    await collected.until(has(1_025))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('cowprotocol: does not request the same replay in a loop when the server fails at it', async () => {
    const { server, add, collected } = await setUpRunning({ times: 40 })
    server.faults.replay = 'stalled'

    server.drop()
    add(5)
    await eventually(() => server.streams() > 0)
    add(8)
    await collected.until((entries) => entries.length > 6)

    expect(server.calls.filter(({ fromSlot }) => fromSlot === 1_003)).toHaveLength(3)
    expect(collected.entries[3]).toMatch(/^gap 1004-/)
  })

  it('magicblock: requests no more than two minutes of chain after a long break', async () => {
    const parts = await setUp({
      place: {
        slot: 1_000,
        blockhash: 'unknown',
        blockTime: 1_793_000_000,
        slotMs: null,
        at: Date.now() - 600_000,
      },
    })
    const { server, chain, add } = parts
    server.faults.history = 10_000
    for (let at = 0; at < 2_400; at++) chain.add([])

    const { collected } = await parts.start()
    add(2)
    await collected.until(has(3_401))

    const asked = server.calls.at(-1)!.fromSlot!
    // A fifth of ten minutes.
    expect(3_400 - asked).toBeGreaterThan(470)
    expect(3_400 - asked).toBeLessThan(490)
    const gaps = collected.entries.filter((entry) => entry.startsWith('gap'))
    expect(gaps[0]).toMatch(/^gap 1001-/)
    expect(gaps.at(-1)).toMatch(new RegExp(`-${asked - 1}$`))
    expect(collected.entries.slice(gaps.length)).toEqual(expectedOf(chain, asked))
  })

  it('private channels: fills what was missed before it continues', async () => {
    const { chain, server, add, collected, source } = await setUpRunning({ withRpc: true })
    server.faults.replay = 'off'

    server.drop()
    add(8)
    await eventually(() => server.streams() > 0)
    add(3)
    await collected.until(has(1_014))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    await eventually(() => source.status!().holesFilled === 1)
  })

  it('block machine: accepts banks before shreds, statuses twice, late and out of order, and dead forks', async () => {
    const { chain, server, add, collected } = await setUpRunning({ withRpc: true })
    Object.assign(server.faults, { reorder: 12, repeats: 0.5, sendsDeadBanks: true })

    add(3, { orphan: someTransactions('orphan', 2) })
    add(3, { rival: someTransactions('rival', 5) })
    add(3, { orphan: someTransactions('another', 4), rival: someTransactions('rival too', 1), skipped: 1 })
    Object.assign(server.faults, { reorder: 0 })
    add(3)
    await collected.until(has(chain.head()!.slot))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })
})

describe('faults of real servers', () => {
  it.each([
    ['14.1.0', 'slots are never confirmed', { lostVotes: 1 }, 16],
    ['a relay', 'slot statuses are missing', { hidesSlots: true }, 2],
  ])('%s: continues at commitment confirmed when %s', async (_, __, faults, blocks) => {
    const parts = await setUp()
    Object.assign(parts.server.faults, faults)
    parts.add(1)
    const { collected } = await parts.start()
    parts.add(blocks)
    await eventually(() => parts.server.calls.filter(({ method }) => method === 'Subscribe').length === 2)
    await eventually(() => parts.server.streams() === 1)
    parts.add(6)
    await collected.until(has(1_005 + blocks))

    // From where the first connection began: requesting again loses nothing.
    expect(collected.entries).toEqual(expectedOf(parts.chain, 1_000).slice(0, -1))
    expect(parts.log.lines).toContainEqual(expect.stringContaining('nothing arrives early'))
  })

  it('14.1.0: fetches slots whose block meta never arrives', async () => {
    const { chain, server, add, collected } = await setUpRunning({ withRpc: true })

    server.faults.lostMetas = 1
    add(2)
    server.faults.lostMetas = 0
    add(3)
    await collected.until(has(1_008))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('13.3.1: accepts statuses and blocks twice', async () => {
    const { chain, server, add, collected } = await setUpRunning()

    server.faults.repeats = 1
    add(5)
    await collected.until(has(1_008))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('June 2026: waits for the confirmation when block metas come before the last transactions', async () => {
    const { chain, server, add, collected } = await setUpRunning()

    server.faults.earlyMetas = 1
    add(5)
    await collected.until(has(1_008))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('plain filters: requests again what a server dropped because a client lagged', async () => {
    const { chain, server, add, collected } = await setUpRunning()

    server.faults.lostBlocks = 1
    add(2)
    server.faults.lostBlocks = 0
    server.endStreams(GRPC_STATUS.internal, 'lagged to send an update')
    add(2)
    await collected.until(has(1_007))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('dead connection: treats a stream that is silent for 30 s as broken', async () => {
    const { chain, server, add, collected, log } = await setUpRunning({ times: 100 })

    server.faults.isSilent = true
    add(2)
    await eventually(() => log.lines.some((line) => line.includes('said nothing for 30 s')))
    server.faults.isSilent = false
    add(2)
    await collected.until(has(1_007))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('large blocks: accepts messages far above gRPC’s own limit, and names one that is above ours', async () => {
    const { chain, server, add, collected, log } = await setUpRunning({ times: 1 })

    server.faults.padding = 20 * 1024 * 1024
    add(1)
    await collected.until(has(1_004))
    server.faults.padding = 65 * 1024 * 1024
    add(1)
    await eventually(() => log.lines.some((line) => line.includes('over a limit')))
    server.faults.padding = 0
    add(2)
    await collected.until(has(1_007))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })
})
