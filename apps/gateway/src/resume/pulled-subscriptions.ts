import type { Clock } from '@pairwire/basics'
import type { GapParams, StreamKind } from '@pairwire/contract'
import { wantsEvent } from '@pairwire/filter'
import { countEvent, type HubClient, nothingSent } from '../fanout/hub-member.ts'
import { type FrameHeads, frameEvents, frameHeads, OutgoingEvent } from '../fanout/outgoing-event.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { gapNotice } from '../protocol/answers.ts'
import { Frames, frameText } from '../protocol/frames.ts'
import type { Subscription } from '../protocol/subscription.ts'
import type { ReplayPage } from './replay-pages.ts'

/** A client that takes what is pulled for it. */
export type PullingClient = HubClient & Readonly<{ outbox: Pick<Outbox, 'write' | 'whenDrained'> }>

/** What pulling goes by. */
type PullingContext = Readonly<{
  clock: Clock
  limits: Pick<GatewayLimits, 'replaySliceBytes' | 'replaySliceEvents'>
  /** Whether its frames say that they are played again: then they are neither counted nor held against a cap. */
  isPlayback: boolean
  /** The last subscription has gone. */
  onEmpty(): void
}>

/** `after`: the cursor after which it wants events. */
type Pulled = { subscription: Subscription; readonly after: string }

/** What one look at an event counts as, in bytes written. */
const LOOK_BYTES = 64

/** After every cursor. */
const LAST = '~'

/** Subscriptions of one client that are given events of the past, together and in chain order, a slice at a time. */
export class PulledSubscriptions {
  readonly #client: PullingClient
  readonly #context: PullingContext
  readonly #byKind = new Map<StreamKind, Pulled>()
  #place = LAST

  constructor(client: PullingClient, context: PullingContext) {
    this.#client = client
    this.#context = context
  }

  /** All events up to here were given to the subscriptions that want them; after every cursor while there is none. */
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

  /** Puts changed params in place; false when it does not have the subscription. */
  replace(subscription: Subscription): boolean {
    const pulled = this.#byKind.get(subscription.kind)
    if (pulled) pulled.subscription = subscription
    return pulled !== undefined
  }

  /** Not one event of the kind follows; false when it does not have it. */
  remove(kind: StreamKind): boolean {
    const had = this.#byKind.delete(kind)
    if (this.isEmpty) this.#context.onEmpty()
    return had
  }

  clear(): void {
    this.#byKind.clear()
  }

  /** The cursor from which the subscription misses nothing; undefined when it is not here. */
  placeOf(kind: StreamKind): string | undefined {
    const pulled = this.#byKind.get(kind)
    return pulled && (pulled.after > this.#place ? pulled.after : this.#place)
  }

  /** Resolves once the client has taken what it was given. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#client.outbox.whenDrained(resolve))
  }

  /** Writes what is wanted of these, as far as a slice goes: how many are given out by now, and the cost in bytes. */
  write(items: ReplayPage): Readonly<{ events: number; cost: number }> {
    const { replaySliceBytes, replaySliceEvents } = this.#context.limits
    const slice = new Slice(this.#client, this.#byKind, this.#context)
    let events = 0
    for (const item of items) {
      if (slice.bytes >= replaySliceBytes || events >= replaySliceEvents) break
      events++
      if (item instanceof OutgoingEvent) slice.takeEvent(item)
      else slice.takeGap(item.cursor, item.params)
    }
    const cost = slice.bytes + events * LOOK_BYTES
    if (!slice.write()) return { events: 0, cost }
    this.#place = items[events - 1]?.cursor ?? this.#place
    return { events, cost }
  }

  /** Says that what comes before the place is lost, and goes on there. */
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
  #metered = 0
  bytes = 0

  constructor(client: PullingClient, pulled: ReadonlyMap<StreamKind, Pulled>, context: PullingContext) {
    this.#client = client
    this.#pulled = pulled
    this.#isPlayback = context.isPlayback
    this.#sentAt = context.clock.now()
    this.#heads = frameHeads([...pulled.values()].map(({ subscription }) => subscription))
  }

  takeEvent(outgoing: OutgoingEvent): void {
    const { event } = outgoing
    const pulled = this.#pulled.get(event.kind)
    if (!pulled || event.cursor <= pulled.after) return
    const { interest } = pulled.subscription
    if (!wantsEvent(interest, event) || !this.#takeMetered(event.kind)) return

    const taken = interest.timestamps ? outgoing.timed(this.#sentAt) : outgoing
    this.#events.push(taken)
    if (!this.#isPlayback) countEvent(this.#counts, event)
    this.bytes += taken.behindId.length
  }

  takeGap(cursor: string, params: GapParams): void {
    this.#join()
    for (const { subscription, after } of this.#pulled.values()) {
      if (cursor <= after) continue
      const frame = frameText(gapNotice(subscription.id, params, this.#isPlayback))
      this.#parts.push(frame)
      this.bytes += frame.length
    }
  }

  /** False when the client takes nothing more: it is on its way out. */
  write(): boolean {
    this.#join()
    if (this.#parts.length === 0) return true
    const frames = new Frames(Buffer.concat(this.#parts))
    this.#counts.bytes = frames.bytes.length
    if (this.#client.outbox.write(frames)) {
      this.#client.sent(this.#counts)
      return true
    }
    if (this.#metered > 0) this.#client.swapMeter()?.giveBack(this.#metered)
    this.#client.overflowed()
    return false
  }

  #takeMetered(kind: StreamKind): boolean {
    const meter = kind === 'swap' && !this.#isPlayback ? this.#client.swapMeter() : undefined
    if (!meter) return true
    if (!meter.take()) return false
    this.#metered++
    return true
  }

  #join(): void {
    if (this.#events.length > 0) this.#parts.push(frameEvents(this.#events, this.#heads))
    this.#events = []
  }
}
