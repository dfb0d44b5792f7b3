import { type CloseReasonName, cursorBefore } from '@pairwire/contract'
import type { Codec } from '../codecs/codec.ts'
import type { Hub } from '../fanout/hub.ts'
import { closedNotice, gapNotice } from '../protocol/answers.ts'
import { slowConsumerGap } from '../resume/replay.ts'
import type { Ended } from './connection-subscriptions.ts'

/** How the gateway ended a connection: `complete` if its client has all that it asked for. */
export type EndedHere = CloseReasonName | 'unreadable' | 'complete'

/** How a connection ended. */
export type ConnectionEnd = EndedHere | 'client' | 'lost'

/** The end of a connection; `lost` is the cursor of the first event in its queue that was dropped. */
type Ending = Readonly<{
  ended: readonly Ended[]
  how: ConnectionEnd
  code: number
  sentence: string
  lost: string | undefined
}>

/** Builds the last frames of a connection, and the sentence of its close, which may name the place to resume from. */
export function farewell(
  { ended, how, code, sentence, lost }: Ending,
  codec: Codec,
  hub: Pick<Hub, 'newest' | 'position'>,
): Readonly<{ frames: Buffer; sentence: string }> {
  const namesPlace = how === 'restart' || how === 'slowConsumer'
  const places = namesPlace ? placesOf(ended, lost) : []
  const last = sentenceWith(sentence, earliest(places))
  const frames = ended.flatMap(({ id, origin }, at) => [
    how === 'slowConsumer' && origin !== 'playback' ? gapOf(id, places[at], codec, hub) : NOTHING,
    codec.isSingle ? NOTHING : codec.notice(closedNotice(id, sentenceWith(sentence, places[at]))),
  ])
  return {
    frames: Buffer.concat([...frames, how === 'complete' ? NOTHING : codec.closing(code, last)]),
    sentence: last,
  }
}

const NOTHING = Buffer.alloc(0)

/** Names what the client was too slow for, if that is known by now. */
function gapOf(id: number, place: string | undefined, codec: Codec, hub: Pick<Hub, 'newest' | 'position'>) {
  const newest = hub.newest()
  const from = place ?? hub.position() // without cursors, this is only approximate
  if (from === undefined || newest === undefined) return NOTHING
  return codec.notice(gapNotice(id, slowConsumerGap(from, newest, place ?? null)))
}

/**
 * Returns where each subscription has to resume when the event of `lost` and all later ones were not sent. `lost` may
 * belong to another stream than a playback, whose cursor is unknown then.
 */
function placesOf(ended: readonly Ended[], lost: string | undefined): (string | undefined)[] {
  const beforeLost = lost === undefined ? undefined : cursorBefore(lost)
  return ended.map(({ place, origin }) => {
    if (origin === 'playback') return beforeLost === undefined ? place : undefined
    return origin === 'confirmed' ? earliest([place, beforeLost]) : undefined
  })
}

function earliest(places: readonly (string | undefined)[]): string | undefined {
  return places.filter((place) => place !== undefined).sort()[0]
}

function sentenceWith(sentence: string, place: string | undefined): string {
  return place === undefined ? sentence : `${sentence} resume_from: ${place}`
}
