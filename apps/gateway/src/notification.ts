import {
  type GapEvent,
  NOTIFICATION_METHODS,
  type NotificationEvent,
  paramsText,
  type StreamEvent,
  type StreamKind,
} from '@pairwire/contract'
import { Frames } from './frames.ts'
import { frameText, payloadAt } from './framing.ts'

/** A client's subscription ids, by kind. */
export type SubscriptionIds = Readonly<Partial<Record<StreamKind, number>>>

/** Where an id of a kind stands in some bytes, and how many digits it has there. */
type Place = Readonly<{ kind: StreamKind; at: number; digits: number }>

/** What stands before the id, and after the frame's header. */
const BEFORE_ID = '{"subscription_id":'

/** Ids below it have their frames kept: nearly all connections have three subscriptions or fewer in their life. */
const KEPT_IDS = 16

/** What goes out in chain order. */
export type Outgoing = OutgoingEvent | GapEvent

/**
 * An event on its way out. Its JSON is made at most once, its frame at most once for each number of digits, on which
 * the frame's length depends; ids are put in.
 */
export class OutgoingEvent {
  readonly event: NotificationEvent
  readonly kind: StreamKind
  /** Unix milliseconds at which it came from the bus: told where it is not known when it came from the chain. */
  readonly #cameAt: number
  /** What stands behind the cursor. */
  readonly #addition: string
  #bare: OutgoingEvent | undefined
  #timed: OutgoingEvent | undefined
  #sentAt = 0
  #blanks: Buffer[] | undefined
  #frames: Frames[] | undefined

  constructor(event: NotificationEvent, cameAt = 0, addition = '') {
    this.event = event
    this.kind = event.kind
    this.#cameAt = cameAt
    this.#addition = addition
  }

  get cursor(): string {
    return this.event.cursor
  }

  /** The event without what was made for sending it: to be kept for long. */
  get bare(): OutgoingEvent {
    this.#bare ??= new OutgoingEvent(this.event, this.#cameAt)
    return this.#bare
  }

  /** The same for a client that asks for times, leaving at `sentAt` (Unix milliseconds). */
  timed(sentAt: number): OutgoingEvent {
    if (!this.#timed || this.#sentAt !== sentAt) {
      const times = `,"receivedAt":${this.event.receivedAt ?? this.#cameAt},"sentAt":${sentAt}`
      this.#timed = new OutgoingEvent(this.event, this.#cameAt, times)
      this.#sentAt = sentAt
    }
    return this.#timed
  }

  /** The frame for a subscription with this id. */
  frame(subscriptionId: number): Frames {
    const kept = this.#frames?.[subscriptionId]
    if (kept) return kept
    const ids = { [this.kind]: subscriptionId }
    if (subscriptionId >= KEPT_IDS) return new Frames(joinFrames([this], ids))
    const frames = new Frames(this.#first(subscriptionId) ?? joinFrames([this], ids))
    this.#frames ??= []
    this.#frames[subscriptionId] = frames
    return frames
  }

  /** The frame for ids of so many digits, with any such id; another is put into a copy. Never to be written to. */
  blank(digits: number): Buffer {
    return this.#blanks?.[digits] ?? this.#make(10 ** (digits - 1), digits)
  }

  /** The frame for this id where it is the first of its length: for most events there is no second. */
  #first(id: number): Buffer | undefined {
    const digits = digitsOf(id)
    return this.#blanks?.[digits] ? undefined : this.#make(id, digits)
  }

  #make(id: number, digits: number): Buffer {
    const blank = frameText(BEFORE_ID + id + this.#textBehindId())
    this.#blanks ??= []
    this.#blanks[digits] = blank
    return blank
  }

  /** Read from a frame of another length, where there is one: to keep the text beside it would take as much again. */
  #textBehindId(): string {
    const digits = this.#blanks?.findIndex((made) => made !== undefined) ?? -1
    if (digits >= 0) return this.blank(digits).toString('utf8', this.idAt(digits) + digits)
    const { kind, cursor, unplaced, commitment } = this.event
    const place = unplaced ? '' : `,"cursor":"${cursor}"`
    const level = commitment ? `,"commitment":"${commitment}"` : ''
    return `,"method":"${NOTIFICATION_METHODS[kind]}"${level},"params":${paramsText(this.event)}${place}${this.#addition}}`
  }

  /** Where the id stands in the frame for ids of so many digits. */
  idAt(digits: number): number {
    return payloadAt(this.blank(digits)) + BEFORE_ID.length
  }
}

/** What goes out for an event of the bus; `now` stands for the time at which it came where that is not known. */
export function outgoingOf(event: StreamEvent, now: number): Outgoing {
  return event.kind === 'gap' ? event : new OutgoingEvent(event, now)
}

/** The frames of these events in one new buffer, each under the client's id for its kind. Notes the ids' places. */
export function joinFrames(events: readonly OutgoingEvent[], ids: SubscriptionIds, places?: Place[]): Buffer {
  let length = 0
  for (const outgoing of events) length += outgoing.blank(digitsOf(ids[outgoing.kind]!)).length

  const joined = Buffer.allocUnsafe(length)
  let start = 0
  for (const outgoing of events) {
    const { kind } = outgoing
    const id = ids[kind]!
    const digits = digitsOf(id)
    const blank = outgoing.blank(digits)
    blank.copy(joined, start)
    const at = start + outgoing.idAt(digits)
    writeId(joined, at, id, digits)
    places?.push({ kind, at, digits })
    start += blank.length
  }
  return joined
}

/**
 * The frames of some events for clients that get the same ones under ids of their own. They are joined once for ids
 * of equal lengths; the ids are put in.
 */
export class JoinedFrames {
  readonly #events: readonly OutgoingEvent[]
  readonly #stamps = new Map<number, Stamp>()
  #shared: { readonly ids: SubscriptionIds; readonly frames: Frames } | undefined

  constructor(events: readonly OutgoingEvent[]) {
    this.#events = events
  }

  /** Whether these are the frames of `events`, another part of the same stream by the same choice. */
  areOf(events: readonly OutgoingEvent[]): boolean {
    return this.#events[0] === events[0] && this.#events.at(-1) === events.at(-1)
  }

  /** Frames for several clients that have the same ids; those that were asked for last are kept. */
  shared(ids: SubscriptionIds): Frames {
    if (!this.#shared || !areEqual(this.#shared.ids, ids)) {
      this.#shared = { ids, frames: new Frames(joinFrames(this.#events, ids), true) }
    }
    return this.#shared.frames
  }

  /** Frames for one client, good until the next call, unless they are held. */
  single(ids: SubscriptionIds): Frames {
    const lengths = lengthsOf(ids)
    let stamp = this.#stamps.get(lengths)
    if (!stamp) {
      stamp = new Stamp(this.#events, ids)
      this.#stamps.set(lengths, stamp)
    }
    return stamp.frames(ids)
  }
}

/**
 * What was joined last for each kind of group: lanes whose windows hold the same events, as with a slot that comes at
 * once, write the same bytes.
 */
export class Joins {
  readonly #last = new Map<string, JoinedFrames>()

  /** The frames of `events`, of which the clients of a group named `key` want each. */
  of(key: string, events: readonly OutgoingEvent[]): JoinedFrames {
    const last = this.#last.get(key)
    if (last?.areOf(events)) return last
    const joined = new JoinedFrames(events)
    this.#last.set(key, joined)
    return joined
  }
}

/** Frames into which one client's ids are put after the other's: the same bytes, as long as no outbox holds them. */
class Stamp {
  readonly #places: Place[] = []
  #frames: Frames

  constructor(events: readonly OutgoingEvent[], ids: SubscriptionIds) {
    this.#frames = new Frames(joinFrames(events, ids, this.#places))
  }

  frames(ids: SubscriptionIds): Frames {
    if (this.#frames.holders > 0) {
      const { bytes } = this.#frames
      const copy = Buffer.allocUnsafe(bytes.length)
      bytes.copy(copy)
      this.#frames = new Frames(copy)
    }
    const { bytes } = this.#frames
    for (const { kind, at, digits } of this.#places) writeId(bytes, at, ids[kind]!, digits)
    return this.#frames
  }
}

function areEqual(left: SubscriptionIds, right: SubscriptionIds): boolean {
  return left.newPair === right.newPair && left.swap === right.swap && left.latestBlock === right.latestBlock
}

/** A number that differs where the lengths of the ids do. */
function lengthsOf({ newPair = 0, swap = 0, latestBlock = 0 }: SubscriptionIds): number {
  return (digitsOf(newPair) * 32 + digitsOf(swap)) * 32 + digitsOf(latestBlock)
}

function digitsOf(id: number): number {
  let digits = 1
  for (let rest = id; rest >= 10; rest = Math.floor(rest / 10)) digits++
  return digits
}

function writeId(bytes: Buffer, at: number, id: number, digits: number): void {
  let rest = id
  for (let place = at + digits - 1; place >= at; place--) {
    bytes[place] = 48 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}
