import { setTimeout as wait } from 'node:timers/promises'
import { DeliverPolicy } from '@nats-io/jetstream'
import type { Log } from '@pairwire/basics'
import { formatCursor, LAST_PLACE, parseCursor, type StreamEvent } from '@pairwire/contract'
import { createEventRing, type EventRing, eventsAfter } from '../event-ring.ts'
import { gapBetween } from '../gap-between.ts'
import { callAll, register } from '../listeners.ts'
import { followStream } from './follow-stream.ts'
import type { LiveSlots } from './live-slots.ts'
import type { NatsLink } from './nats-link.ts'
import { createSlotAssembly, readHead, readSlot, type SlotHead } from './slot-message.ts'
import type { SlotPages } from './slot-pages.ts'
import type { SlotStream, Tip } from './slot-stream.ts'

/** What {@link createReader} needs. */
type ReaderOptions = Readonly<{
  link: Pick<NatsLink, 'connection' | 'jsm' | 'whenUp' | 'onChange' | 'newInbox'>
  stream: SlotStream
  live: Pick<LiveSlots, 'listen'>
  pages: SlotPages
  /** About the heap for the newest events. */
  maxBytes: number
  log: Pick<Log, 'warn'>
}>

/** Milliseconds before a failure is retried. */
const RETRY_MS = 250

/** Follows the stream for this process from the first subscription on, and keeps its newest events in memory. */
export function createReader({ link, stream, live, pages, maxBytes, log }: ReaderOptions) {
  const listeners = new Set<(events: readonly StreamEvent[]) => void>()
  const abort = new AbortController()
  const reaches = new Set<{ sequence: number; resolve: () => void }>()
  let ring = createEventRing({ maxBytes })
  /** Sequence of the last message taken. */
  let sequence = 0
  let starting: Promise<void> | undefined
  let leaveLive = () => {}
  /** Epoch and source of the last slot taken. */
  let known: Pick<Tip, 'epoch' | 'source'> | undefined

  const moveTo = (reached: number) => {
    sequence = reached
    for (const reach of [...reaches]) {
      if (reach.sequence > reached) continue
      reaches.delete(reach)
      reach.resolve()
    }
  }

  const hand = (events: readonly StreamEvent[]) => {
    if (events.length === 0) return
    ring.push(events)
    try {
      callAll(listeners, events)
    } catch (error) {
      log.warn('A listener of the bus failed on a slot.', { error: String(error) })
    }
  }

  /** Whether the previous state is void because cursors start over. */
  const hasRestarted = ({ epoch, source, last }: Pick<Tip, 'epoch' | 'source' | 'last'>): boolean => {
    const newest = ring.newestCursor()
    if (newest === undefined || known === undefined || epoch === known.epoch) return false
    return source !== known.source || last <= newest
  }

  /** Whether it has this slot already; a gap may have the cursor of the slot before it. */
  const isTaken = ({ before, last }: SlotHead): boolean => {
    const newest = ring.newestCursor()
    return newest !== undefined && (last < newest || (last === newest && before !== newest))
  }

  /** Takes a whole slot; what is missing before it becomes a gap. */
  const take = async (head: SlotHead, body: Uint8Array) => {
    if (hasRestarted(head)) ring = createEventRing({ maxBytes })
    known = head
    if (isTaken(head)) return
    const events = await readSlot(body)
    // It may have arrived live in the meantime.
    if (isTaken(head)) return
    const newest = ring.newestCursor()
    if (!events) {
      log.warn('Events from NATS cannot be read; clients get a gap in their place.', { last: head.last })
      if (newest !== undefined) hand([gapBetween(newest, head.last)])
      return
    }
    const before = head.before || placeBefore(events[0]!.cursor)
    const missing = newest !== undefined && before > newest ? [gapBetween(newest, before)] : []
    const isAtSamePlace = head.before === head.last
    hand([...missing, ...(newest === undefined || isAtSamePlace ? events : eventsAfter(events, newest))])
  }

  /** Takes a live piece of a slot that the stream is still taking, if it follows what is known. */
  const takeLive = (head: SlotHead, events: readonly StreamEvent[]) => {
    if (head.epoch === known?.epoch && head.before === ring.newestCursor()) hand(events)
  }

  /** Returns where to continue: after what is known, or at the first message since there was nothing. */
  const place = async (): Promise<number> => {
    const newest = ring.newestCursor()
    const isVoid = newest === undefined || hasRestarted(await stream.look())
    return isVoid ? ((await stream.bounds())?.first ?? 1) : pages.sequenceAfter(newest)
  }

  /** Follows the stream from a sequence until something is wrong. */
  const follow = (from: number): Promise<void> => {
    const assembly = createSlotAssembly()
    const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }
    return followStream(link, stream.name, start, abort.signal, async (message, place) => {
      const head = readHead(message.headers)
      const body = head && assembly.add(head, message.data)
      if (body) await take(head, body)
      moveTo(place.sequence)
    })
  }

  const run = async (began: () => void) => {
    let tip: Tip | undefined
    let hasFailed = false
    while (!abort.signal.aborted) {
      try {
        await link.whenUp()
        if (abort.signal.aborted) return
        const isFirst = tip === undefined
        tip ??= await stream.look()
        if (isFirst && tip.last !== '') {
          ring = createEventRing({ maxBytes, lastCursor: tip.last })
          known = tip
        }
        pages.forget()
        const from = await place()
        moveTo(from - 1)
        const following = follow(from)
        began()
        await following
        hasFailed = false
      } catch (error) {
        if (abort.signal.aborted) return
        if (!hasFailed) log.warn('The stream cannot be read from NATS; retrying.', { error: String(error) })
        hasFailed = true
      }
      await wait(RETRY_MS)
    }
  }

  const start = () => {
    starting ??= new Promise((resolve) => {
      queueMicrotask(() => void run(resolve))
      leaveLive = live.listen(takeLive)
    })
  }

  return {
    /** Resolves once it has its position, if it has begun. */
    started: () => starting ?? Promise.resolve(),
    hasStarted: () => starting !== undefined,
    subscribe(listener: (events: readonly StreamEvent[]) => void) {
      start()
      return register(listeners, listener)
    },
    ring: (): EventRing => ring,
    /** Resolves once it has reached this sequence. */
    async reached(wanted: number) {
      if (sequence >= wanted) return
      await new Promise<void>((resolve) => void reaches.add({ sequence: wanted, resolve }))
    },
    close() {
      abort.abort()
      leaveLive()
      listeners.clear()
      for (const { resolve } of reaches) resolve()
    },
  }
}

/** Returns the end of the slot before an event's. */
function placeBefore(cursor: string): string {
  const parts = parseCursor(cursor)
  return parts && parts.slot > 0 ? formatCursor({ ...parts, slot: parts.slot - 1, ...LAST_PLACE }) : cursor
}
