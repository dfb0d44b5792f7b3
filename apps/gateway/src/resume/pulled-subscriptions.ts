import type { Clock } from '@pairwire/basics'
import type { GapParams, StreamKind } from '@pairwire/contract'
import { wantsEvent } from '@pairwire/filter'
import type { FrameHeads } from '../codecs/codec.ts'
import { countEvent, draw, giveBack, type HubClient, nothingSent } from '../fanout/hub-member.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { gapNotice } from '../protocol/answers.ts'
import { Frames } from '../protocol/frames.ts'
import { OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'
import type { ReplayPage } from './replay-pages.ts'

/** A client that pulled events are written to. */
export type PullingClient = HubClient & Readonly<{ outbox: Pick<Outbox, 'write' | 'whenDrained'> }>

/** What pulling needs. */
type PullingContext = Readonly<{
  clock: Clock
  limits: Pick<GatewayLimits, 'replaySliceBytes' | 'replaySliceEvents'>
  /** Whether its frames are marked as replayed: then they are neither counted nor charged to a cap. */
  isPlayback: boolean
  /** Called when the last subscription has gone. */
  onEmpty(): void
}>

/** `after`: the cursor after which it wants events. */
type Pulled = { subscription: Subscription; readonly after: string }

/** The cost of one look at an event, in bytes written. */
const LOOK_BYTES = 64

/** Sorts after every cursor. */
const LAST = '~'

/** Subscriptions of one client that are sent past events, together and in chain order, a slice at a time. */
export class PulledSubscriptions {
  readonly #client: PullingClient
  readonly #context: PullingContext
  readonly #byKind = new Map<StreamKind, Pulled>()
  #place = LAST

  constructor(client: PullingClient, context: PullingContext) {
    this.#client = client
    this.#context = context
  }

  /** Every event up to here was sent to the subscriptions that want it; sorts last while there are none. */
  get place(): string {
    return this.#place
  }

  get isEmpty(): boolean {
    return this.#byKind.size === 0
  }

  get all(): readonly Subscription[] {
    return [...this.#byKind.values()].map(({ subscription }) => subscription)
  }

  add(subscription: Subscription, after: string): void {
    this.#byKind.set(subscription.kind, { subscription, after })
    if (after < this.#place) this.#place = after
  }

  /** Replaces a subscription after an update; false if it is not here. */
  replace(subscription: Subscription): boolean {
    const pulled = this.#byKind.get(subscription.kind)
    if (pulled) pulled.subscription = subscription
    return pulled !== undefined
  }

  /** Removes a subscription, with no further event of the kind; false if it is not here. */
  remove(kind: StreamKind): boolean {
    const had = this.#byKind.delete(kind)
    if (this.isEmpty) this.#context.onEmpty()
    return had
  }

  clear(): void {
    this.#byKind.clear()
  }

  /** The cursor after which the subscription misses nothing; undefined if it is not here. */
  placeOf(kind: StreamKind): string | undefined {
    const pulled = this.#byKind.get(kind)
    return pulled && (pulled.after > this.#place ? pulled.after : this.#place)
  }

  /** Resolves once the client has taken what was written. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#client.outbox.whenDrained(resolve))
  }

  /** Writes the wanted events, up to a slice; returns how many were processed, and the cost in bytes. */
  write(items: ReplayPage): Readonly<{ events: number; cost: number }> {
    const { replaySliceBytes, replaySliceEvents } = this.#context.limits
    const slice = new Slice(this.#client, this.#byKind, this.#context)
    let events = 0
    for (const item of items) {
      if (slice.bytes >= replaySliceBytes || events >= replaySliceEvents) break
      events++
      if (item instanceof OutgoingEvent) slice.takeEvent(item)
      else if (item.cursor > this.#place) slice.takeGap(item.cursor, item.params)
    }
    const cost = slice.bytes + events * LOOK_BYTES
    if (!slice.write()) return { events: 0, cost }
    this.#place = items[events - 1]?.cursor ?? this.#place
    return { events, cost }
  }

  /** Reports a gap before `place`, and continues there. */
  skipTo(place: string, params: GapParams): void {
    const slice = new Slice(this.#client, this.#byKind, this.#context)
    slice.takeGap(place, params)
    if (slice.write()) this.#place = place
  }
}

/** One write: the frames that the subscriptions want, in order. */
class Slice {
  readonly #client: PullingClient
  readonly #pulled: ReadonlyMap<StreamKind, Pulled>
  readonly #isPlayback: boolean
  readonly #sentAt: number
  readonly #heads: FrameHeads
  readonly #parts: Buffer[] = []
  readonly #counts = nothingSent()
  #events: OutgoingEvent[] = []
  bytes = 0

  constructor(client: PullingClient, pulled: ReadonlyMap<StreamKind, Pulled>, context: PullingContext) {
    this.#client = client
    this.#pulled = pulled
    this.#isPlayback = context.isPlayback
    this.#sentAt = context.clock.now()
    this.#heads = client.codec.heads([...pulled.values()].map(({ subscription }) => subscription))
  }

  takeEvent(outgoing: OutgoingEvent): void {
    const { event } = outgoing
    const pulled = this.#pulled.get(event.kind)
    if (!pulled || event.cursor <= pulled.after) return
    const { interest } = pulled.subscription
    if (!wantsEvent(interest, event)) return
    if (!this.#isPlayback && !draw(this.#client, pulled.subscription)) return
    const taken = outgoing.shown(interest, this.#sentAt)
    this.#events.push(taken)
    if (!this.#isPlayback) countEvent(this.#counts, event)
    this.bytes += taken.behindId.length
  }

  takeGap(cursor: string, params: GapParams): void {
    this.#join()
    for (const { subscription, after } of this.#pulled.values()) {
      if (cursor <= after || subscription.isOver) continue
      const frame = this.#client.codec.notice(gapNotice(subscription.id, params, this.#isPlayback), cursor)
      this.#parts.push(frame)
      this.bytes += frame.length
    }
  }

  /** Writes the slice; false if the client takes nothing more because it is closing. */
  write(): boolean {
    this.#join()
    if (this.#parts.length === 0) return true
    const frames = new Frames(Buffer.concat(this.#parts))
    this.#counts.bytes = frames.bytes.length
    if (this.#client.outbox.write(frames)) {
      this.#client.sent(this.#counts)
      return true
    }
    giveBack(this.#client, this.#counts)
    this.#client.overflowed()
    return false
  }

  #join(): void {
    if (this.#events.length > 0) this.#parts.push(this.#heads.frame(this.#events))
    this.#events = []
  }
}
