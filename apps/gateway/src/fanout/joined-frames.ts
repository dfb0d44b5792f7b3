import { BoundedMap } from '@pairwire/basics'
import { type FrameHeads, frameEvents, type OutgoingEvent } from './outgoing-event.ts'

/** Frames of some events, joined for clients with the same ids. */
type Joined = Readonly<{ events: readonly OutgoingEvent[]; bytes: Buffer }>

/** Sets of ids whose newest frames are kept. */
const MAX_KEPT = 16

/**
 * The frames that were joined last, by the ids in them: shards send the same slot one after the other, and most clients
 * have the same ids.
 */
export class JoinedFrames {
  readonly #kept = new BoundedMap<string, Joined>(MAX_KEPT)

  /** The frames of these events for clients with these heads. Their bytes never change. */
  of(events: readonly OutgoingEvent[], heads: FrameHeads): Buffer {
    const kept = this.#kept.get(heads.ids)
    if (kept && areSame(kept.events, events)) return kept.bytes
    const bytes = frameEvents(events, heads)
    this.#kept.set(heads.ids, { events, bytes })
    return bytes
  }
}

function areSame(some: readonly OutgoingEvent[], others: readonly OutgoingEvent[]): boolean {
  return some.length === others.length && some.every((event, at) => event === others[at])
}
