import type { Bus } from '@pairwire/bus'
import type { PairUpdateMessage, StreamEvent } from '@pairwire/contract'
import { type EarlyItem, EarlyLedger } from './early-ledger.ts'
import type { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'
import { createLanes, type LanesParts } from './lanes.ts'
import { outgoingOf } from './notification.ts'

/**
 * The way of events ahead of confirmation: lanes of their own, beside those of confirmed events, for the clients that
 * have such a subscription. While nobody has one, nothing is heard, kept or sent.
 *
 *     bus: executed, died ──┐
 *                           ├─ ledger ─ sent, taken back ─ lanes
 *     bus: confirmed ───────┘
 */
export type EarlyLanes = Readonly<{
  /** The hub of a new client. */
  assign(): Hub
  /** Notes whether a client has a subscription here. */
  note(client: HubClient, isPresent: boolean): void
  /** Takes what was published, before those who want it confirmed are told. */
  confirm(events: readonly StreamEvent[]): void
  tell(update: PairUpdateMessage): void
  /** Sends what waits and takes nothing more. */
  close(): void
}>

/** Makes them. */
export function createEarlyLanes({
  bus,
  ...parts
}: Omit<LanesParts, 'isEarly'> & Readonly<{ bus: Pick<Bus, 'onEarly'> }>): EarlyLanes {
  const { clock } = parts
  const lanes = createLanes({ ...parts, isEarly: true })
  const present = new Set<HubClient>()
  let ledger = new EarlyLedger()
  let leave: (() => void) | undefined

  const send = (items: readonly EarlyItem[]) => {
    if (items.length === 0) return
    const now = clock.now()
    lanes.send(items.map((item) => (item.kind === 'takenBack' ? item : outgoingOf(item, now))))
    // Nobody may hear of a block's end before it is told what is taken back of it.
    if (items.some(({ kind }) => kind === 'takenBack')) lanes.flush()
  }

  return {
    assign: lanes.assign,
    note(client, isPresent) {
      if (isPresent) present.add(client)
      else present.delete(client)
      if (present.size > 0) leave ??= bus.onEarly((message) => send(ledger.take(message)))
      else if (leave) {
        leave()
        leave = undefined
        ledger = new EarlyLedger()
      }
    },
    confirm(events) {
      if (leave) send(ledger.confirm(events))
    },
    tell(update) {
      if (leave) lanes.tell(update)
    },
    close() {
      leave?.()
      leave = undefined
      lanes.close()
    },
  }
}
