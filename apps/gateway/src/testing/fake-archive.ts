import type { Bus } from '@pairwire/bus'
import {
  ARCHIVE_ASKS,
  type ArchiveState,
  eventsText,
  formatCursor,
  HOUR_MS,
  hourName,
  LAST_PLACE,
  type NotificationEvent,
  PageAnswer,
  PageAsk,
  type StreamEvent,
} from '@pairwire/contract'
import { firstAfter } from '../fanout/recent-events.ts'
import { aSwap } from './events.ts'

/** An archive in memory that answers like the archiver. */
export type FakeArchive = {
  /** Events by the start of their hour, in Unix milliseconds. */
  hours: Map<number, readonly StreamEvent[]>
  sample: number | undefined
  isAway: boolean
  /** Pages requested. */
  asked: PageAsk[]
}

/** Answers on the bus, `perPage` events a page. */
export function createFakeArchive(bus: Pick<Bus, 'answer'>, perPage = 100): FakeArchive {
  const archive: FakeArchive = { hours: new Map(), sample: undefined, isAway: false, asked: [] }
  const assertHere = () => {
    if (archive.isAway) throw new Error('The archive is away.')
  }
  bus.answer(ARCHIVE_ASKS.state, (): ArchiveState => {
    assertHere()
    const sample = archive.sample === undefined ? null : hourName(archive.sample)
    const none = { trouble: null, completeTo: null, lagSeconds: 0, waitingUploads: 0, failures: 0 }
    return { source: 'chain', up: true, sample, ...none }
  })
  bus.answer(ARCHIVE_ASKS.page, (body): PageAnswer => {
    assertHere()
    const ask = PageAsk.parse(body)
    archive.asked.push(ask)
    const events = [...archive.hours].find(([hour]) => hourName(hour) === ask.hour)?.[1]
    if (!events) return { outcome: 'missing' }
    const begin = ask.after === null ? firstFrom(events, ask.from ?? 0) : firstAfter(events, ask.after)
    const page = events.slice(begin, begin + perPage)
    return PageAnswer.parse({
      ...{ outcome: 'page', events: eventsText(page), isLast: begin + perPage >= events.length },
    })
  })
  return archive
}

function firstFrom(events: readonly StreamEvent[], from: number): number {
  const first = events.findIndex((event) => event.kind !== 'gap' && event.params.blockTime >= from)
  if (first < 0) return events.length
  // Like the archiver: with the gaps since the block before.
  return events.slice(0, first).findLastIndex(({ kind }) => kind !== 'gap') + 1
}

/** Slots are counted in 400 ms. */
const FIRST_SLOT = -4_487_000_000

/** Makes whole blocks from a time on (Unix milliseconds), each with that many swaps and that delay. */
export function blocksFrom(
  begin: number,
  { count, swaps = 3, late = 300 }: { count: number; swaps?: number; late?: number },
): NotificationEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const place = { run: 1, slot: FIRST_SLOT + Math.round(begin / 400) + at }
    const time = begin + at * 400
    const blockTime = Math.floor(time / 1_000)
    const receivedAt = time + late
    const made = Array.from({ length: swaps }, (_, index): NotificationEvent => {
      const { params } = aSwap()
      const cursor = formatCursor({ ...place, transactionIndex: index, eventIndex: 0 })
      const signature = `signature ${place.slot} ${index}`
      return {
        kind: 'swap',
        cursor,
        params: { ...params, slot: place.slot, signature, blockTime },
        receivedAt,
      }
    })
    const params = { block: place.slot, blockTime }
    const end = {
      kind: 'latestBlock',
      cursor: formatCursor({ ...place, ...LAST_PLACE }),
      params,
      receivedAt,
    } as const
    return [...made, end]
  }).flat()
}

/** The start of an hour on a day that tests have hours of. */
export const hourAt = (hour: number): number => Date.UTC(2026, 10, 19) + hour * HOUR_MS
