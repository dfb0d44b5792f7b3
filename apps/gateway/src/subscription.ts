import type { StreamKind } from '@pairwire/contract'
import type { SwapFilter } from './filter.ts'

/** What a subscription wants of its stream. */
export type Interest =
  | Readonly<{ kind: 'newPair'; includeLaunchpads: boolean }>
  /** `filter` null: every swap. `accountsInFilter` counts the entries of its lists as the client sent them. */
  | Readonly<{ kind: 'swap'; filter: SwapFilter | null; accountsInFilter: number }>
  | Readonly<{ kind: 'latestBlock' }>

/** A client's standing request on a stream. A change of its parameters makes a new one with the same id. */
export type Subscription = Readonly<{
  id: number
  kind: StreamKind
  interest: Interest
}>

/** The allowance of a capped stream, shared by all subscriptions of an account that draw on it. */
export type Meter = Readonly<{
  /** Takes one event; false when none is left. */
  take(): boolean
  /** Gives back what was taken but not sent. */
  giveBack(count: number): void
}>
