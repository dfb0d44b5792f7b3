import type { Plan, StreamKind } from '@pairwire/contract'
import { type CommandTarget, swapsUsedUp } from './commands.ts'
import type { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'
import { assertPlanAllows } from './interest.ts'
import type { Seat } from './seat.ts'
import { StreamFault } from './stream-fault.ts'
import type { Interest, Subscription } from './subscription.ts'

/** The subscriptions of one connection, which stand in the hub. To be changed at the edge of a window only. */
export class ConnectionSubscriptions implements CommandTarget {
  readonly #hub: Hub
  readonly #client: HubClient
  readonly #seat: Seat
  readonly #byKind = new Map<StreamKind, Subscription>()
  #nextId = 1

  constructor(hub: Hub, client: HubClient, seat: Seat) {
    this.#hub = hub
    this.#client = client
    this.#seat = seat
  }

  /** Oldest first. */
  get all(): Subscription[] {
    return [...this.#byKind.values()].sort((first, second) => first.id - second.id)
  }

  get plan(): Plan {
    return this.#seat.plan
  }

  get areSwapsUsedUp(): boolean {
    return this.#seat.areSwapsUsedUp()
  }

  find(kind: StreamKind): Subscription | undefined {
    return this.#byKind.get(kind)
  }

  subscribe(interest: Interest): Subscription {
    return this.#put({ id: this.#nextId++, kind: interest.kind, interest })
  }

  replace({ id, kind }: Subscription, interest: Interest): void {
    this.#put({ id, kind, interest })
  }

  unsubscribe(kind: StreamKind): void {
    this.#byKind.delete(kind)
    this.#hub.put(this.#client, kind, undefined)
  }

  /** Ends them all; those that there were, oldest first. */
  clear(): Subscription[] {
    const { all } = this
    this.#byKind.clear()
    this.#hub.leave(this.#client)
    return all
  }

  /** Takes up a changed plan; why the swap subscription has to end by it, if it has to. */
  faultByPlan(): StreamFault | undefined {
    this.#hub.refresh(this.#client)
    const swaps = this.#byKind.get('swap')
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
    this.#byKind.set(subscription.kind, subscription)
    this.#hub.put(this.#client, subscription.kind, subscription)
    return subscription
  }
}
