import type { NotificationEvent } from '../events.ts'

/**
 * Messages on the bus ahead of confirmation, in order of arrival; none of them is kept. `slot` is formatted by `formatSlot`.
 * A slot may be executed by several banks, of several sources: these numbers tell them apart.
 */
export type EarlyMessage =
  /** The events of one transaction. `bank` is 0 if the source does not name it. */
  | Readonly<{
      kind: 'executed'
      slot: string
      source: number
      bank: number
      signature: string
      events: readonly NotificationEvent[]
    }>
  /** A bank died, and with it everything that only it executed; 0 means all of the source's banks for this slot. */
  | Readonly<{ kind: 'died'; slot: string; source: number; bank: number }>
