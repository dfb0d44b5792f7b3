import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { pipeline, Readable, Transform } from 'node:stream'
import type { ByteRange } from '@pairwire/archive'
import { AppError, type Manifest } from '@pairwire/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readByteRange } from './byte-range.ts'

/** A file that can be sent whole or in part. */
type SentFile = Readonly<{
  name: string
  bytes: number
  sha256: string
  open(range: ByteRange | undefined): Promise<Readable | undefined>
  /** Called before the answer's last byte is sent: the client may request the next file as soon as it has that byte. */
  beforeLastByte?(): unknown
  onLastByte?(): void
}>

/** Milliseconds after which a download ends if the client has read no byte. */
const STALLED_MS = 600_000

/**
 * Answers with a file, or a range of it; a client that has a part continues with `If-Range`, one that has all asks with
 * `If-None-Match` whether it is still the same.
 *
 * @throws HOUR_MISSING if the file is gone
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const { range: wanted, 'if-range': condition, 'if-none-match': known } = request.headers
  if (known?.includes(etag)) return reply.code(304).header('etag', etag).send()
  const range = condition === undefined || condition === etag ? readByteRange(wanted, file.bytes) : undefined
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .headers({ 'content-range': `bytes */${file.bytes}`, 'content-length': 0, 'accept-ranges': 'bytes' })
      .send()
  }
  const length = range ? range.end - range.start + 1 : file.bytes
  const bytes = request.method === 'HEAD' ? undefined : await file.open(range)
  if (request.method === 'GET' && !bytes) throw new AppError('HOUR_MISSING')

  if (range) reply.header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`)
  reply
    .code(range ? 206 : 200)
    .type(file.name.endsWith('.json') ? 'application/json' : 'application/octet-stream')
    .headers({
      etag,
      'accept-ranges': 'bytes',
      'content-length': length,
      'content-disposition': `attachment; filename="${file.name}"`,
    })
  if (!bytes) return reply.send()
  // Node closes a socket that is idle for so long; a request injected by a test has none.
  if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(STALLED_MS)
  if (file.onLastByte && (!range || range.end === file.bytes - 1)) reply.raw.once('finish', file.onLastByte)
  return reply.send(exactly(length, bytes, file.beforeLastByte))
}

/** The manifest of an hour as a file. */
export function manifestFile(manifest: Manifest): SentFile {
  const bytes = Buffer.from(JSON.stringify(manifest))
  return {
    name: `${manifest.hour}.json`,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    open: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
  }
}

/** Passes `length` bytes on, and aborts the answer if there are fewer or more: nobody must take it for complete. */
function exactly(length: number, bytes: Readable, beforeLastByte: SentFile['beforeLastByte']): Readable {
  let left = length
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left === 0) beforeLastByte?.()
      done(left < 0 ? new Error('The file is longer than its manifest says.') : null, chunk)
    },
    flush(done) {
      done(left === 0 ? null : new Error('The file is shorter than its manifest says.'))
    },
  })
  // Errors surface in the answer itself.
  pipeline(bytes, checked, () => {})
  return checked
}
