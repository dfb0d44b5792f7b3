import type { Commitment, Plan, StreamKind } from '@pairwire/contract'
import type { Interest, PlaybackWindow } from '@pairwire/filter'
import { assertPlanAllows, invalidParams, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { EarlyHub } from '../fanout/early-hub.ts'
import type { Hub } from '../fanout/hub.ts'
import type { Playback, PlaybackEnd } from '../playback/playback.ts'
import type { Playbacks } from '../playback/playbacks.ts'
import type { Origin, Subscription } from '../protocol/subscription.ts'
import type { PullingClient } from '../resume/pulled-subscriptions.ts'
import type { Replay } from '../resume/replay.ts'
import type { Resuming } from '../resume/resuming.ts'
import type { Seat } from '../seats/seat.ts'

/**
 * A subscription that was ended, and the cursor after which it misses events; undefined if unknown. Events ahead of
 * confirmation have no cursor to resume from.
 */
export type Ended = Readonly<{ id: number; origin: Origin; place: string | undefined }>

/**
 * The streams of a connection: one hub for confirmed subscriptions, one for those ahead of confirmation, and the parts
 * that resume and play back.
 */
export type ConnectionStreams = Readonly<{
  hub: Hub
  early: Pick<EarlyHub, 'hub' | 'note'>
  resuming: Resuming
  playbacks: Playbacks
}>

/** The subscriber: its connection. */
type Subscriber = PullingClient &
  Readonly<{
    /** Called for each subscription whose playback has ended. */
    played(subscription: Subscription, why: PlaybackEnd): void
  }>

/**
 * The subscriptions of one connection. Each is in its hub, in a replay on the way there, or in a playback. Change them
 * only at the edge of a window of confirmed events, and not while the other hub sends.
 */
export class ConnectionSubscriptions {
  readonly #streams: ConnectionStreams
  readonly #client: Subscriber
  readonly #seat: Seat
  readonly #held: Readonly<Record<Origin, Map<StreamKind, Subscription>>> = {
    confirmed: new Map(),
    processed: new Map(),
    playback: new Map(),
  }
  /** Kinds whose subscribe waits for its place in the stream. */
  readonly #opening = new Set<StreamKind>()
  #replay: Replay | undefined
  #playback: Playback | undefined
  #whenReplayed: (() => void)[] = []
  /** Kinds of the last resumes that arrived together. */
  readonly #together = new Set<StreamKind>()
  #isCleared = false
  #nextId = 1

  constructor(streams: ConnectionStreams, client: Subscriber, seat: Seat) {
    this.#streams = streams
    this.#client = client
    this.#seat = seat
  }

  /** Oldest first. */
  get all(): Subscription[] {
    const held = Object.values(this.#held).flatMap((byKind) => [...byKind.values()])
    return held.sort((first, second) => first.id - second.id)
  }

  get count(): number {
    const { confirmed, processed, playback } = this.#held
    return confirmed.size + processed.size + playback.size
  }

  get plan(): Plan {
    return this.#seat.plan
  }

  /** Whether the plan's swap events for the period are used up. */
  get areSwapsUsedUp(): boolean {
    return this.#seat.areSwapsUsedUp()
  }

  find(kind: StreamKind, origin: Origin): Subscription | undefined {
    return this.#held[origin].get(kind)
  }

  /** Whether a subscribe of the kind waits for its place in the stream, or in the archive. */
  isOpening(kind: StreamKind, origin: Origin): boolean {
    if (origin === 'playback') return this.#playback?.isOpening(kind) ?? false
    return origin === 'confirmed' && this.#opening.has(kind)
  }

  /** Whether a playback would be next to a live stream other than the latest block. */
  isMixed(kind: StreamKind, origin: Origin): boolean {
    if (origin !== 'playback') return kind !== 'latestBlock' && this.#playback !== undefined
    const live = [...this.#opening, ...this.#held.confirmed.keys(), ...this.#held.processed.keys()]
    return live.some((other) => other !== 'latestBlock')
  }

  /** Opens a subscription with the next id. */
  subscribe(interest: Interest, origin: Commitment): Subscription {
    return this.#put({ id: this.#nextId++, kind: interest.kind, origin, interest })
  }

  /** Opens a subscription that starts after a cursor. @throws StreamFault when that is not available */
  async resume(interest: Interest, cursor: string): Promise<Subscription> {
    const { kind } = interest
    this.#countResume(kind)
    this.#opening.add(kind)
    try {
      do {
        await this.#untilReplayed()
        await this.#streams.resuming.find(cursor)
      } while (this.#replay && !this.#replay.isGathering)
      // The plan may have changed in the meantime.
      if (this.#isCleared) throw new StreamFault('INTERNAL_ERROR', 'The connection has ended.')
      if (kind === 'swap' && this.areSwapsUsedUp) throw swapsUsedUp(this.plan)
      assertPlanAllows(interest, this.plan)
    } finally {
      this.#opening.delete(kind)
    }

    return this.replayFrom(interest, cursor)
  }

  /** Opens a subscription that starts after a cursor, whose events can be read. */
  replayFrom(interest: Interest, cursor: string): Subscription {
    const { kind } = interest
    const subscription = { id: this.#nextId++, kind, origin: 'confirmed', interest } as const
    this.#held.confirmed.set(kind, subscription)
    const { resuming, hub } = this.#streams
    this.#replay ??= resuming.begin(this.#seat.accountId, this.#client, hub, {
      isMoreToCome: () => this.#opening.size > 0,
      onEnd: () => this.#endReplay(),
    })
    this.#replay.subscriptions.add(subscription, cursor)
    return subscription
  }

  /** Opens a subscription to archive hours, after a cursor if given. @throws StreamFault when unavailable */
  play(interest: Interest, window: PlaybackWindow, cursor: string | undefined): Promise<Subscription> {
    const { kind } = interest
    const playback = this.#playbackOf(window)
    return playback.open(kind, cursor, () => {
      if (this.#isCleared) throw new StreamFault('INTERNAL_ERROR', 'The connection has ended.')
      const subscription = { id: this.#nextId++, kind, origin: 'playback', interest } as const
      this.#held.playback.set(kind, subscription)
      return subscription
    })
  }

  /** Starts the playback that is gathering subscriptions, if any. */
  startPlayback(): void {
    this.#playback?.start()
  }

  replace(subscription: Subscription, interest: Interest): void {
    this.#put({ ...subscription, interest })
  }

  unsubscribe({ kind, origin }: Pick<Subscription, 'kind' | 'origin'>): void {
    this.#held[origin].delete(kind)
    if (origin === 'processed') this.#putEarly(kind, undefined)
    else if (origin === 'playback') this.#playback?.subscriptions.remove(kind)
    else if (!this.#replay?.subscriptions.remove(kind)) this.#streams.hub.put(this.#client, kind, undefined)
  }

  /** Ends all subscriptions; returns them, oldest first. */
  clear(): Ended[] {
    const { all } = this
    const ended: Ended[] = all.map((each) => ({ ...each, place: this.#placeOf(each) }))
    this.#isCleared = true
    for (const subscription of all) this.unsubscribe(subscription)
    return ended
  }

  /** Returns why the plan lets a subscription not continue, if so. */
  faultByPlan({ kind, interest }: Subscription): StreamFault | undefined {
    if (kind === 'swap' && this.areSwapsUsedUp) return swapsUsedUp(this.plan)
    try {
      assertPlanAllows(interest, this.plan)
      return undefined
    } catch (error) {
      if (error instanceof StreamFault) return error
      throw error
    }
  }

  #put(subscription: Subscription): Subscription {
    const { kind, origin } = subscription
    this.#held[origin].set(kind, subscription)
    if (origin === 'processed') this.#putEarly(kind, subscription)
    else if (origin === 'playback') this.#playback?.subscriptions.replace(subscription)
    else if (!this.#replay?.subscriptions.replace(subscription))
      this.#streams.hub.put(this.#client, kind, subscription)
    return subscription
  }

  #putEarly(kind: StreamKind, subscription: Subscription | undefined): void {
    const { early } = this.#streams
    early.note(this.#client, this.#held.processed.size > 0)
    early.hub.put(this.#client, kind, subscription)
  }

  /** The cursor up to which the only subscription was read; undefined if it cannot be resumed. */
  get place(): string | undefined {
    const [only] = this.all
    return only && this.#placeOf(only)
  }

  #placeOf({ kind, origin, isOver }: Subscription): string | undefined {
    if (origin === 'processed' || isOver) return undefined
    // Nothing comes before an empty cursor.
    if (origin === 'playback') return this.#playback?.subscriptions.placeOf(kind) || undefined
    return this.#replay?.subscriptions.placeOf(kind) ?? this.#streams.hub.place()
  }

  /** Returns the playback of the window. @throws StreamFault when another one is running, or there are too many */
  #playbackOf(window: PlaybackWindow): Playback {
    if (this.#playback) {
      const { from, to, speed } = this.#playback.window
      if (from === window.from && to === window.to && speed === window.speed) return this.#playback
      throw invalidParams(
        'This connection plays another replay. Name the same from, to and speed, or unsubscribe from that one first.',
      )
    }
    const { accountId } = this.#seat
    const onEnd = (closed: readonly Subscription[], why: PlaybackEnd) => {
      this.#playback = undefined
      this.#held.playback.clear()
      for (const subscription of closed) this.#client.played(subscription, why)
    }
    this.#playback = this.#streams.playbacks.open(window, { accountId, client: this.#client, onEnd })
    return this.#playback
  }

  /** Resumes that arrive together count as one, each kind once; otherwise each could join the last one for ever. */
  #countResume(kind: StreamKind): void {
    const isTogether = this.#opening.size > 0 || this.#replay?.isGathering
    if (!isTogether || this.#together.has(kind)) {
      this.#streams.resuming.assertMayResume(this.#seat.accountId)
      this.#together.clear()
    }
    this.#together.add(kind)
  }

  /** Waits for a replay that takes no more subscriptions. */
  async #untilReplayed(): Promise<void> {
    if (!this.#replay || this.#replay.isGathering) return
    await new Promise<void>((resolve) => this.#whenReplayed.push(resolve))
  }

  #endReplay(): void {
    this.#replay = undefined
    const waiting = this.#whenReplayed
    this.#whenReplayed = []
    for (const resume of waiting) resume()
  }
}

/** Makes the error for a plan whose swap events of the period are used up. */
export function swapsUsedUp(plan: Plan): StreamFault {
  return new StreamFault('PLAN_USED_UP', STREAM_SENTENCES.PLAN_USED_UP(plan))
}
