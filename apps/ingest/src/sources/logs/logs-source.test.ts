import { once } from 'node:events'
import {
  type ChainTransaction,
  createChain,
  type RpcOptions,
  serveRpc,
  toChainTransaction,
} from '@pairwire/chain-double'
import { encodeBase58 } from '@pairwire/contract'
import { type DecodedEvent, decodeTransaction, LOG_DECODERS, readRpcTransaction } from '@pairwire/decoders'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { collect, createHastyClock, createListLog, eventually } from '../../testing/live-chain.ts'
import { recorded } from '../../testing/recorded-logs.ts'
import { openSource } from '../open-source.ts'
import { createMarket } from '../simulator/market.ts'
import type { Arrivals, Source } from '../source.ts'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const SALE = recorded('pumpfun', 'sell-v2-october')
const POOL_SALE = recorded('pumpswap', 'sell-v2-fees-kept')
const CLMM_SWAP = recorded('raydium-clmm', 'swap-v2')

/** The same transaction again, with another signature. */
function again({ transaction, ...rest }: ChainTransaction, number: number): ChainTransaction {
  const signature = new Uint8Array(64).fill(7)
  new DataView(signature.buffer).setUint32(0, number)
  return { ...rest, transaction: { ...transaction, signatures: [encodeBase58(signature)] } }
}

type SetUp = Partial<RpcOptions> & Readonly<{ times?: number; rpcUrl?: string }>

/** A chain with its JSON-RPC and websocket, and a source of its logs. */
async function setUp({ times = 1, rpcUrl, ...options }: SetUp = {}) {
  const chain = createChain({ firstSlot: 1_000 })
  const rpc = await serveRpc({ chain, ...options })
  closing.push(rpc.close)
  const log = createListLog()
  const source = openLogs(`logs+${rpc.url.replace('http', 'ws')}`, { times, log, rpcUrl })
  const arrivals: Arrivals[] = []
  const kept: Source = {
    ...source,
    async *blocks(signal) {
      for await (const entry of source.blocks(signal)) {
        if ('arrived' in entry) arrivals.push(entry)
        yield entry
      }
    },
  }
  const collected = collect(kept)
  closing.push(collected.stop)
  let count = 0
  /** Blocks with a sale on a curve each, whose event has the block's time. */
  const sell = (blocks = 1) => {
    for (let at = 0; at < blocks; at++) {
      chain.add([again(SALE.transaction, ++count)], { blockTime: SALE.blockTime })
    }
  }
  const decoded = () => arrivals.flatMap(({ arrived }) => arrived.map((each) => each.decoded))
  const subscribed = (subscriptions = LOG_DECODERS.length + 1) =>
    eventually(() => rpc.subscriptions() === subscriptions && source.status!().up)
  return {
    ...{ chain, rpc, log, sell, arrivals, subscribed, collected },
    status: () => source.status!(),
    until: collected.until,
    events: () => decoded().flatMap(({ events }) => events),
    refusals: () =>
      decoded().flatMap(({ refusals }) => refusals.map(({ exchange, reason }) => `${exchange} ${reason}`)),
  }
}

function openLogs(
  setting: string,
  {
    times = 1,
    log = createListLog(),
    rpcUrl,
  }: { times?: number; log?: ReturnType<typeof createListLog>; rpcUrl?: string | undefined },
): Source {
  const clock = createHastyClock(times)
  return openSource(setting, {
    ...{ clock, log, dataFolder: '/nowhere', rpcUrl, loopByDefault: false },
    nextRun: async () => 1,
  })
}

/** What both ways of decoding have in common about an event. */
function textOf(event: DecodedEvent): string {
  const { kind, exchange, launchpad, ammAccount } = event
  const common = [kind, exchange, launchpad, ammAccount]
  return event.kind === 'swap'
    ? [
        ...common,
        event.walletAccount,
        event.swapType,
        event.baseAmount,
        event.quoteAmount,
        event.quoteTokenLiquidity,
      ].join()
    : [...common, event.baseToken.mint, event.baseTokenLiquidityAdded, event.migration].join()
}

/** The swaps of a whole transaction as its logs tell them: they name no token account. */
const withoutBalances = (transaction: typeof SALE.transaction) =>
  decodeTransaction(readRpcTransaction(transaction)!).events.map((event) => ({
    ...event,
    walletBalance: null,
  }))

const has = (text: string) => (entries: readonly string[]) => entries.some((entry) => entry.includes(text))

describe('a source of program logs', () => {
  it('delivers what the whole transaction has, and the end of a block when the next slot is seen', async () => {
    const { chain, subscribed, until, arrivals, collected } = await setUp()
    await subscribed()

    chain.add([SALE.transaction], { blockTime: SALE.blockTime })
    chain.add([again(SALE.transaction, 1)], { blockTime: SALE.blockTime })
    await until(has('1001~swap'))

    expect(collected.entries).toEqual(['1000~swap', '1000 ends', '1001~swap'])
    expect(arrivals[0]).toMatchObject({
      slot: 1_000,
      blockTime: SALE.blockTime,
      arrived: [{ decoded: { events: withoutBalances(SALE.transaction) } }],
    })
  })

  it('looks up the mints of a new pool once for all transactions that wait for it', async () => {
    const { chain, rpc, subscribed, until, events } = await setUp()
    await subscribed()

    chain.add([POOL_SALE.transaction, again(POOL_SALE.transaction, 1)], { blockTime: POOL_SALE.blockTime })
    await until(has('1000~swap,swap'))

    const [event] = withoutBalances(POOL_SALE.transaction)
    expect(events()).toEqual([event, event])
    expect(rpc.calls.filter(({ method }) => method === 'getMultipleAccounts')).toHaveLength(2)
  })

  it('requests the time of a slot without an event that has it', async () => {
    const { chain, subscribed, until, arrivals } = await setUp()
    await subscribed()

    chain.add([CLMM_SWAP.transaction], { blockTime: 1_790_000_123 })
    await until(has('1000~swap'))

    expect(arrivals[0]!.blockTime).toBe(1_790_000_123)
  })

  it('omits and counts what it cannot look up, and continues with the rest', async () => {
    const { chain, sell, subscribed, until, refusals, status } = await setUp({
      missing: ['getMultipleAccounts', 'getBlockTime'],
      times: 20,
    })
    await subscribed()

    chain.add([POOL_SALE.transaction, CLMM_SWAP.transaction], { blockTime: POOL_SALE.blockTime })
    await eventually(() => refusals().length === 2)
    sell()
    await until(has('1001~swap'))

    expect(refusals().sort()).toEqual(['pumpswap unknown_account', 'raydium_clmm unknown_account'])
    expect(status().endpoints[1]).toMatchObject({ trouble: 'Pools cannot be looked up: Method not found' })
  })

  it('omits events without a block time', async () => {
    const { chain, subscribed, refusals, events } = await setUp({ missing: ['getBlockTime'], times: 20 })
    await subscribed()

    chain.add([CLMM_SWAP.transaction])
    await eventually(() => refusals().length > 0)

    expect(refusals()).toEqual(['raydium_clmm unknown_time'])
    expect(events()).toEqual([])
  })

  it('delivers a transaction once that mentions several of its programs, and nothing of one that failed', async () => {
    const { chain, sell, subscribed, until, collected } = await setUp()
    await subscribed()
    const migration = recorded('pumpswap', 'migration-with-boost')
    const failed = {
      ...SALE.transaction,
      meta: { ...SALE.transaction.meta, err: { InstructionError: [0, 'x'] } },
    }

    chain.add([failed, migration.transaction], { blockTime: migration.blockTime })
    sell()
    await until(has('1001~swap'))

    const whole = decodeTransaction(readRpcTransaction(migration.transaction)!).events.map(({ kind }) => kind)
    await until(has(`1000~${whole.join(',')}`))
    expect(collected.entries.filter((entry) => entry.startsWith('1000~'))).toHaveLength(1)
  })

  it('delivers what comes before the cut of truncated logs, and counts the cut', async () => {
    const { rpc, sell, subscribed, refusals, events } = await setUp()
    await subscribed()
    rpc.faults.truncatedLogs = 1

    sell()
    await eventually(() => refusals().length > 0)

    expect(refusals()).toEqual(['pumpfun truncated_logs'])
    expect(events()).toEqual([])
  })

  it('reports a gap for a broken connection, with both ends in it, and never fetches what it missed', async () => {
    const { rpc, sell, subscribed, until, status, collected, log } = await setUp()
    await subscribed()
    sell(3)
    await until(has('1002~swap'))

    rpc.drop()
    sell(4)
    await eventually(() => rpc.subscriptions() === 0)
    await subscribed()
    sell(2)
    await until(has('1008~swap'))

    expect(collected.entries.slice(-5)).toEqual([
      'gap 1002-1007',
      '1002 ends',
      '1007~swap',
      '1007 ends',
      '1008~swap',
    ])
    expect(status()).toMatchObject({ up: true, trouble: null, holesNotFilled: 1, slotsMissed: 6 })
    expect(log.lines).toContainEqual(
      expect.stringMatching(/^logs localhost:\d+: The endpoint closed the connection/),
    )
    expect(rpc.calls.map(({ method }) => method)).not.toContain('getBlock')
  })

  it('replaces a connection that is open but silent', async () => {
    const { rpc, sell, subscribed, until, status } = await setUp({ times: 50 })
    await subscribed()
    sell()
    await until(has('1000~swap'))

    rpc.faults.isSilent = true
    await eventually(() => !status().up)
    expect(status().trouble).toBe('The endpoint keeps the connection open but no longer sends anything.')
    rpc.faults.isSilent = false
    await eventually(() => rpc.subscriptions() > LOG_DECODERS.length && status().up)
    sell()

    await until(has('gap 1000-1001'))
  })

  it('does not take a connection for silent that it reads no further because its events wait', async () => {
    const times = 100
    const chain = createChain({ firstSlot: 1_000 })
    const rpc = await serveRpc({ chain })
    closing.push(rpc.close)
    const log = createListLog()
    const source = openLogs(`logs+${rpc.url.replace('http', 'ws')}`, { times, log })
    const abort = new AbortController()
    const entries = source.blocks(abort.signal)[Symbol.asyncIterator]()
    closing.push(async () => {
      abort.abort()
      await entries.return?.()
    })
    const first = entries.next()
    await eventually(() => source.status!().up)
    for (let number = 0; number < 1_000; number++) {
      chain.add([again(SALE.transaction, number)], { blockTime: SALE.blockTime })
    }
    await first

    const { wait } = createHastyClock(times)
    await wait(45_000, abort.signal)

    expect(log.lines).toEqual([])
  })

  it('reports in a sentence that every subscription is refused, and retries', async () => {
    const { rpc, sell, status, until } = await setUp({ times: 20 })
    rpc.faults.maxSubscriptions = 0
    rpc.drop()
    await eventually(() => status().trouble?.startsWith('The endpoint refuses every') === true)
    // Refused clients are accepted once there is room.
    rpc.faults.maxSubscriptions = 100
    await eventually(() => status().up)
    sell()

    await until(has('~swap'))
    expect(status().trouble).toBeNull()
  })

  it('continues with the programs that it may read, and names the others', async () => {
    const { chain, rpc, subscribed, until, status } = await setUp()
    await subscribed()
    rpc.faults.maxSubscriptions = 2
    rpc.drop()
    await eventually(
      () => status().endpoints[0]!.trouble?.startsWith('The endpoint refuses the logs') === true,
    )

    expect(status().endpoints[0]!.trouble).toBe(
      'The endpoint refuses the logs of raydium_clmm, pancakeswap, orca_whirlpool: ' +
        '“Internal Error: Subscription refused. Node subscription limit reached”',
    )
    await eventually(() => status().up)
    chain.add([SALE.transaction], { blockTime: SALE.blockTime })
    await until(has('1000~swap'))
  })

  it('delivers of a market what its whole blocks have, except for what it names', async () => {
    const { chain, subscribed, events, refusals } = await setUp()
    await subscribed()
    const market = createMarket({ seed: 1, stream: 1, swapsPerSecond: 50, firstBlockTime: 1_793_000_000 })
    const whole: string[] = []
    for (let slot = 0; slot < 60; slot++) {
      const made = [...market.block(slot, 1_793_000_000)].map(({ transaction }) => transaction)
      for (const transaction of made) {
        for (const event of decodeTransaction(transaction).events) {
          if (['pumpfun', 'pumpswap'].includes(event.exchange)) whole.push(textOf(event))
        }
      }
      chain.add(made.map(toChainTransaction), { blockTime: 1_793_000_000 })
    }
    await eventually(() => events().length + refusals().length >= whole.length)

    expect(whole.length).toBeGreaterThan(300)
    expect(events().filter((event) => !whole.includes(textOf(event)))).toEqual([])
    expect(events().length).toBeGreaterThan(0.9 * whole.length)
  })

  it('reports what such a source cannot see', async () => {
    const { status } = await setUp()

    expect(status().cannotSee).toMatch(/^Logs cover only pumpfun, pumpswap, raydium_clmm, pancakeswap, and /)
    expect(status().cannotSee).toMatch(/without cursors\. The service does not fetch what it missed\.$/)
  })

  it('uses SOLANA_RPC_URL for pools and times if it is set', async () => {
    const other = createChain({ firstSlot: 1_000 })
    other.add([CLMM_SWAP.transaction], { blockTime: 1_790_000_777 })
    const elsewhere = await serveRpc({ chain: other })
    closing.push(elsewhere.close)
    const { chain, rpc, subscribed, until, arrivals } = await setUp({ rpcUrl: elsewhere.url })
    await subscribed()

    chain.add([CLMM_SWAP.transaction])
    await until(has('1000~swap'))

    expect(arrivals[0]!.blockTime).toBe(1_790_000_777)
    expect(rpc.calls).toEqual([])
  })

  it('reports what answers where there is no such websocket', async () => {
    const { status } = await setUp({ hasWebSocket: false })

    await eventually(() => status().trouble !== null)
    expect(status()).toMatchObject({
      up: false,
      trouble: 'There is no websocket at this address (HTTP 404).',
    })
  })

  it('skips messages of other kinds, and names what it cannot read', async () => {
    const { log, until, entries } = await readFrom([
      ...UNREADABLE,
      notification(999, 5, { signature: SIGNATURE, err: null, logs: LOGS }),
      notification(101, 6, { signature: SIGNATURE, err: null, logs: LOGS }),
    ])

    await until(has('6~swap'))

    expect(entries).toEqual(['6~swap'])
    // One for each of the four reasons.
    expect(log.lines.filter((line) => line.endsWith('could not be read.'))).toHaveLength(4)
  })

  it('reports one gap for the slots around what it cannot read', async () => {
    const sale = (slot: number, number: number) => {
      const signature = again(SALE.transaction, number).transaction.signatures[0]
      return notification(101, slot, { signature, err: null, logs: LOGS })
    }
    const { until, entries } = await readFrom([
      ...[sale(5, 1), ...UNREADABLE, sale(5, 2), ...UNREADABLE, sale(4, 3), sale(7, 4)],
      ...[sale(7, 5), sale(8, 6)],
    ])

    await until(has('8~swap'))

    expect(entries.filter((entry) => entry.startsWith('gap'))).toEqual(['gap 5-7'])
  })
})

const LOGS = SALE.transaction.meta.logMessages
const SIGNATURE = SALE.transaction.transaction.signatures[0]

function notification(subscription: unknown, slot: unknown, value: unknown): string {
  const params = { subscription, result: { context: { slot }, value } }
  return JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params })
}

/** Messages of a hostile endpoint: none may stop the stream or be mistaken for an event. */
const UNREADABLE = [
  'no JSON',
  '[]',
  'null',
  notification(101, 'x', {}),
  notification(101, 5, null),
  notification(101, 5, { signature: SIGNATURE, logs: LOGS }),
  notification(101, 5, { signature: 'short', err: null, logs: LOGS }),
  notification(101, 5, { signature: SIGNATURE, err: null, logs: null }),
  notification(101, 5, { signature: SIGNATURE, err: null, logs: [1] }),
]

/** Reads an endpoint that sends these messages as soon as every subscription is answered. */
async function readFrom(messages: readonly string[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  closing.push(() => server.close())
  await once(server, 'listening')
  server.on('connection', (client) => {
    closing.push(() => client.terminate())
    client.on('message', (text) => {
      const { id } = JSON.parse(String(text))
      client.send(JSON.stringify({ jsonrpc: '2.0', id, result: id + 100 }))
      if (id === 0) for (const message of messages) client.send(message)
    })
  })
  const { port } = server.address() as { port: number }
  const log = createListLog()
  const collected = collect(openLogs(`logs+ws://127.0.0.1:${port}`, { log }))
  closing.push(collected.stop)
  return { log, ...collected }
}
