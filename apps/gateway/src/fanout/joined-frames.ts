import { BoundedMap } from '@pairwire/basics'
import type { FrameHeads } from '../codecs/codec.ts'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'

/** Frames of some events, joined for clients that get the same bytes. */
type Joined = Readonly<{ events: readonly OutgoingEvent[]; bytes: Buffer }>

/** Keys of heads whose newest frames are kept. */
const MAX_KEPT = 16

/**
 * The most recently joined frames, by their heads: shards send the same slot one after the other, and most clients
 * have the same ids.
 */
export class JoinedFrames {
  readonly #kept = new BoundedMap<string, Joined>(MAX_KEPT)

  /** Returns the frames of these events for clients with these heads. Their bytes never change. */
  of(events: readonly OutgoingEvent[], heads: FrameHeads): Buffer {
    const kept = this.#kept.get(heads.key)
    if (kept && areSame(kept.events, events)) return kept.bytes
    const bytes = heads.frame(events)
    this.#kept.set(heads.key, { events, bytes })
    return bytes
  }
}

function areSame(some: readonly OutgoingEvent[], others: readonly OutgoingEvent[]): boolean {
  return some.length === others.length && some.every((event, at) => event === others[at])
}
