import type { ConnectionClosed } from '@pairwire/contract'
import type { Notice } from '../protocol/answers.ts'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Codec } from './codec.ts'

/** A codec of texts that a body holds one after the other. */
export type LineCodec = Codec &
  Readonly<{
    mediaType: string
    /** What stands before the first message. */
    begin: string
  }>

/** Milliseconds between two signs of life. */
const ALIVE_EVERY_MS = 15_000

/**
 * Server-sent events: a message each, with its cursor as its id. Without `event:`, so that `onmessage` sees all.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const sseCodec = lineCodec({
  name: 'sse',
  mediaType: 'text/event-stream',
  // A browser comes back after a second.
  begin: 'retry: 1000\n\n',
  write: (json, cursor) => `${idLine(cursor)}data: ${json}\n\n`,
  // An id without data fires nothing, but is what the browser comes back with: so a rare filter resumes too.
  alive: (place) => `: alive\n${idLine(place)}\n`,
})

/** JSON, a message on each line; an empty line now and then keeps proxies from closing. */
export const ndjsonCodec = lineCodec({
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  begin: '',
  write: (json) => `${json}\n`,
  alive: (_place, isFirst) => (isFirst ? '' : '\n'),
})

function lineCodec({
  write,
  alive,
  ...names
}: Pick<LineCodec, 'name' | 'mediaType' | 'begin'> &
  Readonly<{
    write(json: string, cursor: string | undefined): string
    alive(place: string | undefined, isFirst: boolean): string
  }>): LineCodec {
  const frameOf = ({ behindId, cursor, event }: OutgoingEvent) =>
    Buffer.from(write(`{${behindId.toString('utf8', 1)}`, event.unplaced ? undefined : cursor))
  const heads = {
    key: names.name,
    frame: (events: readonly OutgoingEvent[]) => Buffer.concat(events.map((event) => event.framed(frameOf))),
  }
  const message = (json: object, cursor?: string) => Buffer.from(write(JSON.stringify(json), cursor))
  return {
    ...names,
    face: 'http',
    heads: () => heads,
    notice: (notice, cursor) => message(withoutId(notice), cursor),
    closing: (code, reason) =>
      message({ method: 'connectionClosed', code, reason } satisfies ConnectionClosed),
    ping: Buffer.alloc(0),
    alive: { everyMs: ALIVE_EVERY_MS, frame: (place, isFirst) => Buffer.from(alive(place, isFirst)) },
    isSingle: true,
  }
}

/** The id of the only subscription says nothing. */
function withoutId({ subscription_id, params, ...notice }: Notice): object {
  return { ...notice, ...(params !== undefined && { params: { ...params, subscription_id: undefined } }) }
}

function idLine(cursor: string | undefined): string {
  return cursor === undefined ? '' : `id: ${cursor}\n`
}
