import type { Bus } from '@pairwire/bus'
import type { StreamEvent } from '@pairwire/contract'
import { type EarlyItem, EarlyLedger } from './early-ledger.ts'
import { Hub, type HubParts } from './hub.ts'
import type { HubClient } from './hub-member.ts'

/**
 * The hub of events ahead of confirmation, beside the one of confirmed events, for the clients that have such a
 * subscription. While nobody has one, nothing is heard, kept or sent.
 *
 *     bus: executed, died ──┐
 *                           ├─ ledger ─ sent, taken back ─ hub
 *     bus: confirmed ───────┘
 */
export type EarlyHub = ReturnType<typeof createEarlyHub>

/** Makes it. */
export function createEarlyHub({
  bus,
  ...parts
}: Omit<HubParts, 'isEarly'> & Readonly<{ bus: Pick<Bus, 'onEarly'> }>) {
  const hub = new Hub({ ...parts, isEarly: true })
  const present = new Set<HubClient>()
  let ledger = new EarlyLedger()
  let leave: (() => void) | undefined

  const send = (items: readonly EarlyItem[]) => {
    hub.publish(items)
    // Nobody may hear of a block's end before it is told what is taken back of it.
    if (items.some(({ kind }) => kind === 'takenBack')) hub.flush()
  }

  return {
    hub,
    /** Notes whether a client has a subscription here. */
    note(client: HubClient, isPresent: boolean) {
      if (isPresent) present.add(client)
      else present.delete(client)
      if (present.size > 0) leave ??= bus.onEarly((message) => send(ledger.take(message)))
      else if (leave) {
        leave()
        leave = undefined
        ledger = new EarlyLedger()
      }
    },
    /** Takes what was published, before those who want it confirmed are told. */
    confirm(events: readonly StreamEvent[]) {
      if (leave) send(ledger.confirm(events))
    },
    /** Sends what waits and takes nothing more. */
    close() {
      leave?.()
      leave = undefined
      hub.close()
    },
  }
}
