import { type Log, nameOf, oneAtATime } from '@pairwire/basics'
import { DAY_MS, MINUTE_MS, type SourceState } from '@pairwire/contract'
import { utcDay } from '../day-text.ts'
import { createProofSums, hasFallen } from './proof-sums.ts'
import { quantile } from './quantile.ts'
import type { Verdict } from './service-state.ts'
import { readStatusFile, writeStatusFile } from './status-file.ts'
import type { Day, Incident, Minute, StatusRecord } from './status-record.ts'

/** Milliseconds between two measurements. */
export const MEASURE_EVERY_MS = 10_000

/** Limits of the history: two hours of minutes, 90 days, and incidents of that time. */
export const KEPT_MINUTES = 120
export const KEPT_DAYS = 90
const KEPT_INCIDENTS = 200

/** Milliseconds from the start for which a source without a block counts as starting, not away. */
const STARTING_MS = 30_000

/** Milliseconds within which the same trouble counts as one incident. */
const SAME_INCIDENT_MS = 5 * MINUTE_MS

/** Measures the state of the service, and remembers it for 90 days. */
export type StatusHistory = Readonly<{
  /** Starts measuring, after reading what an earlier process stored. */
  start(): Promise<void>
  /** Measures once. */
  measure(): Promise<void>
  read(): StatusRecord
  /** Stops measuring and writes the history to disk. */
  stop(): Promise<void>
}>

/** `file` undefined keeps everything in memory. `check` returns the state of the service; undefined while it is stopping. */
export function createStatusHistory({
  file,
  sourceState,
  check,
  clock,
  elapsed,
  log,
}: {
  file: string | undefined
  sourceState(): SourceState
  check(): Promise<Verdict | undefined>
  /** Unix milliseconds; may be set back. */
  clock: () => number
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed: () => number
  log: Log
}): StatusHistory {
  let minutes: Minute[] = []
  let days: Day[] = []
  let incidents: Incident[] = []
  const startedAt = elapsed()
  let measuredAt = startedAt
  let reading = readSource(sourceState(), clock(), startedAt)
  const proofSums = createProofSums(sourceState())
  let timer: NodeJS.Timeout | undefined
  const alone = oneAtATime()

  const measure = async () => {
    const verdict = await check().catch(() => undefined)
    const now = clock()
    const elapsedMs = elapsed()
    const source = sourceState()
    // A process that slept did not measure meanwhile.
    const seconds = Math.min(elapsedMs - measuredAt, 3 * MEASURE_EVERY_MS) / 1_000
    measuredAt = elapsedMs
    const isStarting = source.latestBlock === null && elapsedMs - startedAt < STARTING_MS
    if (!verdict || isStarting || seconds <= 0) return

    addToDay(verdict, seconds, now)
    const began = now - seconds * 1_000
    if (verdict.state !== 'well') addToIncidents(verdict.state, verdict.cause, began, now)
    for (const exchange of new Set(source.proof?.decoderAlarms.map((alarm) => alarm.exchange))) {
      addToIncidents('partial', exchange, began, now)
    }
    if (elapsedMs - reading.elapsedMs >= MINUTE_MS) {
      const next = readSource(source, now, elapsedMs)
      if (hasFallen(reading.exchanges, next.exchanges)) {
        const nothing = { ...source, events: {}, lags: { ...source.lags, counts: [] } }
        reading = readSource(nothing, reading.at, reading.elapsedMs)
      }
      minutes = [...minutes, minuteBetween(reading, next)].slice(-KEPT_MINUTES)
      addProofToDay(source)
      reading = next
      await save()
    }
  }

  const addToDay = ({ state }: Verdict, seconds: number, now: number) => {
    const day = utcDay(now)
    const last = days.at(-1)
    const present = last?.day === day ? last : { day, well: 0, late: 0, down: 0 }
    days = [
      ...days.filter((other) => other.day !== day && other.day > utcDay(now - KEPT_DAYS * DAY_MS)),
      { ...present, [state]: present[state] + seconds },
    ]
  }

  /** Updates the newest day, to which this measurement was added. */
  const addProofToDay = (source: SourceState) => {
    const today = days.at(-1)
    if (!today || !source.proof) return
    days = days.with(-1, { ...today, proof: proofSums.add(today.day, today.proof, source, source.proof) })
  }

  const addToIncidents = (state: Incident['state'], cause: string, from: number, now: number) => {
    const last = incidents.findLast((other) => other.state === state && other.cause === cause)
    incidents = incidents.filter((other) => other !== last && other.to > now - KEPT_DAYS * DAY_MS)
    const goesOn = last && from - last.to < SAME_INCIDENT_MS
    if (last && !goesOn) incidents.push(last)
    // Never begins after its end, even if the clock was set back.
    incidents.push({ state, cause, from: goesOn ? Math.min(last.from, from) : from, to: now })
    incidents = incidents.slice(-KEPT_INCIDENTS)
  }

  const save = async () => {
    if (file === undefined) return
    await alone(() => writeStatusFile(file, { minutes, days, incidents })).catch((error: unknown) => {
      log.warn('The measurements of the status page could not be written.', { errorName: nameOf(error) })
    })
  }

  return {
    async start() {
      if (file !== undefined) {
        const kept = await readStatusFile(file, log)
        minutes = [...kept.minutes]
        days = [...kept.days]
        incidents = [...kept.incidents]
      }
      timer = setInterval(() => void measure(), MEASURE_EVERY_MS)
      timer.unref()
    },
    measure,
    read: () => ({ minutes, days, incidents }),
    async stop() {
      clearInterval(timer)
      if (timer !== undefined) await save()
    },
  }
}

/** The source's counters at a moment. */
type Reading = Readonly<{
  /** Unix milliseconds. */
  at: number
  /** The same moment on the clock that never steps back. */
  elapsedMs: number
  exchanges: Readonly<Record<string, number>>
  newPairs: number
  swaps: number
  buys: number
  lags: SourceState['lags']
}>

function readSource({ events, lags }: SourceState, at: number, elapsedMs: number): Reading {
  const sum = { newPairs: 0, swaps: 0, buys: 0 }
  const exchanges: Record<string, number> = {}
  for (const [exchange, { newPairs, swaps, buys }] of Object.entries(events)) {
    sum.newPairs += newPairs
    sum.swaps += swaps
    sum.buys += buys
    exchanges[exchange] = newPairs + swaps
  }
  return { at, elapsedMs, exchanges, ...sum, lags }
}

function minuteBetween(before: Reading, after: Reading): Minute {
  const { bounds } = after.lags
  const counts = after.lags.counts.map((count, bucket) => count - (before.lags.counts[bucket] ?? 0))
  const buys = after.buys - before.buys
  const exchanges: Record<string, number> = {}
  for (const [exchange, count] of Object.entries(after.exchanges)) {
    const added = count - (before.exchanges[exchange] ?? 0)
    if (added > 0) exchanges[exchange] = added
  }
  return {
    at: before.at,
    seconds: (after.elapsedMs - before.elapsedMs) / 1_000,
    newPairs: after.newPairs - before.newPairs,
    buys,
    sells: after.swaps - before.swaps - buys,
    lagMedianMs: rounded(quantile(bounds, counts, 0.5)),
    lagSlowestMs: rounded(quantile(bounds, counts, 0.99)),
    exchanges,
  }
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value)
}
