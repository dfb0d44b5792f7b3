import type { Commitment, Plan, StreamKind } from '@pairwire/contract'
import type { Interest } from '@pairwire/filter'
import { assertPlanAllows, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { EarlyHub } from '../fanout/early-hub.ts'
import type { Hub } from '../fanout/hub.ts'
import type { Subscription } from '../protocol/subscription.ts'
import type { Replay, ReplayClient } from '../resume/replay.ts'
import type { Resuming } from '../resume/resuming.ts'
import type { Seat } from '../seats/seat.ts'

/**
 * A subscription that was ended, and the cursor after which it misses events; undefined where none is known. One of
 * events ahead of confirmation has no place to come back to.
 */
export type Ended = Readonly<{ id: number; canResume: boolean; place: string | undefined }>

/** Where the subscriptions of a connection stand: confirmed ones in one hub, those ahead of confirmation in another. */
export type ConnectionHubs = Readonly<{ hub: Hub; early: Pick<EarlyHub, 'hub' | 'note'> }>

/**
 * The subscriptions of one connection. Each stands in its hub, or in the replay that brings it there. To be changed at
 * the edge of a window of confirmed events only, and not while the other hub sends.
 */
export class ConnectionSubscriptions {
  readonly #hub: Hub
  readonly #earlyHub: ConnectionHubs['early']
  readonly #resuming: Resuming
  readonly #client: ReplayClient
  readonly #seat: Seat
  readonly #byKind = new Map<StreamKind, Subscription>()
  /** Those ahead of confirmation. */
  readonly #early = new Map<StreamKind, Subscription>()
  /** Kinds whose subscribe waits for its place in the stream. */
  readonly #opening = new Set<StreamKind>()
  #replay: Replay | undefined
  #whenReplayed: (() => void)[] = []
  /** Kinds of the resumes that came together last. */
  readonly #together = new Set<StreamKind>()
  #isCleared = false
  #nextId = 1

  constructor({ hub, early }: ConnectionHubs, resuming: Resuming, client: ReplayClient, seat: Seat) {
    this.#hub = hub
    this.#earlyHub = early
    this.#resuming = resuming
    this.#client = client
    this.#seat = seat
  }

  /** Oldest first. */
  get all(): Subscription[] {
    return [...this.#byKind.values(), ...this.#early.values()].sort((first, second) => first.id - second.id)
  }

  get plan(): Plan {
    return this.#seat.plan
  }

  /** Whether the plan's swap events of the period are used up. */
  get areSwapsUsedUp(): boolean {
    return this.#seat.areSwapsUsedUp()
  }

  find(kind: StreamKind, commitment: Commitment): Subscription | undefined {
    return (commitment === 'processed' ? this.#early : this.#byKind).get(kind)
  }

  /** Whether a subscribe of the kind waits for its place in the stream. */
  isOpening(kind: StreamKind): boolean {
    return this.#opening.has(kind)
  }

  /** Opens a subscription under the next id. */
  subscribe(interest: Interest, commitment: Commitment): Subscription {
    return this.#put({ id: this.#nextId++, kind: interest.kind, commitment, interest })
  }

  /** The same for one that begins with what follows a cursor. @throws StreamFault when that cannot be had */
  async resume(interest: Interest, cursor: string): Promise<Subscription> {
    const { kind } = interest
    const { accountId } = this.#seat
    this.#countResume(kind)
    this.#opening.add(kind)
    try {
      do {
        await this.#untilReplayed()
        await this.#resuming.find(cursor)
      } while (this.#replay && !this.#replay.isGathering)
      // The plan may have changed meanwhile.
      if (this.#isCleared) throw new StreamFault('INTERNAL_ERROR', 'The connection has ended.')
      if (kind === 'swap' && this.areSwapsUsedUp) throw swapsUsedUp(this.plan)
      assertPlanAllows(interest, this.plan)
    } finally {
      this.#opening.delete(kind)
    }

    const subscription = { id: this.#nextId++, kind, commitment: 'confirmed', interest } as const
    this.#byKind.set(kind, subscription)
    this.#replay ??= this.#resuming.begin(accountId, this.#client, this.#hub, {
      isMoreToCome: () => this.#opening.size > 0,
      onEnd: () => this.#endReplay(),
    })
    this.#replay.add(subscription, cursor)
    return subscription
  }

  replace({ id, kind, commitment }: Subscription, interest: Interest): void {
    this.#put({ id, kind, commitment, interest })
  }

  unsubscribe({ kind, commitment }: Pick<Subscription, 'kind' | 'commitment'>): void {
    if (commitment === 'processed') {
      this.#early.delete(kind)
      this.#putEarly(kind, undefined)
      return
    }
    this.#byKind.delete(kind)
    if (!this.#replay?.remove(kind)) this.#hub.put(this.#client, kind, undefined)
  }

  /** Ends them all; those that there were, oldest first. */
  clear(): Ended[] {
    const { all } = this
    const ended = all.map(({ id, kind, commitment }): Ended => {
      if (commitment === 'processed') return { id, canResume: false, place: undefined }
      return { id, canResume: true, place: this.#replay?.placeOf(kind) ?? this.#hub.place() }
    })
    this.#isCleared = true
    for (const subscription of all) this.unsubscribe(subscription)
    return ended
  }

  /** Takes up a changed plan; why a swap subscription has to end by it, if it has to. */
  faultByPlan(commitment: Commitment): StreamFault | undefined {
    ;(commitment === 'processed' ? this.#earlyHub.hub : this.#hub).refresh(this.#client)
    const swaps = this.find('swap', commitment)
    if (!swaps) return undefined
    if (this.areSwapsUsedUp) return swapsUsedUp(this.plan)
    try {
      assertPlanAllows(swaps.interest, this.plan)
      return undefined
    } catch (error) {
      if (error instanceof StreamFault) return error
      throw error
    }
  }

  #put(subscription: Subscription): Subscription {
    const { kind, commitment } = subscription
    if (commitment === 'processed') {
      this.#early.set(kind, subscription)
      this.#putEarly(kind, subscription)
      return subscription
    }
    this.#byKind.set(kind, subscription)
    if (!this.#replay?.replace(subscription)) this.#hub.put(this.#client, kind, subscription)
    return subscription
  }

  #putEarly(kind: StreamKind, subscription: Subscription | undefined): void {
    this.#earlyHub.note(this.#client, this.#early.size > 0)
    this.#earlyHub.hub.put(this.#client, kind, subscription)
  }

  /** Those that arrive together count as one, each kind once: else one after the other could join the last for ever. */
  #countResume(kind: StreamKind): void {
    const isTogether = this.#opening.size > 0 || this.#replay?.isGathering
    if (!isTogether || this.#together.has(kind)) {
      this.#resuming.assertMayResume(this.#seat.accountId)
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

/** The sentence for a plan whose swap events of the period are used up. */
export function swapsUsedUp(plan: Plan): StreamFault {
  return new StreamFault('PLAN_USED_UP', STREAM_SENTENCES.PLAN_USED_UP(plan))
}
