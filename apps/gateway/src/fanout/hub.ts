import type { Clock } from '@pairwire/basics'
import { type PairUpdateMessage, type StreamEvent, type StreamKind, slotOf } from '@pairwire/contract'
import type { GatewayLimits } from '../limits.ts'
import { Frames } from '../protocol/frames.ts'
import { type Outgoing, OutgoingEvent, outgoingOf } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'
import { Audience } from './audience.ts'
import type { TakenBack } from './early-ledger.ts'
import { type HubClient, KINDS, type Member, nothingSent } from './hub-member.ts'
import type { JoinedFrames } from './joined-frames.ts'
import { gapNotices, type Notices, takenBackNotices, updateNotices } from './notices.ts'
import { RecentEvents } from './recent-events.ts'
import { SentRecord } from './sent-record.ts'
import { createWindow, Scheduler, type Window } from './window.ts'

/** An item in a window. */
type Item = Outgoing | TakenBack | PairUpdateMessage

/** What a hub needs. */
export type HubParts = Readonly<{
  clock: Clock
  limits: Pick<GatewayLimits, 'windowMs' | 'restOwedMs' | 'windowMaxEvents' | 'turnMs' | 'recentEvents'>
  /** Whether its events may be taken back. */
  isEarly?: boolean
  /** Shared with other hubs; by default its own. */
  scheduler?: Scheduler
  /** Shared with other hubs; by default its own. */
  joined?: JoinedFrames
  /** The number of hubs with clients among which these are shared; by default only this one. */
  shards?(): number
}>

/**
 * How many times as long as sending a window took the next one waits: either sending takes a tenth of the time, or
 * windows are long. Clients of early events pay for a third of it.
 */
const REST_FACTOR = { confirmed: 10, processed: 2 }

/**
 * Decides which client gets which event, and when:
 *
 *     publish -> window -> audience -> one write for each client
 *                       -> recent events, where replays join
 */
export class Hub {
  readonly #clock: Clock
  readonly #isEarly: boolean
  readonly #members = new Map<HubClient, Member>()
  readonly #audience: Audience
  readonly #recent: RecentEvents
  readonly #pending = new PendingUpdates()
  readonly #window: Window<Item>
  #newest: string | undefined
  #isClosed = false

  constructor(parts: HubParts) {
    const { clock, limits, isEarly = false, shards = () => 1 } = parts
    const factor = REST_FACTOR[isEarly ? 'processed' : 'confirmed']
    this.#clock = clock
    this.#isEarly = isEarly
    this.#audience = new Audience(parts.joined)
    this.#recent = new RecentEvents(limits.recentEvents)
    this.#window = createWindow({
      ...{ clock, limits },
      scheduler: parts.scheduler ?? new Scheduler(clock, limits.turnMs),
      restFactor: () => factor * Math.max(1, shards()),
      send: (items) => this.#send(items),
    })
  }

  /** Whether there are no subscriptions here. */
  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** Adds events in chain order, or early events and withdrawals in order of arrival; they leave with this window. */
  publish(events: readonly (StreamEvent | Outgoing | TakenBack)[]): void {
    if (this.#isClosed) return
    const now = this.#clock.now()
    const items = events.map((event) => (event.kind === 'takenBack' ? event : outgoingOf(event, now)))
    for (const item of items) if (item.kind !== 'takenBack') this.#newest = item.cursor
    const due = this.#newest === undefined ? [] : this.#pending.upTo(this.#newest)
    if (this.isEmpty && this.#window.isIdle()) {
      for (const item of items) if (item.kind !== 'takenBack') this.#recent.push(item)
    } else this.#window.add([...items, ...due])
  }

  /** Sends the details of a new pair's token once known: after its event, to members that want such pairs. */
  tell(update: PairUpdateMessage): void {
    if (this.#isClosed) return
    if (this.#newest !== undefined && update.cursor <= this.#newest) this.#window.add([update])
    // Early events have no order to compare by.
    else if (!this.#isEarly) this.#pending.add(update)
  }

  /** Runs `change` between two windows: at once when nothing is waiting. */
  atEdge(change: () => void): void {
    this.#window.atEdge(change)
  }

  /** Delays changes until `work`, which writes to clients itself, is done. */
  hold(work: () => void): void {
    this.#window.hold(work)
  }

  /** Whether an event before this cursor has not been sent to everyone yet. */
  owes(cursor: string): boolean {
    return this.#window.holds((item) => 'cursor' in item && item.cursor < cursor)
  }

  /** Sends everything that is waiting. */
  flush(): void {
    this.#window.flush()
  }

  /** Adds, replaces (same kind) or, with undefined, removes a subscription. Call it only at the edge. */
  put(client: HubClient, kind: StreamKind, subscription: Subscription | undefined): void {
    // A client that joins or leaves during a window gets all of it or nothing.
    this.#window.finish()
    const before = this.#members.get(client)
    if (!subscription && !before?.held.has(kind)) return
    const held = new Map(before?.held)
    const record = before?.record ?? (this.#isEarly ? new SentRecord() : undefined)
    if (subscription) held.set(kind, subscription)
    else {
      held.delete(kind)
      record?.forget(kind)
    }
    if (before) this.#audience.leave(before)
    if (held.size === 0) {
      this.#members.delete(client)
      return
    }
    const member = { client, held, heads: client.codec.heads(held.values()), record }
    this.#members.set(client, member)
    this.#audience.enter(member)
  }

  /** Regroups the client after its meter came or went. */
  refresh(client: HubClient): void {
    this.#window.finish()
    const member = this.#members.get(client)
    if (!member) return
    this.#audience.leave(member)
    this.#audience.enter(member)
  }

  /** Removes a client with all its subscriptions. */
  leave(client: HubClient): void {
    for (const kind of KINDS) this.put(client, kind, undefined)
  }

  /** Cursor of the last event sent; undefined before the first. */
  position(): string | undefined {
    this.#window.finish()
    return this.#recent.newest
  }

  /** The same, if a client can resume from it: also undefined while events come in order of arrival. */
  place(): string | undefined {
    this.#window.finish()
    return this.#recent.isPlaced ? this.#recent.newest : undefined
  }

  /** Cursor of the last event published. */
  newest(): string | undefined {
    return this.#newest
  }

  /** Returns the events sent after a cursor, as {@link RecentEvents} does. */
  since(cursor: string, isNewest: boolean): readonly Outgoing[] | undefined {
    return this.#recent.after(cursor, isNewest)
  }

  /** Sends what is waiting and takes nothing more. */
  close(): void {
    this.#window.flush()
    this.#isClosed = true
  }

  *#send(items: readonly Item[]): Generator<void> {
    let events: OutgoingEvent[] = []
    const updates: PairUpdateMessage[] = []
    for (const item of items) {
      if (item instanceof OutgoingEvent) events.push(item)
      else if ('update' in item) updates.push(item)
      else {
        yield* this.#sendEvents(events)
        events = []
        if (item.kind === 'takenBack') yield* this.#notify(takenBackNotices(item))
        else {
          yield* this.#notify(gapNotices(item.params), this.#recent.isPlaced ? item.cursor : undefined)
          this.#recent.push(item)
        }
      }
    }
    yield* this.#sendEvents(events)
    if (updates.length > 0) yield* this.#notify(updateNotices(updates))
  }

  *#sendEvents(events: readonly OutgoingEvent[]): Generator<void> {
    if (events.length === 0) return
    yield* this.#audience.send(events, this.#clock.now())
    for (const event of events) this.#recent.push(event)
    // Nothing of a block is taken back after its end.
    const end = this.#isEarly && events.findLast(({ kind }) => kind === 'latestBlock')
    if (end) for (const { record } of this.#members.values()) record?.settle(slotOf(end.cursor))
  }

  *#notify(noticesFor: Notices, cursor?: string): Generator<void> {
    for (const member of [...this.#members.values()]) {
      const notices = noticesFor(member)
      if (notices.length === 0) continue
      yield
      const { codec } = member.client
      const frames = new Frames(Buffer.concat(notices.map((notice) => codec.notice(notice, cursor))))
      if (member.client.outbox.write(frames))
        member.client.sent({ ...nothingSent(), bytes: frames.bytes.length })
      else member.client.overflowed()
    }
  }
}

/** Updates waiting for their pair's event, which may come another way; the oldest are dropped first. */
const MAX_PENDING = 1_000

/** Updates that arrived before the events of their pairs. */
class PendingUpdates {
  #waiting: PairUpdateMessage[] = []

  add(message: PairUpdateMessage): void {
    this.#waiting.push(message)
    if (this.#waiting.length > MAX_PENDING) this.#waiting.shift()
  }

  /** Removes and returns those whose pairs are at or before `newest`. */
  upTo(newest: string): readonly PairUpdateMessage[] {
    if (this.#waiting.length === 0) return this.#waiting
    const due = this.#waiting.filter(({ cursor }) => cursor <= newest)
    if (due.length > 0) this.#waiting = this.#waiting.filter(({ cursor }) => cursor > newest)
    return due
  }
}
