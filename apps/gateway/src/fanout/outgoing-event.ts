import { BoundedMap } from '@pairwire/basics'
import {
  factsText,
  type GapEvent,
  NOTIFICATION_METHODS,
  type NotificationEvent,
  paramsText,
  type StreamEvent,
  type StreamKind,
} from '@pairwire/contract'
import type { Interest } from '@pairwire/filter'
import { headerBytes, writeHeader } from '../protocol/frames.ts'
import type { Subscription } from '../protocol/subscription.ts'

/** What goes out in chain order. */
export type Outgoing = OutgoingEvent | GapEvent

/** An event on its way out: the part that is equal in the frames of all clients is made at most once. */
export class OutgoingEvent {
  readonly event: NotificationEvent
  readonly kind: StreamKind
  readonly cursor: string
  /** Unix milliseconds of arrival from the bus, sent if the time of arrival from the chain is unknown. */
  readonly #cameAt: number
  /** The text after the cursor. */
  readonly #addition: string
  /** The text after the method. */
  readonly #label: string
  /** With facts, with times, and with both. */
  readonly #variants: (OutgoingEvent | undefined)[] = []
  #sentAt = 0
  #behindId: Buffer | undefined

  constructor(event: NotificationEvent, cameAt = 0, addition = '', label = '') {
    this.event = event
    this.kind = event.kind
    this.cursor = event.cursor
    this.#cameAt = cameAt
    this.#addition = addition
    this.#label = label
  }

  /** Returns the event as a subscription shows it, leaving at `sentAt` (Unix milliseconds). */
  shown({ timestamps, facts }: Pick<Interest, 'timestamps' | 'facts'>, sentAt: number): OutgoingEvent {
    const variant = (facts ? 1 : 0) + (timestamps ? 2 : 0)
    if (variant === 0) return this
    if (timestamps && this.#sentAt !== sentAt) {
      this.#variants.length = 2 // those without times
      this.#sentAt = sentAt
    }
    this.#variants[variant] ??= this.#with(
      facts && this.event.kind !== 'latestBlock' ? `,"facts":${factsText(this.event)}` : '',
      timestamps ? `,"receivedAt":${this.event.receivedAt ?? this.#cameAt},"sentAt":${sentAt}` : '',
    )
    return this.#variants[variant]
  }

  #with(facts: string, times: string): OutgoingEvent {
    return new OutgoingEvent(this.event, this.#cameAt, facts + times, this.#label)
  }

  /** The payload of its frame after the subscription id. Never write to it. */
  get behindId(): Buffer {
    this.#behindId ??= Buffer.from(this.#textBehindId())
    return this.#behindId
  }

  #textBehindId(): string {
    const { kind, cursor, unplaced, commitment } = this.event
    const place = unplaced ? '' : `,"cursor":"${cursor}"`
    const level = commitment ? `,"commitment":"${commitment}"` : this.#label
    return `,"method":"${NOTIFICATION_METHODS[kind]}"${level},"params":${paramsText(this.event)}${place}${this.#addition}}`
  }
}

/** Makes the outgoing event of a bus event; `now` is its time of arrival if unknown. */
export function outgoingOf(event: StreamEvent | Outgoing, now: number): Outgoing {
  return event instanceof OutgoingEvent || event.kind === 'gap' ? event : new OutgoingEvent(event, now)
}

/** The beginnings of a client's frames, by kind, and the subscription ids in them as one text. */
export type FrameHeads = Readonly<{ ids: string; byKind: Readonly<Partial<Record<StreamKind, Buffer>>> }>

/** Makes the heads of a client with these subscriptions. */
export function frameHeads(held: Iterable<Pick<Subscription, 'kind' | 'id'>>): FrameHeads {
  const byKind: Partial<Record<StreamKind, Buffer>> = {}
  for (const { kind, id } of held) byKind[kind] = Buffer.from(`{"subscription_id":${id}`)
  return { ids: [byKind.newPair, byKind.swap, byKind.latestBlock].join(), byKind }
}

/**
 * Returns the frames of these events in one new buffer, for clients with these heads. Only this function puts an id
 * into an event's frame, and no bytes are used for two ids.
 */
export function frameEvents(events: readonly OutgoingEvent[], { byKind }: FrameHeads): Buffer {
  let length = 0
  for (const { kind, behindId } of events) {
    const payloadBytes = byKind[kind]!.length + behindId.length
    length += headerBytes(payloadBytes) + payloadBytes
  }

  const frames = Buffer.allocUnsafe(length)
  let at = 0
  for (const { kind, behindId } of events) {
    const head = byKind[kind]!
    at = writeHeader(frames, at, head.length + behindId.length)
    at += head.copy(frames, at)
    at += behindId.copy(frames, at)
  }
  return frames
}

/** Frames of some events, joined for clients with the same ids. */
type Joined = Readonly<{ events: readonly OutgoingEvent[]; bytes: Buffer }>

/** Sets of ids whose newest frames are kept. */
const MAX_KEPT = 16

/**
 * The most recently joined frames, by the ids in them: shards send the same slot one after the other, and most clients
 * have the same ids.
 */
export class JoinedFrames {
  readonly #kept = new BoundedMap<string, Joined>(MAX_KEPT)

  /** Returns the frames of these events for clients with these heads. Their bytes never change. */
  of(events: readonly OutgoingEvent[], heads: FrameHeads): Buffer {
    const kept = this.#kept.get(heads.ids)
    if (kept && areSame(kept.events, events)) return kept.bytes
    const bytes = frameEvents(events, heads)
    this.#kept.set(heads.ids, { events, bytes })
    return bytes
  }
}

function areSame(some: readonly OutgoingEvent[], others: readonly OutgoingEvent[]): boolean {
  return some.length === others.length && some.every((event, at) => event === others[at])
}
