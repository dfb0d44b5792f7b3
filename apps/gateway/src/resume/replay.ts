import type { Clock, Log } from '@pairwire/basics'
import { CursorTooOldError } from '@pairwire/bus'
import { cursorBefore, type GapParams, parseCursor } from '@pairwire/contract'
import type { Hub } from '../fanout/hub.ts'
import { firstAfter } from '../fanout/recent-events.ts'
import type { GatewayLimits } from '../limits.ts'
import { PulledSubscriptions, type PullingClient } from './pulled-subscriptions.ts'
import type { ReplayPage } from './replay-pages.ts'
import type { ReplayShare } from './replay-share.ts'

/** What a replay needs. */
type ReplayContext = Readonly<{
  hub: Hub
  share: ReplayShare
  clock: Clock
  limits: GatewayLimits
  log: Log
}>

/** Calls between a replay and its client's subscriptions. */
export type ReplayCalls = Readonly<{
  /** Whether subscribes have arrived that are not added yet. */
  isMoreToCome(): boolean
  /** Called once, when the last subscription has joined the hub or gone. */
  onEnd(): void
}>

/**
 * Sends one client the events that it has missed, for all its resumed subscriptions, in chain order. It is pulled: the
 * next slice goes out only once the client has taken the last one, in a turn of the loop.
 *
 *     gathering ---- 20 ms ---> behind ---- little is left, and the hub remembers it ---> at the seam
 *                                ^  |                                                       |   |
 *                   next slice   +--+--------------- more came before the edge -------------+   +--- joins the hub ---> ended
 *
 * At the seam it waits for the edge of a window, when nothing is being sent: it then sends what the hub sent after its
 * position, and joins the hub for the rest. Each state leads to `ended` when no subscription is left.
 */
export class Replay {
  /** Those that are resumed; added to while it gathers. */
  readonly subscriptions: PulledSubscriptions
  readonly #client: PullingClient
  readonly #context: ReplayContext
  readonly #calls: ReplayCalls
  /** Cursor before the page that is being sent; undefined once all of it was. */
  #page: string | undefined
  /** Whether pages take more than one slice, as far as is known. */
  #isCut = false
  #isGathering = true
  #isEnded = false

  /** Begins to gather. */
  constructor(client: PullingClient, context: ReplayContext, calls: ReplayCalls) {
    this.#client = client
    this.#context = context
    this.#calls = calls
    this.subscriptions = new PulledSubscriptions(client, {
      ...context,
      isPlayback: false,
      onEmpty: () => this.#end(),
    })
    this.#gather()
  }

  /** Whether more may be replayed together with what it has. */
  get isGathering(): boolean {
    return this.#isGathering
  }

  #gather(): void {
    const { clock, limits } = this.#context
    clock.after(limits.gatherMs, () => {
      if (this.#calls.isMoreToCome()) {
        this.#gather()
        return
      }
      this.#isGathering = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    /** Whether the bus had nothing after the place when it was last asked. */
    let isNewest = false
    while (!this.#isEnded) {
      await this.subscriptions.drained()
      if (this.#isEnded || (await this.#passSeam(isNewest))) return
      isNewest = await this.#goOn()
    }
  }

  /** Joins the hub if little is left; returns whether the replay has ended. */
  #passSeam(isNewest: boolean): Promise<boolean> {
    const { hub, limits } = this.#context
    const restNow = () => {
      const rest = this.#isEnded ? undefined : hub.since(this.subscriptions.place, isNewest)
      return rest && rest.length <= limits.seamEvents ? rest : undefined
    }
    if (!restNow()) return Promise.resolve(this.#isEnded)
    return new Promise((resolve) => {
      hub.atEdge(() => {
        const rest = restNow()
        if (rest) {
          this.#write(rest)
          if (this.subscriptions.place >= (rest.at(-1)?.cursor ?? this.subscriptions.place)) this.#join()
        }
        resolve(this.#isEnded)
      })
    })
  }

  #join(): void {
    const { hub } = this.#context
    for (const subscription of this.subscriptions.all) {
      hub.put(this.#client, subscription.kind, subscription)
    }
    this.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.subscriptions.clear()
    this.#calls.onEnd()
  }

  /** Sends the next slice of what the bus has; returns whether it had nothing more. */
  async #goOn(): Promise<boolean> {
    const { hub, share, clock, limits, log } = this.#context
    const recent = hub.since(this.subscriptions.place, false)
    // A page is asked for by its beginning, where other clients find it too.
    this.#page ??= this.subscriptions.place
    const isFirst = this.#page === this.subscriptions.place
    try {
      if (recent) return await this.#give(recent, false)
      return await share.usePage(this.#page, this.#isCut, async (page, isInTurn) => {
        const rest = page.slice(firstAfter(page, this.subscriptions.place))
        if (rest.length > 0 || isFirst) return this.#give(rest, isInTurn)
        this.#page = undefined
        return false
      })
    } catch (error) {
      this.#page = undefined
      if (!isFirst) return false
      if (error instanceof CursorTooOldError && this.#skipTo(error.oldest)) return false
      log.warn('Events that clients have missed could not be read; retrying.', { error })
      await new Promise<void>((resolve) => clock.after(limits.retryAfterMs, resolve))
      return false
    }
  }

  async #give(items: ReplayPage, isInTurn: boolean): Promise<boolean> {
    const { share } = this.#context
    const write = () => share.spend(this.#isEnded ? 0 : this.#write(items))
    if (isInTurn) write()
    else await share.turn(write)
    return items.length === 0
  }

  /** Writes the wanted ones of these, up to a slice, and moves on after it; returns the cost in bytes. */
  #write(items: ReplayPage): number {
    let cost = 0
    // The last event that a plan allows ends its subscription: behind the slice, not before.
    this.#context.hub.hold(() => {
      const given = this.subscriptions.write(items)
      cost = given.cost
      this.#isCut = given.events < items.length
      if (!this.#isCut) this.#page = undefined
    })
    return cost
  }

  /**
   * What the client was too slow for is gone: it is told, and goes on at the oldest that there is. False if nothing is known
   * to come after its place.
   */
  #skipTo(oldest: string | undefined): boolean {
    const { place } = this.subscriptions
    const before = oldest === undefined ? (this.#context.hub.position() ?? place) : cursorBefore(oldest)
    const from = before === place ? (oldest ?? before) : before // the same place would be asked for again at once
    if (from <= place) return false
    this.subscriptions.skipTo(from, slowConsumerGap(place, from, null))
    return true
  }
}

/** Makes the gap of a client that did not take the events between two cursors. */
export function slowConsumerGap(from: string, to: string, resumeFrom: string | null): GapParams {
  const fromSlot = parseCursor(from)?.slot ?? 0
  const toSlot = Math.max(fromSlot, parseCursor(to)?.slot ?? 0)
  return { fromSlot, toSlot, cause: 'slow_consumer', resume_from: resumeFrom }
}
