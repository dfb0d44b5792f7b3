import type { Bus } from '@pairwire/bus'
import type { StreamEvent } from '@pairwire/contract'
import { type EarlyItem, EarlyLedger } from './early-ledger.ts'
import { Hub, type HubParts } from './hub.ts'
import type { HubClient } from './hub-member.ts'

/**
 * The hub of events ahead of confirmation, next to that of confirmed events, for clients with such a subscription.
 * Without any, it listens to nothing and keeps nothing.
 *
 *     bus: executed, died ──┐
 *                           ├─ ledger ─ sent, taken back ─ hub
 *     bus: confirmed ───────┘
 */
export type EarlyHub = ReturnType<typeof createEarlyHub>

/** Creates it. */
export function createEarlyHub({
  bus,
  ...parts
}: Omit<HubParts, 'isEarly'> & Readonly<{ bus: Pick<Bus, 'onEarly'> }>) {
  const hub = new Hub({ ...parts, isEarly: true })
  const present = new Set<HubClient>()
  let ledger = new EarlyLedger()
  let leave: (() => void) | undefined

  const send = (items: readonly EarlyItem[], end?: StreamEvent) => {
    hub.publish(items)
    // What is taken back, and all events of a block, must come before its end on confirmed subscriptions.
    if (items.some(({ kind }) => kind === 'takenBack') || (end && hub.owes(end.cursor))) hub.flush()
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
    /** Takes published events, before they go to confirmed subscriptions. */
    confirm(events: readonly StreamEvent[]) {
      if (leave) send(ledger.confirm(events), events.at(-1))
    },
    /** Sends what is waiting and takes nothing more. */
    close() {
      leave?.()
      leave = undefined
      hub.close()
    },
  }
}
