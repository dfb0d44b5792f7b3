import type { Clock } from '@pairwire/basics'
import type { PairUpdateMessage, StreamEvent } from '@pairwire/contract'
import type { Codec } from '../codecs/codec.ts'
import type { GatewayLimits } from '../limits.ts'
import { outgoingOf } from '../protocol/outgoing-event.ts'
import { Hub, type HubParts } from './hub.ts'
import { JoinedFrames } from './joined-frames.ts'
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
  readonly #groups: readonly { hubs: readonly Hub[]; assigned: number }[]
  readonly #hubs: readonly Hub[]

  constructor(parts: Omit<HubParts, 'shards'> & Readonly<{ limits: Pick<GatewayLimits, 'shards'> }>) {
    const scheduler = parts.scheduler ?? new Scheduler(parts.clock, parts.limits.turnMs)
    const joined = new JoinedFrames()
    this.#clock = parts.clock
    this.#groups = Array.from({ length: 2 }, () => {
      const shards = () => hubs.filter((hub) => !hub.isEmpty).length
      const open = () => new Hub({ ...parts, scheduler, joined, shards })
      const hubs: readonly Hub[] = Array.from({ length: parts.limits.shards }, open)
      return { hubs, assigned: 0 }
    })
    this.#hubs = this.#groups.flatMap(({ hubs }) => hubs)
  }

  /** Returns the hub for a new client. Streams over HTTP have their own, so that they make no window of a websocket longer. */
  assign({ isSingle }: Pick<Codec, 'isSingle'>): Hub {
    const group = this.#groups[Number(isSingle)]!
    return group.hubs[group.assigned++ % group.hubs.length]!
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
