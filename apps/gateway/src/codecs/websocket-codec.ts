import type { StreamKind } from '@pairwire/contract'
import { frameText, headerBytes, writeHeader } from '../protocol/frames.ts'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'
import type { Codec, FrameHeads } from './codec.ts'

/** JSON in text frames of a websocket, each with the id of its subscription. */
export const websocketCodec: Codec = {
  name: 'websocket',
  face: undefined,
  heads: websocketHeads,
  notice: (notice) => frameText(JSON.stringify(notice)),
  closing: () => Buffer.alloc(0),
  // Without a payload. @see https://www.rfc-editor.org/rfc/rfc6455#section-5.5.2
  ping: Buffer.of(0x89, 0),
  alive: undefined,
  isSingle: false,
}

/** The beginnings of frames, by kind. */
type Heads = Readonly<Partial<Record<StreamKind, Buffer>>>

/** Makes the heads of a client with these subscriptions. */
function websocketHeads(held: Iterable<Pick<Subscription, 'kind' | 'id'>>): FrameHeads {
  const byKind: Partial<Record<StreamKind, Buffer>> = {}
  for (const { kind, id } of held) byKind[kind] = Buffer.from(`{"subscription_id":${id}`)
  return {
    key: [byKind.newPair, byKind.swap, byKind.latestBlock].join(),
    frame: (events) => frameEvents(events, byKind),
  }
}

/** Only this function puts an id into an event's frame, and no bytes are used for two ids. */
function frameEvents(events: readonly OutgoingEvent[], heads: Heads): Buffer {
  let length = 0
  for (const { kind, behindId } of events) {
    const payloadBytes = heads[kind]!.length + behindId.length
    length += headerBytes(payloadBytes) + payloadBytes
  }

  const frames = Buffer.allocUnsafe(length)
  let at = 0
  for (const { kind, behindId } of events) {
    const head = heads[kind]!
    at = writeHeader(frames, at, head.length + behindId.length)
    at += head.copy(frames, at)
    at += behindId.copy(frames, at)
  }
  return frames
}
