import {
  type Commitment,
  type Interest,
  LAUNCHPADS,
  type NotificationEvent,
  type StreamKind,
} from '@pairwire/contract'
import { matchesFilter } from './filter.ts'

/** Whether the event is one of those that the subscription asks for. */
export function wantsEvent(interest: Interest, event: NotificationEvent): boolean {
  if (interest.kind === 'swap' && event.kind === 'swap') {
    return interest.filter === null || matchesFilter(interest.filter, event.params.swap)
  }
  if (interest.kind === 'newPair' && event.kind === 'newPair') {
    return wantsPairOf(interest, event.params.pair.sourceExchange)
  }
  return interest.kind === event.kind
}

/** Whether new pairs of this exchange are among what the subscription asks for. */
export function wantsPairOf(interest: Interest, sourceExchange: string): boolean {
  if (interest.kind !== 'newPair') return false
  if (!interest.includeLaunchpads && LAUNCHPADS.has(sourceExchange)) return false
  return interest.sourceExchanges === null || interest.sourceExchanges.has(sourceExchange)
}

/** A client's standing request on a stream. A change of its parameters makes a new one with the same id. */
export type Subscription = Readonly<{
  id: number
  kind: StreamKind
  commitment: Commitment
  interest: Interest
}>

/** The allowance of a capped stream, shared by all subscriptions of an account that draw on it. */
export type Meter = Readonly<{
  /** Takes one event; false when none is left. */
  take(): boolean
  /** Gives back what was taken but not sent. */
  giveBack(count: number): void
}>
