import { isBuy, type NotificationEvent, type StreamKind } from '@pairwire/contract'
import type { Codec, FrameHeads } from '../codecs/codec.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Meter, Subscription } from '../protocol/subscription.ts'
import type { SentRecord } from './sent-record.ts'

/** What was written to a client: frames by kind, buys among the swaps, and bytes. */
export type Sent = Record<StreamKind, number> & { buy: number; bytes: number }

/** A client as the hub sees it. */
export type HubClient = Readonly<{
  codec: Codec
  /** Takes whole frames, in order; never waits. Frames that are not shared belong to it only during `write`. */
  outbox: Pick<Outbox, 'write'>
  /** Called when the outbox refused a window, which is lost to the client; it has to leave. */
  overflowed(): void
  /** Called at each write. */
  sent(sent: Readonly<Sent>): void
  /** The allowance that a subscription of the kind uses; undefined without a cap. */
  meter(kind: StreamKind): Meter | undefined
}>

/** A client in the hub, with its subscriptions. Replaced when they change. */
export type Member = Readonly<{
  client: HubClient
  held: ReadonlyMap<StreamKind, Subscription>
  heads: FrameHeads
  /** What it was sent, if that may be taken back. */
  record: SentRecord | undefined
}>

/** Every kind of stream. */
export const KINDS: readonly StreamKind[] = ['newPair', 'swap', 'latestBlock']

/** A zero count. */
export function nothingSent(): Sent {
  return { newPair: 0, swap: 0, buy: 0, latestBlock: 0, bytes: 0 }
}

/** Counts the event, without its bytes. */
export function countEvent(sent: Sent, event: NotificationEvent): void {
  sent[event.kind]++
  if (event.kind === 'swap' && isBuy(event)) sent.buy++
}

/** Takes an event from the subscription's meter, if it has one; after the first refusal never again. */
export function draw(client: Pick<HubClient, 'meter'>, subscription: Subscription): boolean {
  subscription.isOver ||= client.meter(subscription.kind)?.take() === false
  return !subscription.isOver
}

/** Gives back to the client's meters what was taken for events that it was not sent. */
export function giveBack(client: Pick<HubClient, 'meter'>, sent: Readonly<Sent>): void {
  for (const kind of KINDS) if (sent[kind] > 0) client.meter(kind)?.giveBack(sent[kind])
}
