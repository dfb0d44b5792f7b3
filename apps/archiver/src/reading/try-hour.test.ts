import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import type { NotificationEvent, StreamEvent, TryAsk } from '@pairwire/contract'
import { indexFields, readInterest, StreamFault, wantsEvent } from '@pairwire/filter'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aKeptHour } from '../testing/a-kept-hour.ts'
import { aStreamBlock } from '../testing/a-stream.ts'
import { anEngine } from '../testing/an-engine.ts'
import { filtersToTry, randomSwaps, withNumbers } from '../testing/random-filters.ts'
import { LocalFiles } from './local-files.ts'
import { tryHour } from './try-hour.ts'

const engine = anEngine(createManualClock())
const folder = mkdtempSync(join(tmpdir(), 'pairwire-tries-'))
afterAll(() => {
  engine.close()
  rmSync(folder, { recursive: true, force: true })
})

const RUNS = Number(process.env.PAIRWIRE_TRIES ?? inCi(100, 30))

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

/** Names of the members that a filter has, in the lists of `include` and `exclude` too. */
const namesOf = (params: object, within = ''): string[] =>
  Object.entries(params).flatMap(([name, value]) => {
    if (value === undefined) return []
    const isNested = typeof value === 'object' && !Array.isArray(value)
    return isNested ? namesOf(value, `${name}.`) : [within + name]
  })

const ACCOUNTS = ['ammAccount', 'baseTokenMint', 'walletAccount']
const EVERY_NAME = [
  ...['include_launchpad_tokens', 'sourceExchange'].map((name) => `newPair ${name}`),
  ...ACCOUNTS.map((name) => `swap exclude.${name}`),
  ...[...ACCOUNTS, 'usdValue'].map((name) => `swap include.${name}`),
  ...['match', 'sourceExchange', 'swapType'].map((name) => `swap ${name}`),
].sort()

describe('a trial of a filter', () => {
  it('matches what the stream would have sent: the same count, the same busiest minute, the newest as sent', async () => {
    let met = 0
    const metBy = new Set<string>()
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
      if (wanted.length > 0) for (const name of namesOf(params)) metBy.add(`${kind} ${name}`)

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

    await fc.assert(fc.asyncProperty(filtersToTry, run), { numRuns: RUNS, seed: 28 })
    expect(met).toBeGreaterThan(RUNS)
    expect([...metBy].sort()).toEqual(EVERY_NAME)
  }, 300_000)

  it('is refused with the same sentence as on the stream', async () => {
    await expect(tryIt('swap', { include: { ammAccount: [] } })).rejects.toThrow(StreamFault)
    await expect(tryIt('swap', { include: { ammAccount: ["x' OR 1=1 --"] } })).rejects.toThrow(/base58/)
    await expect(tryIt('newPair', { creator: ['1'.repeat(32)] })).rejects.toThrow(
      'creator is not available here: the archive holds no facts. Leave it out.',
    )
  })

  it('is undefined for a missing hour', async () => {
    const ask: TryAsk = { source: 'chain', hour: '20261123-150000', kind: 'swap', params: {} }
    const files = new LocalFiles(hour.archive, join(folder, 'kept'))

    expect(await tryHour(ask, { archive: hour.archive, engine, files })).toEqual({ outcome: 'missing' })
  })
})
