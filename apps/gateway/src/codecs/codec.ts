import type { DeliveredCount } from '@pairwire/accounts'
import type { Notice } from '../protocol/answers.ts'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'

/**
 * How a wire writes what a connection is sent. What is sent, when, and to whom is the same on all of them; a codec knows
 * no client, so that what it writes can be shared.
 */
export type Codec = Readonly<{
  /** Its name in figures. */
  name: string
  /** How its events are counted; undefined for websockets. */
  face: DeliveredCount['face']
  /** Says how events are written to a client with these subscriptions. */
  heads(held: Iterable<Pick<Subscription, 'kind' | 'id'>>): FrameHeads
  /** Writes a message beside events; nothing if this wire has none such. `cursor` is its place, if it has one. */
  notice(notice: Notice, cursor?: string): Buffer
  /** Writes the last message of a connection; nothing if its transport says it. */
  closing(code: number, sentence: string): Buffer
  /** The frame whose answer shows how far a slow client has read; nothing if nobody can be asked. */
  ping: Buffer
  /**
   * What clients that cannot be asked for a sign of life are told instead, first and then every `everyMs`: the cursor
   * up to which their stream was read, if it has one.
   */
  alive: Readonly<{ everyMs: number; frame(place: string | undefined, isFirst: boolean): Buffer }> | undefined
  /** Whether a connection has a single subscription, and ends with it. */
  isSingle: boolean
}>

/** How events are written to the clients of a codec that have the same ids. */
export type FrameHeads = Readonly<{
  /** The same for clients that get the same bytes. */
  key: string
  /** Returns the frames of these events in one new buffer. Its bytes never change. */
  frame(events: readonly OutgoingEvent[]): Buffer
}>
