import { createInProcessBus } from '@pairwire/bus'
import { encodeBase58, type NotificationEvent, type StreamEvent, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { CallNotes, type Decoded, type DecodedEvent, decodeTransaction } from '@pairwire/decoders'
import { createJumpingClock } from '@pairwire/process/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { type DecodedTransaction, decodeEarly } from '../slot-keeper/block-transaction.ts'
import { createSimulator } from '../sources/simulator.ts'
import { type Block, LIVE_RUN, type Source } from '../sources/source.ts'
import { aSolPool } from '../testing/a-market.ts'
import { aSwap } from '../testing/a-swap.ts'
import { ended, START, setUp } from '../testing/ingest-under-test.ts'
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

/** What an ingest publishes and expects of a source that gives these blocks; `ahead` is told before each. */
async function publish(blocks: readonly LiveBlock[], ahead: (at: number) => LiveBlock | undefined) {
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  const expected: NotificationEvent[][] = []
  const published: (readonly StreamEvent[])[] = []
  bus.onExpected((events) => expected.push([...events]))
  bus.subscribe((events) => published.push(events))
  let clock: ReturnType<typeof setUp>['clock'] | undefined
  const source: Source = {
    simulated: false,
    blocks: async function* (_signal, _kept, _decode, early) {
      for (const [at, block] of blocks.entries()) {
        const next = ahead(at)
        if (next) early?.expected(next)
        await clock!.pass(400)
        yield block
      }
    },
  }
  const under = setUp(source, { bus })
  clock = under.clock
  under.ingest.start()
  await ended(under.logged)
  await under.ingest.stop()
  return { published, expected, stats: under.ingest.stats() }
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

  it('are published as the very events that were told of, in their order', async () => {
    const blocks = await aChain(10)

    const { published, expected } = await publish(blocks, (at) => blocks[at])

    for (const [at, events] of expected.entries()) {
      const own = new Set<StreamEvent>(events)
      expect(published[at]!.filter((event) => own.has(event))).toEqual(events)
    }
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

    expect(misled.expected[3]).toHaveLength(1)
    expect(misled.published).toEqual(plain.published)
  })

  it('are published also where another endpoint was the first to complete their block', async () => {
    const sent = () => aBlock(7, aTransaction(0, aSwap()), aTransaction(2, aSwap()))

    const { published, expected } = await publish([sent()], () => sent())

    expect(published[0]!.slice(0, 2)).toEqual(expected[0])
    expect(published[0]![0]).toBe(expected[0]![0])
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

  it('are not made of a swap whose quote token has to be watched for its price', async () => {
    const odd = aSwap({ quoteTokenMint: encodeBase58(new Uint8Array(32).fill(9)) })
    const block = aBlock(7, aTransaction(0, odd), aTransaction(1, aSwap({ quoteTokenMint: USDC })))

    const { expected, published } = await publish([block], () => block)

    expect(expected).toEqual([[published[0]![1]]])
  })
})
