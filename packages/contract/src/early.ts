import type { NotificationEvent } from './events.ts'

/**
 * What travels over the bus ahead of confirmation, in order of arrival; nothing of it is kept. `slot` is as `formatSlot`
 * makes it. A slot may be executed by several banks, of several sources: these numbers tell them apart.
 */
export type EarlyMessage =
  /** The events of one transaction. `bank` is 0 where the source does not say. */
  | Readonly<{
      kind: 'executed'
      slot: string
      source: number
      bank: number
      signature: string
      events: readonly NotificationEvent[]
    }>
  /** A bank died, and what only it has executed; 0 means all of the source's banks of this slot. */
  | Readonly<{ kind: 'died'; slot: string; source: number; bank: number }>
