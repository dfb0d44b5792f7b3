import type { Archive } from '@pairwire/archive'
import { BoundedMap } from '@pairwire/basics'
import {
  AppError,
  HISTORY_OFFERS,
  type HistoryAnswer,
  type HistoryOffer,
  HOUR_MS,
  HOUR_PENDING_MS,
  hourName,
  type Manifest,
  type SourceKind,
  timeText,
} from '@pairwire/contract'
import type { ApiParts } from '../parts.ts'
import { reach } from './reach.ts'
import { sizesOf } from './sizes.ts'

/** The hours of the archive up to an hour, and the offers that can be ordered. */
export type Shop = Readonly<{
  /**
   * @param to Unix milliseconds, a whole hour; the newest by default
   * @throws AppError ERR_VALIDATION for a future hour, ERR_UNAVAILABLE while the archive is away
   */
  read(to?: number): Promise<HistoryAnswer>
  /** Why nothing is sold here at all; undefined if history is sold. */
  closed: string | undefined
}>

/** Hours that are shown. */
const SHOWN_HOURS = 720

/** Milliseconds for which an answer is cached. */
const CACHED_MS = 30_000

/** Cached answers: a stranger may ask for any hour. */
const CACHED_ANSWERS = 50

/** Hours that a reason names. */
const NAMED_HOURS = 3

/** Hours of a window for each one that may be incomplete. */
const HOURS_PER_INCOMPLETE = 100

const NOT_OPEN = 'Ordering is not open yet.'

/** Reads the shop of the running source. `isSold`: somebody takes the payments. */
export function createShop({
  archive,
  sourceKind: source,
  hasPlaces,
  simulated,
  isSold,
  clock,
  elapsed,
}: Pick<ApiParts, 'archive' | 'sourceKind' | 'hasPlaces' | 'simulated' | 'clock' | 'elapsed'> & {
  isSold: boolean
}): Shop {
  const cached = new BoundedMap<number | undefined, { at: number; answer: Promise<HistoryAnswer> }>(
    CACHED_ANSWERS,
  )
  const closed = hasPlaces ? (archive && isSold ? undefined : NOT_OPEN) : NO_PLACES
  const kept = hasPlaces ? archive : undefined

  const compose = async (wanted: number | undefined): Promise<HistoryAnswer> => {
    const now = clock()
    const to = wanted ?? (await newestEnd(kept, source, now))
    if (to > now) throw new AppError('ERR_VALIDATION', 'This hour lies in the future.')
    const from = to - SHOWN_HOURS * HOUR_MS
    if (from < 0) throw new AppError('ERR_VALIDATION', 'This hour lies too far in the past.')
    const [manifests, sample] = kept
      ? await Promise.all([kept.list(source, from, to), kept.findSample(source)])
      : [[], undefined]
    const byName = new Map(manifests.map((manifest) => [manifest.hour, manifest]))
    const hours = Array.from({ length: SHOWN_HOURS }, (_, index) => {
      const start = from + index * HOUR_MS
      return toHour(start, byName.get(hourName(start)), now)
    })
    const offers = HISTORY_OFFERS.map((offer) => toOffer(offer, hours, to, closed))
    const reason = closed ?? (manifests.length > 0 ? null : offers[0]!.reason)
    return {
      ...{ source, simulated, reason, sample: sample?.hour ?? null, to: timeText(to) },
      hours: hours.map(({ manifest: _manifest, ...hour }) => hour),
      offers,
    }
  }

  return {
    closed,
    read(to) {
      const found = cached.get(to)
      if (found && elapsed() - found.at < CACHED_MS) return found.answer
      const answer = reach(compose(to))
      cached.set(to, { at: elapsed(), answer })
      answer.catch(() => cached.delete(to))
      return answer
    },
  }
}

const NO_PLACES =
  'This service reads program logs, which give events no position in the chain, so no history is kept.'

type Hour = HistoryAnswer['hours'][number] & { manifest: Manifest | undefined }

/** The end of the last whole hour; for a recording, of its newest hour. */
async function newestEnd(archive: Archive | undefined, source: SourceKind, now: number): Promise<number> {
  const newest = source === 'recording' ? await archive?.findNewest(source) : undefined
  return newest ? Date.parse(newest.from) + HOUR_MS : now - (now % HOUR_MS)
}

function toHour(start: number, manifest: Manifest | undefined, now: number): Hour {
  const { swaps, pairs, zipBytes: size } = sizesOf(manifest ? [manifest] : [])
  const isExpected = start + HOUR_MS + HOUR_PENDING_MS > now
  const absent = isExpected ? ('pending' as const) : ('missing' as const)
  const state = manifest ? (manifest.complete ? ('complete' as const) : ('incomplete' as const)) : absent
  return { hour: hourName(start), state, swaps, pairs, size, manifest }
}

function toOffer(
  { id, usd, hours: length }: HistoryOffer,
  hours: readonly Hour[],
  to: number,
  closed: string | undefined,
) {
  const window = hours.slice(-length)
  const named = (state: Hour['state']) =>
    window.filter((hour) => hour.state === state).map(({ hour }) => hour)
  const incomplete = named('incomplete')
  const reason = closed ?? reasonOf(window, named('missing'), incomplete)
  return {
    ...{ id, usd, from: timeText(to - length * HOUR_MS), to: timeText(to) },
    ...{ available: reason === null, reason, incomplete },
    ...sizesOf(window.flatMap(({ manifest }) => manifest ?? [])),
  }
}

/** Why a window cannot be ordered, by its hours; null if it can. */
function reasonOf(window: readonly Hour[], missing: string[], incomplete: string[]): string | null {
  if (missing.length > 0) return `The archive does not have ${list(missing)}.`
  if (incomplete.length > Math.floor(window.length / HOURS_PER_INCOMPLETE)) {
    return `The archive has gaps in ${list(incomplete)}.`
  }
  const [first] = window
  if (!first?.manifest) return `The first hour, ${first?.hour}, is not written yet.`
  return first.swaps + first.pairs > 0 ? null : `The first hour, ${first.hour}, holds no event.`
}

function list(hours: readonly string[]): string {
  const more = hours.length - NAMED_HOURS
  return `${hours.slice(0, NAMED_HOURS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
