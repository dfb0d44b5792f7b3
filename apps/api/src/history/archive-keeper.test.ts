import type { NeededHours } from '@pairwire/accounts'
import { createArchive } from '@pairwire/archive'
import { anHour } from '@pairwire/archive/testing/an-hour'
import { createMemoryStorage } from '@pairwire/archive/testing/memory-storage'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { HOUR_MS, hourName, hourStart } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { historyWords } from '../pages/status/history-words.ts'
import { createArchiveKeeper } from './archive-keeper.ts'

const TO = hourStart('20261123-130000')!
const name = (hoursBefore: number) => hourName(TO - hoursBefore * HOUR_MS)
const BYTES =
  ['zip', 'swaps', 'pairs', 'blocks'].join(' of 20261123-130000').length + ' of 20261123-130000'.length

/** An archive of the `count` hours before {@link TO}, and its keeper, which has checked it once. */
async function keep(
  retention: { milliseconds?: number; bytes?: number },
  {
    count = 30,
    needed = [] as NeededHours[],
    incomplete = [] as number[],
    missing = [] as number[],
    isHolder = true,
  } = {},
) {
  const archive = createArchive(createMemoryStorage(), { now: () => TO })
  for (let hour = count; hour >= 1; hour--) {
    if (missing.includes(hour)) continue
    const { paths, manifest } = anHour(name(hour), { complete: !incomplete.includes(hour) })
    await archive.publish(paths, manifest)
  }
  const logged: string[] = []
  const log = (sentence: string) => void logged.push(sentence)
  const keeper = createArchiveKeeper({
    accounts: { listNeededHours: async () => needed },
    archive,
    source: 'simulator',
    retention: { milliseconds: 1_000 * HOUR_MS, bytes: 1e9, ...retention },
    leases: { have: async (_work, action) => (isHolder ? action() : undefined) },
    clock: { now: () => TO, elapsed: () => 0, after: () => () => {} },
    log: { info: log, warn: log, error: log },
  })
  await keeper.start()
  await keeper.stop()
  const hours = (await archive.list('simulator', 0, TO + HOUR_MS)).map(({ hour }) => hour)
  return { hours, logged, figures: keeper.figures() }
}

const last = (count: number) => Array.from({ length: count }, (_, at) => name(count - at))

describe('the keeper of the archive', () => {
  it('removes hours that are too old, except the sample', async () => {
    expect((await keep({ milliseconds: 10 * HOUR_MS })).hours).toEqual([name(30), ...last(10)])
  })

  it('removes the oldest hours while the archive is too large', async () => {
    expect((await keep({ bytes: 5 * BYTES })).hours).toEqual([name(30), ...last(4)])
  })

  it('goes on removing hours once the clock was set back', async () => {
    const clock = createManualClock(TO + 24 * HOUR_MS)
    const archive = createArchive(createMemoryStorage(), clock)
    const publish = async (hour: number) => {
      const { paths, manifest } = anHour(name(hour))
      await archive.publish(paths, manifest)
    }
    for (const hour of [4, 3, 2]) await publish(hour)
    const keeper = createArchiveKeeper({
      accounts: { listNeededHours: async () => [] },
      ...{ archive, clock, source: 'simulator' },
      retention: { milliseconds: 1_000 * HOUR_MS, bytes: 3 * BYTES },
      leases: { have: (_work, action) => action() },
      log: { info: () => {}, warn: () => {}, error: () => {} },
    })
    await keeper.start()
    clock.step(-24 * HOUR_MS)
    await publish(1)

    await clock.pass(HOUR_MS)
    await keeper.stop()

    const hours = (await archive.list('simulator', 0, TO)).map(({ hour }) => hour)
    expect(hours).toEqual([name(4), name(2), name(1)])
  })

  it('never removes an hour that an order needs', async () => {
    const from = new Date(hourStart(name(20))!)
    const needed = [{ source: 'simulator', from, to: new Date(from.getTime() + 2 * HOUR_MS) }] as const

    const { hours } = await keep({ milliseconds: 3 * HOUR_MS }, { needed: [...needed] })

    expect(hours).toEqual([name(30), name(20), name(19), ...last(3)])
  })

  it('removes nothing without the lease', async () => {
    expect((await keep({ milliseconds: HOUR_MS }, { isHolder: false })).hours).toHaveLength(30)
  })

  it('logs at the start how many hours the limit holds, and which offers that leaves', async () => {
    expect((await keep({ bytes: 200 * BYTES })).logged[0]).toBe(
      'ARCHIVE_RETENTION holds 200 hours as large as those of the last day, so these can be ordered: hour, day, week.',
    )
    expect((await keep({ milliseconds: HOUR_MS / 2 })).logged[0]).toMatch(
      /holds 0 hours .* nothing can be ordered\.$/,
    )
  })

  it('counts hours, bytes and gaps, and puts them into words', async () => {
    const { figures } = await keep({}, { incomplete: [4], missing: [7, 8] })

    expect(figures).toEqual({ hours: 28, bytes: 28 * BYTES, gapHours: 3, countedHours: 30, completeTo: TO })
    expect(historyWords(figures!, TO)).toBe(
      'History complete up to 13:00 UTC; 3 hours of the last 30 have gaps.',
    )
    expect(historyWords({ ...figures!, gapHours: 1 }, TO)).toMatch(/; 1 hour of the last 30 has gaps\.$/)
    expect(historyWords({ ...figures!, gapHours: 0 }, TO + 24 * HOUR_MS)).toBe(
      'History complete up to 2026-11-23 13:00 UTC.',
    )
    expect((await keep({}, { count: 0 })).figures).toBeUndefined()
  })
})
