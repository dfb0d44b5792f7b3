import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChainTransaction, createChain, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { afterEach, describe, expect, it } from 'vitest'
import {
  aChainTransaction,
  collect,
  createHastyClock,
  createListLog,
  createMemoryCheckpoint,
  eventually,
  expectedOf,
  someTransactions,
  WANTED,
} from '../../testing/live-chain.ts'
import { createChainSource } from '../chain/chain-source.ts'
import { createYellowstoneFeed } from '../yellowstone/yellowstone-feed.ts'
import { readBlock } from './read-block.ts'
import { createRpcBackfill } from './rpc-backfill.ts'
import { createRpcClient } from './rpc-client.ts'
import { createRpcFeed } from './rpc-feed.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const never = new AbortController().signal
const has = (slot: number) => (entries: readonly string[]) =>
  entries.some((entry) => entry.startsWith(`${slot}:`))

async function setUp(options: { times?: number; missing?: string[]; hasWebSocket?: boolean } = {}) {
  const chain = createChain({ firstSlot: 1_000 })
  const rpc = await serveRpc({ chain, ...options })
  closing.push(rpc.close)
  let count = 0
  const add = (blocks = 1, each: Parameters<typeof chain.add>[1] = {}) => {
    for (let at = 0; at < blocks; at++) chain.add(someTransactions(`${count++}`, 3), each)
  }
  const clock = createHastyClock(options.times ?? 1)
  const url = new URL(rpc.url)
  const log = createListLog()
  const client = createRpcClient({ url, token: undefined, clock })
  const read = (slot: number) => readBlock(client, slot, new Set([WANTED]), never)
  const start = () => {
    const feed = createRpcFeed({ url, token: undefined, programs: [WANTED], clock })
    const checkpoint = createMemoryCheckpoint()
    const source = createChainSource({ feeds: [feed], backfill: undefined, checkpoint, clock, log })
    const collected = collect(source)
    closing.push(collected.stop)
    return { ...collected, source }
  }
  return { chain, rpc, add, read, start, clock, log, client }
}

describe('readBlock', () => {
  it("delivers the requested programs' transactions, with their index in the block", async () => {
    const { add, read } = await setUp()
    add(2)

    const answer = await read(1_001)

    if (answer.kind !== 'block') throw new Error(answer.kind)
    expect(answer.block).toMatchObject({ slot: 1_001, parentSlot: 1_000, blockTime: 1_793_000_000 })
    expect(answer.block.transactions.map(({ index }) => index)).toEqual([0, 2, 4])
  })

  it('distinguishes skipped slots, slots not available yet and slots that are gone', async () => {
    const { rpc, add, read } = await setUp()
    add()
    add(1, { skipped: 2 })
    add(40)
    add(1, { skipped: 1 })

    expect([await read(1_001), await read(1_002)]).toEqual([{ kind: 'skipped' }, { kind: 'skipped' }])
    expect([await read(1_044), await read(2_000)]).toEqual([{ kind: 'notYet' }, { kind: 'notYet' }])
    rpc.faults.history = 5
    expect(await read(1_000)).toEqual({ kind: 'gone', firstAvailable: 1_040 })
  })

  it.each([200, 400, 500])("reads an endpoint's error about a slot, also with HTTP %i", async (status) => {
    const codes = [-32007, -32009, -32004, -32001]
    const server = createServer((request, response) => {
      request.resume()
      const error = { code: codes.shift(), message: 'It is not here.', data: { more: 1 } }
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error, extra: null }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(async () => void server.close())
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const client = createRpcClient({ url, token: undefined, clock: createHastyClock(1) })
    const kinds: string[] = []
    for (const slot of [1, 2, 3, 4])
      kinds.push((await readBlock(client, slot, new Set([WANTED]), never)).kind)

    expect(kinds).toEqual(['skipped', 'skipped', 'notYet', 'gone'])
  })

  it('reads transactions of version 1, and reports a higher version', async () => {
    const { chain, read } = await setUp()
    chain.add([{ ...aChainTransaction('a'), version: 1 }])
    chain.add([{ ...aChainTransaction('b'), version: 2 }])

    expect(await read(1_000)).toMatchObject({ kind: 'block', block: { transactions: [{ index: 0 }] } })
    await expect(read(1_001)).rejects.toThrow('a version above 1')
  })

  it('omits failed transactions, as the stream does', async () => {
    const { chain, read } = await setUp()
    const failed = aChainTransaction('a')
    chain.add([{ ...failed, meta: { ...failed.meta, err: {} } } as ChainTransaction, aChainTransaction('b')])

    expect(await read(1_000)).toMatchObject({ block: { transactions: [{ index: 1 }] } })
  })

  it('names an endpoint that cannot be used', async () => {
    const { rpc, read } = await setUp()
    rpc.faults.token = 'another'
    await expect(read(1_000)).rejects.toMatchObject({ kind: 'unauthorised' })
    rpc.faults.token = undefined
    rpc.faults.isDown = true
    await expect(read(1_000)).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining('503'),
    })
    await rpc.close()
    await expect(read(1_000)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  // Guards public endpoints, which ban clients that keep sending.
  it.each([
    ['its own HTTP status', 'http'],
    ['an error under HTTP 200', 'error'],
    ['the code of a skipped slot', 'skippedCode'],
  ] as const)('rests for as long as requested by an endpoint that refuses with %s', async (_, tooFast) => {
    const { rpc, add, read, clock } = await setUp({ times: 5 })
    add(10)
    rpc.faults.tooFast = tooFast
    rpc.faults.callsPerSecond = 3
    const began = clock.elapsed()

    const answers = await Promise.all([1, 2, 3, 4, 5].map((each) => read(1_000 + each)))

    expect(answers.every(({ kind }) => kind === 'block')).toBe(true)
    expect(clock.elapsed() - began).toBeGreaterThanOrEqual(1_000)
    // Three at once, two refused, and repeated no sooner than requested: not in a loop.
    expect(rpc.calls.length).toBeLessThan(20)
  })
})

describe('a source of the live chain over RPC', () => {
  it('reports that its endpoint limits it, until it was not limited for a minute', async () => {
    const { rpc, add, start } = await setUp({ times: 20 })
    add(2)
    rpc.faults.callsPerSecond = 1
    const { source, until } = start()
    const trouble = () => source.status?.().endpoints[0]?.trouble

    await until(has(1_001))
    await eventually(() => trouble()?.includes('HTTP 429') === true)
    rpc.faults.callsPerSecond = 0
    const growing = setInterval(() => add(), 50)
    closing.push(async () => clearInterval(growing))

    await eventually(() => trouble() === null)
    expect(source.status?.().up).toBe(true)
  })

  it.each([
    ['with a websocket', true],
    ['without one', false],
  ])('delivers blocks in order %s', async (_, hasWebSocket) => {
    const { chain, rpc, add, start } = await setUp({ hasWebSocket, times: 5 })
    add(2)
    const collected = start()
    await collected.until(has(1_001))
    if (hasWebSocket) await eventually(() => rpc.subscriptions() > 0)

    add(3)
    add(2, { skipped: 3 })
    add(2)
    await collected.until(has(1_014))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    expect(collected.source.status!().endpoints).toMatchObject([
      { name: expect.stringMatching(/^rpc localhost:/), version: 'solana-core 4.3.0', state: 'connected' },
    ])
  })

  it('continues from the last block after the endpoint was away, and after failed answers', async () => {
    const { chain, rpc, add, start } = await setUp({ times: 10 })
    add(2)
    const collected = start()
    await collected.until(has(1_001))

    rpc.faults.isDown = true
    rpc.drop()
    add(5)
    await eventually(() => !collected.source.status!().up)
    expect(collected.source.status!().trouble).toContain('503')
    rpc.faults.isDown = false
    rpc.faults.rpcErrors = 0.2
    add(20)
    await collected.until(has(1_026))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('reports a gap for blocks that are gone, and continues', async () => {
    const { chain, rpc, add, start } = await setUp({ times: 10 })
    add(2)
    const collected = start()
    await collected.until(has(1_001))

    rpc.faults.isDown = true
    rpc.drop()
    add(50)
    rpc.faults.history = 10
    rpc.faults.isDown = false
    await collected.until(has(1_051))

    expect(collected.entries).toEqual(['1001:0,2,4', 'gap 1002-1041', ...expectedOf(chain, 1_042)])
  })

  it('waits for no root after an absent leader, even if its slots are reported as not available yet', async () => {
    const { chain, add, start, read } = await setUp({ times: 5 })
    add(2)
    const collected = start()
    await collected.until(has(1_001))
    add(1, { skipped: 8 })
    expect(await read(1_005)).toEqual({ kind: 'notYet' })
    await collected.until(has(1_010))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('needs only getSlot and getBlock from the endpoint', async () => {
    const { chain, add, start } = await setUp({
      times: 5,
      hasWebSocket: false,
      missing: ['getVersion', 'getBlocks', 'getFirstAvailableBlock', 'getGenesisHash'],
    })
    add(2)
    const collected = start()
    await collected.until(has(1_001))
    add(3)
    await collected.until(has(1_004))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })
})

describe('holes filled from an RPC', () => {
  async function setUpBoth({ times = 5, ...options } = {}) {
    const { chain, rpc, add, client, clock, log } = await setUp({ times, ...options })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    const feed = createYellowstoneFeed({
      url: new URL(server.url.replace('yellowstone+', '')),
      token: undefined,
      programs: [WANTED],
      clock,
    })
    const checkpoint = createMemoryCheckpoint()
    const source = createChainSource({
      feeds: [feed],
      backfill: createRpcBackfill(client, [WANTED], clock),
      checkpoint,
      clock,
      log,
    })
    const collected = collect(source)
    closing.push(collected.stop)
    await eventually(() => server.streams() > 0)
    add(4)
    await collected.until(has(1_003))
    return { chain, rpc, add, server, collected, source, log }
  }

  it('are filled without a gap when the stream does not replay', async () => {
    const { chain, add, server, collected, source } = await setUpBoth()
    server.faults.replay = 'off'

    server.drop()
    add(4)
    add(2, { skipped: 1 })
    await eventually(() => server.streams() > 0)
    add(40)
    await collected.until(has(1_051))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
    await eventually(() => source.status!().holesFilled === 1)
    expect(source.status!()).toMatchObject({ holesNotFilled: 0, slotsMissed: 0 })
  })

  it('are filled when blocks never arrive on the stream, or cannot be read', async () => {
    const { chain, add, server, collected } = await setUpBoth()

    server.faults.lostBlocks = 1
    add(2)
    server.faults.lostBlocks = 0
    add(1)
    server.faults.malformed = 0.5
    add(5)
    server.faults.malformed = 0
    add(30)
    await collected.until(has(1_041))

    expect(collected.entries).toEqual(expectedOf(chain, 1_001))
  })

  it('become a gap once the stream has waited 10 s for a failing RPC', async () => {
    const { add, rpc, server, collected, source } = await setUpBoth({ times: 30 })
    server.faults.replay = 'off'
    rpc.faults.isDown = true

    server.drop()
    add(4)
    await eventually(() => server.streams() > 0)
    add(4)
    await collected.until((entries) => entries.some((entry) => entry.startsWith('gap')))
    await collected.until(has(1_011))

    expect(collected.entries.slice(3)).toEqual([
      'gap 1004-1008',
      ...['1009:0,2,4', '1010:0,2,4', '1011:0,2,4'],
    ])
    expect(source.status!()).toMatchObject({ holesFilled: 0, holesNotFilled: 1, slotsMissed: 5 })
  })

  it('are filled for two minutes of chain; earlier slots become a gap', async () => {
    const { chain, rpc, add, server, collected } = await setUpBoth()
    server.faults.replay = 'off'

    server.drop()
    rpc.faults.history = 10_000
    // At four slots a second 600 slots are two and a half minutes.
    add(600)
    await eventually(() => server.streams() > 0)
    add(40)
    await collected.until(has(1_643))

    const gap = collected.entries[3]!
    expect(gap).toMatch(/^gap 1004-11\d\d$/)
    const first = Number(gap.split('-')[1]) + 1
    // Two minutes before the newest block seen, give or take the rounding of block times to seconds.
    expect(chain.head()!.slot - first).toBeGreaterThan(475)
    expect(chain.head()!.slot - first).toBeLessThan(530)
    expect(collected.entries.slice(4)).toEqual(expectedOf(chain, first))
  })
})
