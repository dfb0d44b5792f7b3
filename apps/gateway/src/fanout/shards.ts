import type { Clock } from '@pairwire/basics'
import type { PairUpdateMessage, StreamEvent } from '@pairwire/contract'
import type { GatewayLimits } from '../limits.ts'
import { Hub, type HubParts } from './hub.ts'
import { JoinedFrames } from './joined-frames.ts'
import { outgoingOf } from './outgoing-event.ts'
import { Scheduler } from './window.ts'

/**
 * The clients in shards, each with a hub whose windows end at their own time:
 *
 *     one hub:   |--- sending to all ---|   wait   |--- sending to all ---|
 *     shards:    |-|   wait             |-|   wait
 *                    |-|   wait             |-|   wait
 *
 * An event waits only for the windows of one shard, with the same number of writes.
 */
export class Shards {
  readonly #clock: Clock
  readonly #hubs: readonly Hub[]
  #assigned = 0

  constructor(parts: Omit<HubParts, 'shards'> & Readonly<{ limits: Pick<GatewayLimits, 'shards'> }>) {
    const scheduler = parts.scheduler ?? new Scheduler(parts.clock, parts.limits.turnMs)
    const joined = new JoinedFrames()
    const shards = () => this.#hubs.filter((hub) => !hub.isEmpty).length
    this.#clock = parts.clock
    this.#hubs = Array.from(
      { length: parts.limits.shards },
      () => new Hub({ ...parts, scheduler, joined, shards }),
    )
  }

  /** Returns the hub for a new client. */
  assign(): Hub {
    return this.#hubs[this.#assigned++ % this.#hubs.length]!
  }

  /** Adds events in chain order. */
  publish(events: readonly StreamEvent[]): void {
    const now = this.#clock.now()
    const outgoing = events.map((event) => outgoingOf(event, now))
    for (const hub of this.#hubs) hub.publish(outgoing)
  }

  tell(update: PairUpdateMessage): void {
    for (const hub of this.#hubs) hub.tell(update)
  }

  /** Runs `change` once every shard has reached an edge: at once when nothing is waiting. */
  atEdge(change: () => void): void {
    let left = this.#hubs.length
    for (const hub of this.#hubs) {
      hub.atEdge(() => {
        left--
        if (left === 0) change()
      })
    }
  }

  /** Sends what is waiting and takes nothing more. */
  close(): void {
    for (const hub of this.#hubs) hub.close()
  }
}
