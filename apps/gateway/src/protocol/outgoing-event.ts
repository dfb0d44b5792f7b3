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
  /** Frames without an id, by who makes them. */
  #framed: Map<(event: OutgoingEvent) => Buffer, Buffer> | undefined

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

  /** Its frame on a wire that writes the same to every client, made once. Never write to it. */
  framed(make: (event: OutgoingEvent) => Buffer): Buffer {
    this.#framed ??= new Map()
    const made = this.#framed.get(make)
    if (made) return made
    const frame = make(this)
    this.#framed.set(make, frame)
    return frame
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
