import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError, type Commitment, type StreamKind } from '@pairwire/contract'
import { indexFields, invalidParams, quoted, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import { type LineCodec, ndjsonCodec, sseCodec } from '../codecs/line-codecs.ts'
import { readSubscribe } from '../connection/commands.ts'
import type { StreamWanted } from '../connection/single-stream.ts'
import { KEY_PARAMETERS, readUpgradeRequest } from '../door/upgrade-request.ts'
import type { GatewayLimits } from '../limits.ts'
import { readParams } from '../protocol/request.ts'
import { readQueryParams } from './read-query-params.ts'

/** The streams by their paths. */
export const STREAM_PATHS: Readonly<Record<string, StreamKind>> = {
  '/v1/stream/swaps': 'swap',
  '/v1/stream/pairs': 'newPair',
  '/v1/stream/blocks': 'latestBlock',
}

/** What a request asks for. */
export type StreamWish = Omit<StreamWanted, 'start'> &
  Readonly<{
    /** Where it continues; `isRefusable` unless a browser names it, which would stop for good. */
    resume: Readonly<{ cursor: string; isRefusable: boolean }> | undefined
    codec: LineCodec
  }>

/** Words of the query that are no params. */
const WORDS = new Set<string>([...KEY_PARAMETERS, 'client', 'refusals'])

/** The most of each. */
const MOST = { limit: 10_000, seconds: 300 }

/** Bytes of a body that are read, and forgotten, so that its client reads the refusal. */
const BODY_FORGOTTEN_BYTES = 1024 * 1024

/**
 * Reads what a request asks for.
 *
 * @throws StreamFault with a sentence for each known mistake; AppError for a body that is too large
 */
export async function readStreamRequest(
  request: IncomingMessage,
  kind: StreamKind,
  { limits, servesEarly }: Readonly<{ limits: GatewayLimits; servesEarly: boolean }>,
): Promise<StreamWish> {
  const { query } = readUpgradeRequest(request)
  const body = request.method === 'POST' ? await readBody(request, limits.frameMaxBytes) : ''
  const params = indexFields({
    ...readQueryParams(query, WORDS),
    ...(body.trim() !== '' && readParams(body, limits)),
  })
  if (params.read('replay') !== undefined) {
    const why = 'a stream over HTTP sends live events only'
    throw new StreamFault('NOT_AVAILABLE', STREAM_SENTENCES.NOT_AVAILABLE('replay', why))
  }
  const { interest, commitment, cursor } = readSubscribe(kind, params, indexFields({}), servesEarly)
  const codec = codecOf(request.headers)
  const seconds = readCount('seconds', params.read('seconds'))
  return {
    ...{ interest, commitment, codec },
    resume: resumeOf(request.headers, commitment, cursor),
    limit: readCount('limit', params.read('limit')),
    forMs: seconds && seconds * 1_000,
    stream: JSON.stringify([codec.name, commitment, interest], (_name, value) =>
      value instanceof Set ? [...value].sort() : value,
    ),
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving off must not end the socket, on which the refusal goes out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    if (bytes > BODY_FORGOTTEN_BYTES) break
  }
  if (bytes > maxBytes) throw new AppError('ERR_TOO_LARGE')
  return Buffer.concat(chunks).toString()
}

function codecOf({ accept = '' }: IncomingHttpHeaders): LineCodec {
  return accept.toLowerCase().includes('application/x-ndjson') ? ndjsonCodec : sseCodec
}

function resumeOf(
  { 'last-event-id': said }: IncomingHttpHeaders,
  commitment: Commitment,
  cursor: string | undefined,
): StreamWish['resume'] {
  // Events ahead of confirmation have no ids: this one is of another stream.
  if (said && commitment === 'confirmed') return { cursor: String(said), isRefusable: false }
  return cursor === undefined ? undefined : { cursor, isRefusable: true }
}

function readCount(name: keyof typeof MOST, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= MOST[name]) return count
  throw invalidParams(`${name} must be a whole number from 1 to ${MOST[name]}, not ${quoted(value)}.`)
}
