import type { Archive } from '@pairwire/archive'
import type { Log } from '@pairwire/basics'
import { type Bus, NoAnswerError } from '@pairwire/bus'
import {
  AppError,
  ARCHIVE_ASKS,
  type FilterTrial,
  HOUR_MS,
  hourStart,
  type Manifest,
  NOTIFICATION_METHODS,
  PLANS,
  type SourceKind,
  TryAnswer,
  type TryFilterBody,
  timeText,
} from '@pairwire/contract'
import {
  assertInArchive,
  assertPlanAllows,
  type Interest,
  indexFields,
  readInterest,
  StreamFault,
} from '@pairwire/filter'
import { reach } from './reach.ts'

/** Dependencies of a {@link FilterTrial}. */
type TrialParts = Readonly<{
  archive: Archive | undefined
  archiver: Pick<Bus, 'request'>
  sourceKind: SourceKind
  /** Milliseconds since any fixed moment. */
  elapsed: () => number
  log: Log
}>

/** Milliseconds after which the finished hours are returned, and after which the trial fails if none is. */
const ENOUGH_MS = 8_000
const MOST_MS = 9_000

/** How many hours back to search for complete ones. */
const LOOKED_AT = 720

/** Matches that are shown. */
const SHOWN = 20

type Tried = Readonly<{ hour: string }> & Omit<Extract<TryAnswer, { outcome: 'tried' }>, 'outcome'>

/** Tries filters in the archiver, one at a time per account. */
export function createFilterTrials(parts: TrialParts) {
  const busy = new Set<string>()

  return {
    /**
     * What a filter would have matched over the last complete hours, newest first, as far as time allows.
     *
     * @throws AppError with the stream's sentence for params that it refuses; also if no hour can be read
     */
    async try(accountId: string, { kind, params, hours }: TryFilterBody): Promise<FilterTrial> {
      const fields = params ?? {}
      const interest = readFilter(kind, fields)
      if (busy.has(accountId)) {
        throw new AppError('ERR_RATE_LIMITED', 'Another of your filters is being tried. Wait for its result.')
      }
      busy.add(accountId)
      try {
        const manifests = await reach(lastHours(parts, hours))
        return describe(interest, await tryHours(parts, manifests, { kind, params: fields }))
      } finally {
        busy.delete(accountId)
      }
    },
  }
}

function readFilter(kind: TryFilterBody['kind'], params: Record<string, unknown>): Interest {
  try {
    const fields = indexFields(params)
    assertInArchive(fields)
    return readInterest(kind, { params: fields, around: [], isUpdate: false })
  } catch (error) {
    if (error instanceof StreamFault) throw new AppError('ERR_VALIDATION', error.message)
    throw error
  }
}

/** The last complete hours in the archive, newest first. */
async function lastHours({ archive, sourceKind }: TrialParts, count: number): Promise<readonly Manifest[]> {
  const newest = await archive?.findNewest(sourceKind)
  if (!archive || !newest) throw new AppError('HISTORY_UNAVAILABLE', 'No hour is archived yet.')
  const to = hourStart(newest.hour)! + HOUR_MS
  const listed = await archive.list(sourceKind, to - LOOKED_AT * HOUR_MS, to)
  const complete = listed.filter((one) => one.complete)
  if (complete.length === 0) throw new AppError('HISTORY_UNAVAILABLE', 'No complete hour is archived yet.')
  return complete.slice(-count).reverse()
}

async function tryHours(
  { archiver, sourceKind: source, elapsed, log }: TrialParts,
  manifests: readonly Manifest[],
  filter: Readonly<{ kind: TryFilterBody['kind']; params: Record<string, unknown> }>,
): Promise<readonly Tried[]> {
  const began = elapsed()
  const done: Tried[] = []
  for (const { hour } of manifests) {
    const left = (done.length > 0 ? ENOUGH_MS : MOST_MS) - (elapsed() - began)
    if (left <= 0) break
    try {
      const answer = TryAnswer.parse(
        await archiver.request(ARCHIVE_ASKS.try, { source, hour, ...filter }, left),
      )
      if (answer.outcome === 'tried') done.push({ hour, ...answer })
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      log.warn('A filter could not be tried in time.', { hour, reason: error.reason })
      break
    }
  }
  if (done.length === 0) throw new AppError('ERR_UNAVAILABLE', 'The archive is away; try again in a minute.')
  return done
}

/** @param tried at least one hour, newest first */
function describe(interest: Interest, tried: readonly Tried[]): FilterTrial {
  const sum = (of: (hour: Tried) => number) => tried.reduce((all, hour) => all + of(hour), 0)
  const matched = sum((hour) => hour.matched)
  const perMonth = Math.round((matched / tried.length) * LOOKED_AT)
  const [busiest] = tried
    .flatMap(({ busiestMinute }) => busiestMinute ?? [])
    .sort((one, other) => other.matched - one.matched)
  const plans = PLANS.map((plan) => {
    const reason = reasonAgainst(interest, plan)
    const cap = interest.kind === 'swap' ? plan.swapEventsPerPeriod : null
    return { id: plan.id, name: plan.name, allowed: reason === null, reason, share: cap && perMonth / cap }
  })
  return {
    from: timeText(hourStart(tried.at(-1)!.hour)!),
    to: timeText(hourStart(tried[0]!.hour)! + HOUR_MS),
    ...{ matched, total: sum((hour) => hour.total), perMonth, plans },
    byHour: tried.map((hour) => ({ hour: hour.hour, matched: hour.matched, total: hour.total })),
    busiestMinute: busiest ? { at: timeText(busiest.at * 1_000), matched: busiest.matched } : null,
    sample: tried
      .flatMap(({ sample }) => sample)
      .slice(0, SHOWN)
      .map(({ cursor, params }) => {
        return { subscription_id: 1, method: NOTIFICATION_METHODS[interest.kind], params, cursor }
      }),
    cheapest: plans.find(({ allowed, share }) => allowed && (share === null || share <= 1))?.id ?? null,
  }
}

/** The sentence with which the stream would refuse the filter on a plan. */
function reasonAgainst(interest: Interest, plan: (typeof PLANS)[number]): string | null {
  try {
    assertPlanAllows(interest, plan)
    return null
  } catch (error) {
    if (error instanceof StreamFault) return error.message
    throw error
  }
}
