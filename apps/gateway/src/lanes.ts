import type { PairUpdateMessage, StreamEvent } from '@pairwire/contract'
import type { Clock } from '@pairwire/process'
import { createHub, type EarlyOutgoing, type Hub } from './hub.ts'
import type { GatewayLimits } from './limits.ts'
import { Joins, outgoingOf } from './notification.ts'
import { createPace, type Pace } from './pace.ts'
import type { WindowCalls } from './window.ts'

/**
 * The clients in several shares, each with a hub whose windows end at times of their own:
 *
 *     one hub:   |--- sending to all ---|   wait   |--- sending to all ---|
 *     lanes:     |-|   wait             |-|   wait
 *                    |-|   wait             |-|   wait
 *
 * An event waits for the windows of one share and not until all others are served, as many writes are made as with one
 * hub, and no turn of the loop is long.
 */
type Lanes = Readonly<{
  /** The hub of a new client. */
  assign(): Hub
  publish(events: readonly StreamEvent[]): void
  /** The same for what goes out ahead of confirmation. */
  send(items: readonly EarlyOutgoing[]): void
  tell(update: PairUpdateMessage): void
  /** Carries `change` out once every lane has had an edge: at once when nothing is waiting. */
  atEdges(change: () => void): void
  /** Sends what waits. */
  flush(): void
  /** Sends what waits and takes nothing more. */
  close(): void
}>

/** What {@link createLanes} needs. */
export type LanesParts = WindowCalls &
  Readonly<{
    clock: Clock
    limits: Pick<
      GatewayLimits,
      'windowMs' | 'restOwedMs' | 'windowMaxEvents' | 'recentEvents' | 'lanes' | 'laneRun' | 'turnMs'
    >
    /** Shared with the hubs of other lanes; their own without one. */
    pace?: Pace
    /** Whether what they send may be taken back. */
    isEarly?: boolean
  }>

/** Makes the lanes, whose windows call back as {@link WindowCalls} say. */
export function createLanes(parts: LanesParts): Lanes {
  const { clock, limits } = parts
  const pace = parts.pace ?? createPace(clock, limits.turnMs)
  const joins = new Joins()
  const hubs = Array.from({ length: limits.lanes }, () => createHub({ ...parts, pace, joins }))
  let assigned = 0

  return {
    assign: () => hubs[Math.floor(assigned++ / limits.laneRun) % hubs.length]!,
    publish(events) {
      const now = clock.now()
      const outgoing = events.map((event) => outgoingOf(event, now))
      for (const hub of hubs) hub.publish(outgoing)
    },
    send(items) {
      for (const hub of hubs) hub.send(items)
    },
    tell(update) {
      for (const hub of hubs) hub.tell(update)
    },
    atEdges(change) {
      let left = hubs.length
      for (const hub of hubs) {
        hub.atEdge(() => {
          left--
          if (left === 0) change()
        })
      }
    },
    flush() {
      for (const hub of hubs) hub.flush()
    },
    close() {
      for (const hub of hubs) hub.close()
    },
  }
}
