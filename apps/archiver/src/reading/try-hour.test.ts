import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import type { NotificationEvent, StreamEvent, Swap, TryAsk } from '@pairwire/contract'
import { indexFields, readInterest, StreamFault, wantsEvent } from '@pairwire/filter'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aKeptHour } from '../testing/a-kept-hour.ts'
import { aStreamBlock, hashOf } from '../testing/a-stream.ts'
import { anEngine } from '../testing/an-engine.ts'
import { LocalFiles } from './local-files.ts'
import { tryHour } from './try-hour.ts'

const engine = anEngine(createManualClock())
const folder = mkdtempSync(join(tmpdir(), 'pairwire-tries-'))
afterAll(() => {
  engine.close()
  rmSync(folder, { recursive: true, force: true })
})

const RUNS = Number(process.env.PAIRWIRE_TRIES ?? 1_000)

/** Few of each, so that random filters match something. */
const ACCOUNTS = Array.from({ length: 6 }, (_, at) => hashOf(1_000 + at))
const EXCHANGES = ['pumpfun', 'pumpswap', 'raydium', 'raydium_launchlab', 'meteora_dlmm'] as const
const VALUES = [null, 0.01, 1, 99.99, 100, 12_345.678, 1e25] as const

const account = fc.constantFrom(...ACCOUNTS)
const list = fc.option(fc.array(account, { minLength: 1, maxLength: 3 }), { nil: undefined })
const accounts = fc.record({ ammAccount: list, walletAccount: list, baseTokenMint: list })
const exchanges = fc.option(fc.uniqueArray(fc.constantFrom(...EXCHANGES), { minLength: 1 }), {
  nil: undefined,
})
const swapParams = fc.record({
  include: fc.option(
    fc.record({
      ammAccount: list,
      walletAccount: list,
      baseTokenMint: list,
      usdValue: fc.option(fc.constantFrom(0, 0.01, 1, 99.99, 100, 100.01, 1e24, 1e26), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  exclude: fc.option(accounts, { nil: undefined }),
  match: fc.constantFrom(undefined, 'any', 'all'),
  sourceExchange: exchanges,
  swapType: fc.constantFrom(undefined, ['buy'], ['sell'], ['buy', 'sell']),
})
const pairParams = fc.record({
  sourceExchange: exchanges,
  include_launchpad_tokens: fc.constantFrom(undefined, true, false),
})
const asked = fc.oneof(
  { weight: 4, arbitrary: swapParams.map((params) => ({ kind: 'swap' as const, params })) },
  { weight: 1, arbitrary: pairParams.map((params) => ({ kind: 'newPair' as const, params })) },
)

/** The same on every run; every value occurs in some swap. */
function randomSwaps(slot: number): Partial<Swap>[] {
  const pick = <Value>(values: readonly Value[], salt: number) =>
    values[(slot * 7_919 + salt * 104_729 + ((slot * salt) >> 3)) % values.length]!
  return Array.from({ length: 5 }, (_, at) => ({
    sourceExchange: pick(EXCHANGES, at + 1),
    ammAccount: pick(ACCOUNTS, at + 2),
    walletAccount: pick(ACCOUNTS, at + 3),
    baseTokenMint: pick(ACCOUNTS, at + 5),
    usdValue: pick(VALUES, at + 7),
    swapType: pick(['buy', 'sell'] as const, at + 11),
    ...(at === 4 ? { quoteTokenLiquidity: '', launchpad: 'pumpfun' } : {}),
  }))
}

let hour: Awaited<ReturnType<typeof aKeptHour>>
let events: NotificationEvent[]
beforeAll(async () => {
  const blocks = Array.from({ length: 200 }, (_, at) =>
    aStreamBlock(at + 1, { swaps: randomSwaps(at + 1), pairs: at % 3 === 0 ? [`Token ${at}`] : [] }),
  )
  hour = await aKeptHour(folder, blocks, engine)
  events = blocks.flat().filter((event: StreamEvent) => event.kind !== 'gap') as NotificationEvent[]
})

const tryIt = (kind: TryAsk['kind'], params: object) =>
  tryHour(
    { source: 'chain', hour: '20261123-130000', kind, params: JSON.parse(JSON.stringify(params)) },
    { archive: hour.archive, engine, files: new LocalFiles(hour.archive, join(folder, 'kept')) },
  )

/** A price can be written in several ways. */
const withNumbers = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (name, inner) => (name === 'quotePrice' ? Number(inner) : inner))

describe('a trial of a filter', () => {
  it('matches what the stream would have sent: the same count, the same busiest minute, the newest as sent', async () => {
    let met = 0
    const run = async ({ kind, params }: { kind: TryAsk['kind']; params: object }) => {
      const fields = indexFields(JSON.parse(JSON.stringify(params)))
      let interest: ReturnType<typeof readInterest>
      try {
        interest = readInterest(kind, { params: fields, around: [], isUpdate: false })
      } catch (error) {
        await expect(tryIt(kind, params)).rejects.toEqual(error)
        return
      }
      const wanted = events.filter((event) => event.kind === kind && wantsEvent(interest, event))
      const byMinute = new Map<number, number>()
      for (const { params: of } of wanted) {
        const minute = Math.floor(of.blockTime / 60) * 60
        byMinute.set(minute, (byMinute.get(minute) ?? 0) + 1)
      }
      const [busiest] = [...byMinute].sort((one, other) => other[1] - one[1] || one[0] - other[0])
      met += wanted.length

      const tried = withNumbers(await tryIt(kind, params))

      const shown = kind === 'newPair' ? [] : wanted.slice(-20).reverse()
      expect(tried).toEqual({
        outcome: 'tried',
        matched: wanted.length,
        total: events.filter((event) => event.kind === kind).length,
        busiestMinute: busiest ? { at: busiest[0], matched: busiest[1] } : null,
        sample: shown.map(({ cursor, params: sent }) => withNumbers({ cursor, params: sent })),
      })
    }

    await fc.assert(fc.asyncProperty(asked, run), { numRuns: RUNS, seed: 28 })
    expect(met).toBeGreaterThan(RUNS)
  }, 120_000)

  it('is refused with the same sentence as on the stream', async () => {
    await expect(tryIt('swap', { include: { ammAccount: [] } })).rejects.toThrow(StreamFault)
    await expect(tryIt('swap', { include: { ammAccount: ["x' OR 1=1 --"] } })).rejects.toThrow(/base58/)
  })

  it('is undefined for a missing hour', async () => {
    const ask: TryAsk = { source: 'chain', hour: '20261123-150000', kind: 'swap', params: {} }
    const files = new LocalFiles(hour.archive, join(folder, 'kept'))

    expect(await tryHour(ask, { archive: hour.archive, engine, files })).toEqual({ outcome: 'missing' })
  })
})
