import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Bytes below which a text travels as it is: it fits one packet either way. */
const WORTH_IT_BYTES = 1_200

/**
 * Sends a text in the shortest form that the client takes. Not for pages that hold a secret beside what a stranger
 * can put there: the length of a compressed answer tells about both.
 */
export async function sendCompressed(reply: FastifyReply, text: string): Promise<FastifyReply> {
  const bytes = Buffer.from(text)
  reply.header('vary', 'accept-encoding')
  if (bytes.length < WORTH_IT_BYTES) return reply.send(bytes)

  const accepted = String(reply.request.headers['accept-encoding'] ?? '')
  if (/\bbr\b/.test(accepted)) {
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
    return reply.header('content-encoding', 'br').send(await promisify(brotliCompress)(bytes, options))
  }
  if (/\bgzip\b/.test(accepted)) {
    return reply.header('content-encoding', 'gzip').send(await promisify(gzip)(bytes))
  }
  return reply.send(bytes)
}
