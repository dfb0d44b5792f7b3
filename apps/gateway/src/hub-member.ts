import { isBuy, type NotificationEvent, type StreamKind } from '@pairwire/contract'
import type { SubscriptionIds } from './notification.ts'
import type { Outbox } from './outbox.ts'
import type { SentRecord } from './sent-record.ts'
import type { Meter, Subscription } from './subscription.ts'

/** What was written to a client: how many frames of each kind, how many of the swaps were buys, and the bytes. */
export type Sent = Record<StreamKind, number> & { buy: number; bytes: number }

/** A client as the hub sees it. */
export type HubClient = Readonly<{
  /** Takes whole frames, in order; never waits. Frames that are not shared are its own until `write` returns. */
  outbox: Pick<Outbox, 'write'>
  /** Called when the outbox has refused a window, which is lost to the client; it has to leave. */
  overflowed(): void
  /** Told now and then what was written since the last time; the hub's `settle` brings it up to date. */
  sent(sent: Readonly<Sent>): void
  /** The allowance that a swap subscription draws on; undefined without a cap. */
  swapMeter(): Meter | undefined
}>

/** A client in the hub, with what it holds. */
export type Member = Readonly<{
  client: HubClient
  held: Map<StreamKind, Subscription>
  /** What it was sent, where that may be taken back. */
  record: SentRecord | undefined
}> & { ids: SubscriptionIds }

/** Every kind of stream. */
export const KINDS: readonly StreamKind[] = ['newPair', 'swap', 'latestBlock']

/** A count to begin with. */
export function nothingSent(): Sent {
  return { newPair: 0, swap: 0, buy: 0, latestBlock: 0, bytes: 0 }
}

/** Counts the event, but for its bytes. */
export function countEvent(sent: Sent, event: NotificationEvent): void {
  sent[event.kind]++
  if (event.kind === 'swap' && isBuy(event)) sent.buy++
}
