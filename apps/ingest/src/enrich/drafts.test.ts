import { createInProcessBus } from '@pairwire/bus'
import {
  encodeBase58,
  type NotificationEvent,
  type PairUpdateMessage,
  type StreamEvent,
  USDC,
  WRAPPED_SOL,
} from '@pairwire/contract'
import {
  CallNotes,
  type Decoded,
  type DecodedEvent,
  type DecodedNewPair,
  decodeTransaction,
} from '@pairwire/decoders'
import { createJumpingClock } from '@pairwire/process/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { type DecodedTransaction, decodeEarly } from '../slot-keeper/block-transaction.ts'
import { createSimulator } from '../sources/simulator.ts'
import { type Block, LIVE_RUN, type Source } from '../sources/source.ts'
import { aSolPool } from '../testing/a-market.ts'
import { aSwap } from '../testing/a-swap.ts'
import { ended, START, setUp } from '../testing/ingest-under-test.ts'
import { silentLog } from '../testing/silent-log.ts'
import { createTokenMemory, type TokenMemory } from '../tokens/token-memory.ts'
import { prepare } from './prepare.ts'

type LiveBlock = Block<DecodedTransaction>

/** Blocks of a live chain that the simulator's market fills, each decoded as it came. */
async function aChain(count: number): Promise<LiveBlock[]> {
  const clock = createJumpingClock(START)
  const market = createSimulator({ seed: 3, swapsPerSecond: 60, clock, nextRun: async () => 1 })
  const blocks: LiveBlock[] = []
  for await (const { slot, blockTime, transactions } of market.blocks(new AbortController().signal)) {
    const decoded = transactions.map(
      (transaction, index) => decodeEarly({ ...transaction, index }, decodeTransaction) as DecodedTransaction, // none of them fails
    )
    blocks.push({ run: LIVE_RUN, id: `${slot}:hash`, slot, blockTime, transactions: decoded })
    if (blocks.length === count) return blocks
  }
  throw new Error('The simulator has ended.')
}

/** What may happen beside it. */
type Beside = Readonly<{
  tokens?: TokenMemory
  /** Between what is told ahead of a block and the block. */
  between?(): void
  /** While a block is published. */
  onPublished?(): void
}>

/** What an ingest publishes and expects of a source that gives these blocks; `ahead` is told before each. */
async function publish(
  blocks: readonly LiveBlock[],
  ahead: (at: number) => LiveBlock | undefined,
  { tokens, between, onPublished }: Beside = {},
) {
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  const expected: (readonly NotificationEvent[])[] = []
  const published: (readonly StreamEvent[])[] = []
  bus.onExpected((events) => expected.push(events))
  const updates: PairUpdateMessage[] = []
  bus.onControl((message) => {
    if (message.type === 'pairUpdate') updates.push(message)
  })
  bus.subscribe((events) => {
    published.push(events)
    onPublished?.()
  })
  let clock: ReturnType<typeof setUp>['clock'] | undefined
  const source: Source = {
    simulated: false,
    blocks: async function* (_signal, _kept, _decode, early) {
      for (const [at, block] of blocks.entries()) {
        const next = ahead(at)
        if (next) early?.expected(next)
        await clock!.pass(400)
        between?.()
        yield block
      }
    },
  }
  const under = setUp(source, { bus, ...(tokens && { tokens }) })
  clock = under.clock
  under.ingest.start()
  await ended(under.logged)
  await under.ingest.stop()
  return { published, expected, updates, stats: under.ingest.stats() }
}

/** A transaction of these swaps, decoded as it came. */
function aTransaction(index: number, ...events: DecodedEvent[]): DecodedTransaction {
  const decoded: Decoded = { events, refusals: [] }
  const signature = new Uint8Array(64).fill(index + 1)
  return {
    ...{ signature, index, failed: false, decoded },
    prepared: prepare(decoded, signature),
    calls: new CallNotes(),
  }
}

const aBlock = (slot: number, ...transactions: DecodedTransaction[]): LiveBlock => ({
  ...{ run: LIVE_RUN, id: `${slot}:hash`, slot, blockTime: START / 1000, transactions },
})

describe('drafts', () => {
  it('are what would have been made without them, and are counted the same', async () => {
    const blocks = await aChain(30)

    const plain = await publish(blocks, () => undefined)
    const drafted = await publish(blocks, (at) => blocks[at])

    expect(drafted.published).toEqual(plain.published)
    expect(drafted.stats).toEqual(plain.stats)
    expect(drafted.expected.flat().length).toBeGreaterThan(200)
    expect(drafted.published.flat().some(({ kind }) => kind === 'newPair')).toBe(true)
  })

  it('are published as the very batch that was told of', async () => {
    const blocks = await aChain(10)

    const { published, expected } = await publish(blocks, (at) => blocks[at])

    expect(expected).toHaveLength(10)
    for (const [at, batch] of expected.entries()) expect(published[at]).toBe(batch)
  })

  it('say when their block came, not when they were made', async () => {
    const [block] = await aChain(1)

    const { published } = await publish([block!], () => block)

    const times = published[0]!.map((event) => ('receivedAt' in event ? event.receivedAt : undefined))
    expect(new Set(times)).toEqual(new Set([START + 400]))
  })

  it('of a block that is not confirmed leave nothing behind', async () => {
    const blocks = await aChain(20)
    const { slot } = blocks[3]!
    const swap = aSwap({ quoteTokenMint: WRAPPED_SOL })
    const other = { ...aBlock(slot, aTransaction(0, swap)), id: `${slot}:other` }

    const plain = await publish(blocks, () => undefined)
    const misled = await publish(blocks, (at) => (at === 3 ? other : blocks[at]))

    expect(misled.expected[3]).toHaveLength(2)
    expect(misled.published).toEqual(plain.published)
  })

  it('are published also where another endpoint was the first to complete their block', async () => {
    const sent = () => aBlock(7, aTransaction(0, aSwap()), aTransaction(2, aSwap()))

    const { published, expected } = await publish([sent()], () => sent())

    expect(published[0]).toHaveLength(3)
    expect(published[0]).toBe(expected[0])
  })

  it('are not used where more of the block came since', async () => {
    const [first, second] = [aTransaction(0, aSwap()), aTransaction(1, aSwap())]

    const { published } = await publish([aBlock(7, first, second)], () => aBlock(7, first))

    expect(published[0]!.map(({ kind }) => kind)).toEqual(['swap', 'swap', 'latestBlock'])
  })

  it('are worth what the blocks before theirs say', async () => {
    const pools = [aSolPool('one', 150), aSolPool('two', 150)]
    const trades = pools.flatMap((pool, at) =>
      ['anna', 'bert'].map((wallet) => pool.trade(500, `${wallet} ${at}`)),
    )
    const swap = aSwap({ quoteTokenMint: WRAPPED_SOL, quoteAmount: 1_000_000_000n, quoteDecimals: 9 })
    const blocks = [aBlock(7, aTransaction(0, ...trades)), aBlock(8, aTransaction(0, swap))]

    const { published, expected } = await publish(blocks, (at) => blocks[at])

    const [event] = published[1]!
    expect(expected[1]![0]).toBe(event)
    expect(event).toMatchObject({ kind: 'swap', params: { swap: { usdValue: expect.closeTo(150, 0) } } })
  })

  it('watch the quote token of a swap for its price only once that is published', async () => {
    const odd = encodeBase58(new Uint8Array(32).fill(9))
    const own = aSwap({
      ...{ exchange: 'raydium', baseTokenMint: odd, baseDecimals: 6, quoteTokenMint: USDC, quoteDecimals: 6 },
      ...{ baseTokenLiquidity: 10n ** 12n, quoteTokenLiquidity: 2n * 10n ** 12n },
    })
    const inOdd = aSwap({ quoteTokenMint: odd, quoteAmount: 10_000_000n, quoteDecimals: 6 })
    const byAnother = { ...own, walletAccount: odd }
    const blockOf = (slot: number) => aBlock(slot, aTransaction(0, inOdd), aTransaction(1, own, byAnother))
    const blocks = [7, 8, 9, 10, 11].map(blockOf)
    const values = (batches: readonly (readonly StreamEvent[])[]) =>
      batches.map(([event]) => (event?.kind === 'swap' ? event.params.swap.usdValue : undefined))

    const drafted = await publish(blocks, (at) => blocks[at])
    const instead = { ...aBlock(7, aTransaction(0, own)), id: '7:other' }
    const misled = await publish([instead, ...blocks.slice(1)], (at) => blocks[at])

    expect(values(drafted.published)).toEqual([null, null, null, 20, 20])
    expect(drafted.published).toEqual((await publish(blocks, () => undefined)).published)
    expect(values(misled.published).slice(1)).toEqual([null, null, null, 20])
  })

  it('are not used once more is known of a token of their pairs', async () => {
    const tokens = createTokenMemory(silentLog)
    const block = aBlock(7, aTransaction(0, aPair))

    const { published, expected } = await publish([block], () => block, {
      ...{ tokens, between: () => findOut(tokens, 6) },
    })

    expect(nameIn(expected[0])).toBeUndefined()
    expect(nameIn(published[0])).toBe('Nut')
  })

  it('are told of again when more becomes known of a token of their pairs while they are published', async () => {
    const tokens = createTokenMemory(silentLog)
    const block = aBlock(7, aTransaction(0, aPair))

    const { published, updates } = await publish([block], () => block, {
      ...{ tokens, onPublished: () => findOut(tokens, 6) },
    })

    expect(nameIn(published[0])).toBeUndefined()
    expect(updates.map(({ update }) => update.baseToken.info?.metadata?.name)).toEqual(['Nut'])
  })

  it('are not made of a block on which a decoder failed, and all others of it are published', async () => {
    const undecoded = aTransaction(1, aSwap())
    const block = aBlock(7, aTransaction(0, aSwap()), undecoded)
    const { decoded: _, prepared: __, calls: ___, ...rest } = undecoded
    const failing = {
      ...block,
      transactions: [block.transactions[0]!, rest as unknown as DecodedTransaction],
    }

    const { published, expected, stats } = await publish([failing], () => failing)

    expect(expected).toEqual([])
    expect(published[0]!.map(({ kind }) => kind)).toEqual(['swap', 'latestBlock'])
    expect(stats.decoderFaults).toBe(1)
  })
})

const aPair: DecodedNewPair = {
  ...{ kind: 'newPair', exchange: 'raydium', launchpad: null, ammAccount: 'a pool', migration: null },
  baseToken: {
    ...{ mint: encodeBase58(new Uint8Array(32).fill(4)), decimals: 6, supply: null },
    ...{ name: null, symbol: null, uri: null, mintAuthority: null, freezeAuthority: null },
  },
  quoteToken: {
    ...{ mint: WRAPPED_SOL, decimals: 9, supply: null },
    ...{ name: null, symbol: null, uri: null, mintAuthority: null, freezeAuthority: null },
  },
  baseTokenLiquidityAdded: 1n,
  quoteTokenLiquidityAdded: 1n,
}

/** The chain's accounts are asked for the token of {@link aPair}, as they stood after a slot. */
function findOut(tokens: TokenMemory, slot: number) {
  const { mint } = aPair.baseToken
  tokens.expect([mint])
  tokens.learn(
    {
      ...{ mint, decimals: 6, supply: 1_000n, name: 'Nut', symbol: 'NUT', uri: null },
      ...{ mintAuthority: null, freezeAuthority: null, metadataAccount: null },
    },
    { run: LIVE_RUN, slot, transactionIndex: 0 },
  )
}

/** What the only pair of these events calls its token. */
function nameIn(events: readonly StreamEvent[] | undefined) {
  const pair = events?.find((event) => event.kind === 'newPair')
  return pair?.params.pair.baseToken.info?.metadata?.name
}
