import { createChain, GRPC_STATUS, serveYellowstone } from '@pairwire/chain-double'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BlockTransaction } from '../../slot-keeper/block-transaction.ts'
import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'
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
import { confirmed, connected, hashOf, meta, parts, transaction } from '../../testing/slot-updates.ts'
import type { Block } from '../source.ts'
import { createYellowstoneFeed } from '../yellowstone/yellowstone-feed.ts'
import { createChainSource } from './chain-source.ts'
import type { Feed, FeedParts } from './feed.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A chain, a Yellowstone server for it, and a function that starts a source reading it. */
async function setUp({
  times = 1,
  ...options
}: {
  times?: number
  version?: string
  missing?: string[]
} = {}) {
  const chain = createChain({ firstSlot: 1_000 })
  const server = await serveYellowstone({ chain, ...options })
  closing.push(server.close)
  const log = createListLog()
  const checkpoint = createMemoryCheckpoint()
  let count = 0
  const add = (blocks = 1, each: Parameters<typeof chain.add>[1] = {}) => {
    for (let at = 0; at < blocks; at++) chain.add(someTransactions(`${count++}`, 3), each)
  }
  const start = (keptSlot?: number) => {
    const clock = createHastyClock(times)
    const source = createChainSource({
      feeds: [aFeed(server.url, clock)],
      backfill: undefined,
      checkpoint,
      clock,
      log,
    })
    const collected = collect(source, undefined, keptSlot)
    closing.push(collected.stop)
    return { ...collected, source }
  }
  return { chain, server, log, checkpoint, add, start }
}

function aFeed(url: string, clock = createHastyClock(1)): Feed {
  return createYellowstoneFeed({
    url: new URL(url.replace('yellowstone+', '')),
    token: 'secret-token',
    programs: [WANTED],
    clock,
  })
}

/** Resolves once a stream is open at the server. */
const streaming = (server: { streams(): number }) => eventually(() => server.streams() > 0)

const has = (slot: number) => (entries: readonly string[]) =>
  entries.some((entry) => entry.startsWith(`${slot}:`))

describe('a source of the live chain over Yellowstone', () => {
  it('delivers blocks in chain order, with the requested transactions and their indexes', async () => {
    const { chain, server, add, start } = await setUp()
    const collected = start()
    await streaming(server)

    add(3)
    add(2, { skipped: 2 })
    add(3)
    await collected.until(has(1_011))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    expect(collected.entries[0]).toBe('1001:0,2,4')
  })

  // Guards the proof of an archived hour.
  it("gives each block its hash and its parent's", async () => {
    const { server, add, start } = await setUp()
    const blocks: Block<BlockTransaction>[] = []
    const { source, stop } = start()
    await stop()
    const abort = new AbortController()
    const reading = (async () => {
      for await (const entry of source.blocks(abort.signal)) {
        if ('transactions' in entry && blocks.push(entry) === 3) return
      }
    })()
    await streaming(server)

    add(3, { skipped: 1 })
    add(2)
    await reading

    expect(blocks.map(({ id, slot, hashes }) => id === `${slot}:${hashes?.blockhash}`)).toEqual([
      true,
      true,
      true,
    ])
    expect(blocks[1]!.hashes!.parentBlockhash).toBe(blocks[0]!.hashes!.blockhash)
    expect(blocks[2]!.hashes!.parentBlockhash).toBe(blocks[1]!.hashes!.blockhash)
  })

  // Guards the memory of a service that reads for months: `AbortSignal.any` keeps its signal for good once it has a
  // listener, with everything that the listener holds, which was 3 MB each time a chain was read.
  it('follows its abort signal without leaking', async () => {
    const any = vi.spyOn(AbortSignal, 'any')
    closing.push(async () => any.mockRestore())
    const { server, add, start } = await setUp()
    const collected = start()
    await streaming(server)
    add(3)
    await collected.until(has(1_001))

    await collected.stop()

    expect(any).not.toHaveBeenCalled()
  })

  it('continues from the last complete slot after the connection broke', async () => {
    const { chain, server, add, start } = await setUp()
    const collected = start()
    await streaming(server)
    add(4)
    await collected.until(has(1_003))

    server.drop()
    add(5)
    await collected.until(has(1_008))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    expect(server.calls.at(-1)).toEqual({ method: 'Subscribe', fromSlot: 1_003 })
  })

  it('continues from its last position after a restart', async () => {
    const { chain, server, add, start } = await setUp()
    const first = start()
    await streaming(server)
    add(4)
    await first.until(has(1_003))
    await first.stop()

    add(4)
    const second = start()
    await second.until(has(1_007))

    expect([...first.entries, ...second.entries]).toEqual(expectedOf(chain, 1_001))
  })

  it('reports facts about the server, and names a server that is too old', async () => {
    const version = JSON.stringify({ version: { package: 'yellowstone-grpc-geyser', version: '13.0.2' } })
    const { server, add, log, start } = await setUp({ version })
    const collected = start()
    await streaming(server)
    add(3)
    await collected.until(has(1_002))

    const status = collected.source.status!()
    expect(status).toMatchObject({ up: true, trouble: null, holesFilled: 0, holesNotFilled: 0 })
    expect(status.endpoints).toMatchObject([
      { name: expect.stringMatching(/^yellowstone localhost:\d+$/), state: 'connected', slot: 1_002 },
    ])
    expect(status.endpoints[0]!.version).toBe('yellowstone-grpc-geyser 13.0.2')
    expect(status.endpoints[0]!.trouble).toContain('older than 14.1.0')
    expect(log.lines.filter((line) => line.includes('older than'))).toHaveLength(1)
  })

  it('reads a server without unary calls', async () => {
    const { chain, server, add, start } = await setUp({
      missing: ['GetVersion', 'GetSlot', 'SubscribeReplayInfo'],
    })
    const collected = start()
    await streaming(server)
    add(3)
    await collected.until(has(1_002))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('reports that nothing of a server without block metas can be published', async () => {
    const { server, add, start } = await setUp()
    server.faults.lostMetas = 1
    const collected = start()
    await streaming(server)
    add(32)
    const trouble = () => collected.source.status!().endpoints[0]!.trouble ?? ''
    await eventually(() => trouble().includes('sends no block meta'))

    server.faults.lostMetas = 0
    add(1)
    await eventually(() => trouble() === '')
  })

  it('begins with the newest slot if the server can send it whole, else with the first that arrives whole', async () => {
    const { chain, server, add, start } = await setUp()
    add(3)
    const collected = start()
    await streaming(server)
    add(1)
    await collected.until(has(1_003))

    expect(collected.entries).toEqual(expectedOf(chain, 1_002))
  })

  it.each(['refused', 'stalled', 'ignored'] as const)('begins even if a replay is %s', async (replay) => {
    const { chain, server, add, start } = await setUp({ times: 20 })
    server.faults.replay = replay
    add(3)
    const collected = start()
    await streaming(server)
    add(3)
    await collected.until(has(1_005))

    expect(collected.entries).toEqual(expectedOf(chain, 1_004))
  })

  it('reports a gap for what a server no longer holds, and continues', async () => {
    const { server, add, start } = await setUp({ times: 10 })
    const collected = start()
    await streaming(server)
    add(4)
    await collected.until(has(1_003))
    server.faults.history = 5

    server.drop()
    add(20)
    await collected.until(has(1_023))

    expect(collected.entries.slice(3)).toEqual([
      'gap 1004-1018',
      ...['1019:0,2,4', '1020:0,2,4', '1021:0,2,4', '1022:0,2,4', '1023:0,2,4'],
    ])
    expect(collected.source.status!()).toMatchObject({ holesNotFilled: 1, slotsMissed: 15 })
  })

  it.each([
    ['refuses it', 'refused'],
    ['does not offer it', 'off'],
    ['fails', 'stalled'],
    ['ignores it', 'ignored'],
  ] as const)('reports a gap when a replay is requested and the server %s', async (_, replay) => {
    const { server, add, start } = await setUp({ times: 20 })
    const collected = start()
    await streaming(server)
    add(4)
    await collected.until(has(1_003))
    server.faults.replay = replay

    server.drop()
    add(5)
    await streaming(server)
    while (collected.entries.length < 8) {
      add()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }

    const [gap, ...rest] = collected.entries.slice(3)
    expect(gap).toMatch(/^gap 1004-10\d\d$/)
    expect(rest.filter((entry) => entry.startsWith('gap'))).toEqual([])
    const first = Number(gap!.split('-')[1]) + 1
    expect(rest[0]).toBe(`${first}:0,2,4`)
    // The same replay is never requested in a loop.
    const asked = server.calls.filter(({ fromSlot }) => fromSlot === 1_003)
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  it("reports an endpoint's fault once, and continues by itself when it is fixed", async () => {
    const { chain, server, add, log, start } = await setUp({ times: 20 })
    server.faults.token = 'another-token'
    const collected = start()
    await eventually(() => log.lines.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 200))

    expect(collected.source.status!()).toMatchObject({
      up: false,
      trouble: expect.stringContaining('refuses our token'),
    })
    expect(log.lines).toEqual([expect.stringContaining('refuses our token')])
    expect(log.lines.join()).not.toContain('secret-token')

    server.faults.token = 'secret-token'
    await streaming(server)
    add(3)
    await collected.until(has(1_002))
    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    expect(collected.source.status!()).toMatchObject({ up: true, trouble: null })
  })

  it('treats "lagged" as a break and requests what was missed', async () => {
    const { chain, server, add, start } = await setUp({ times: 10 })
    const collected = start()
    await streaming(server)
    add(4)
    await collected.until(has(1_003))

    server.endStreams(GRPC_STATUS.internal, 'lagged to receive geyser messages')
    add(4)
    await collected.until(has(1_007))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  // Guards resuming: what a killed process published but did not keep is published again.
  it('continues after what is kept for resuming, whatever was recorded as published', async () => {
    for (const keptSlot of [1_002, 1_004, 1_006]) {
      const { chain, server, add, checkpoint, start } = await setUp()
      server.faults.history = 1_000
      add(6)
      const { slot, blockhash } = chain.blocks.find((block) => block.slot === 1_004)!
      checkpoint.save({ slot, blockhash, blockTime: null, slotMs: 400, at: Date.now() })
      const collected = start(keptSlot)
      await streaming(server)
      add(2)
      await collected.until(has(1_007))

      expect(collected.entries.slice(0, 2)).toEqual(expectedOf(chain, keptSlot + 1).slice(0, 2))
      await collected.stop()
    }
  })

  it('treats a chain far behind its last position as another one, and starts over', async () => {
    const { chain, server, add, checkpoint, start } = await setUp()
    checkpoint.save({
      slot: 400_000_000,
      blockhash: 'of-another-chain',
      blockTime: 1,
      slotMs: null,
      at: Date.now(),
    })
    add(2)
    const collected = start()
    await streaming(server)
    add(4)
    await collected.until(has(1_005))

    expect(collected.entries).toEqual(expectedOf(chain, 1_003))
  })

  // Guards what is kept for resuming: a stream that begins elsewhere removes it.
  it('continues from its last position after a restart although one endpoint is far behind it', async () => {
    const stale = await setUp()
    stale.add(2)
    const chain = createChain({ firstSlot: 5_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    server.faults.history = 1_000
    for (const name of ['a', 'b', 'c']) chain.add(someTransactions(name, 3))
    const { slot, blockhash } = chain.blocks[0]!
    stale.checkpoint.save({ slot, blockhash, blockTime: null, slotMs: 400, at: Date.now() })

    let isAsked = false
    const feeds = [stale.server, server].map(({ url }) => aFeed(url))
    const [behind, sound] = feeds as [Feed, Feed]
    const source = createChainSource({
      feeds: [
        { ...behind, read: (parts) => behind.read({ ...parts, whereFrom: answered(parts.whereFrom) }) },
        { ...sound, read: (parts) => eventually(() => isAsked).then(() => sound.read(parts)) },
      ],
      ...{ backfill: undefined, checkpoint: stale.checkpoint, clock: createHastyClock(1), log: stale.log },
    })
    function answered(whereFrom: FeedParts['whereFrom']): FeedParts['whereFrom'] {
      return (place) => {
        isAsked = true
        return whereFrom(place)
      }
    }
    const collected = collect(source)
    closing.push(collected.stop)
    await streaming(server)
    stale.add(2)
    chain.add([])
    await collected.until(has(5_002))

    expect(collected.entries.slice(0, 2)).toEqual(expectedOf(chain, 5_001).slice(0, 2))
    expect(source.status?.().endpoints[0]?.trouble).toContain('far behind')
  })

  // Guards against half a slot: what is left of a broken reading belongs to a connection that has ended.
  it('takes nothing of an earlier reading when its reader begins again', async () => {
    const first: SlotUpdate[] = [connected, ...parts(7, 6, 1), transaction(9, 0)]
    const rest: SlotUpdate[] = [...parts(8, 7, 1), transaction(9, 1), meta(9, 8), confirmed(9)]
    let readings = 0
    let sendRest = () => {}
    const feed: Feed = {
      ...{ name: 'a feed', canReplay: true },
      async read({ push, signal }) {
        const isFirst = readings++ === 0
        for (const update of isFirst ? first : [connected, ...parts(8, 7, 1), ...parts(9, 8, 0, 1)])
          push(update)
        sendRest = () => rest.forEach(push)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }
    const checkpoint = createMemoryCheckpoint()
    const source = createChainSource({
      ...{ feeds: [feed], backfill: undefined, checkpoint, clock: createHastyClock(1), log: createListLog() },
    })
    for await (const entry of source.blocks(new AbortController().signal)) {
      expect(entry).toMatchObject({ slot: 7 })
      sendRest()
      break
    }
    checkpoint.save({ slot: 7, blockhash: hashOf(7), blockTime: null, slotMs: 400, at: Date.now() })

    const { entries, until, stop } = collect(source)
    closing.push(stop)
    await until(has(9))

    expect(entries).toEqual(['8:1', '9:0,1'])
  })
})
