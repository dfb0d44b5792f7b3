import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Bytes below which a text is not compressed: it fits one packet either way. */
const WORTH_IT_BYTES = 1_200

/** Sends a text that never changes: each encoding is made once, on first request. */
export function createCompressed(text: string): (reply: FastifyReply) => Promise<FastifyReply> {
  const forms = new Map<string, Promise<Buffer>>()
  return (reply) => sendForm(reply, Buffer.from(text), forms)
}

/** The same for a file: browsers ask each time whether theirs is still current, which costs no body. */
export function createFile(text: string, type: string): (reply: FastifyReply) => Promise<FastifyReply> {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
  const send = createCompressed(text)
  return async (reply) => {
    reply.header('cache-control', 'no-cache').header('etag', tag).type(type)
    // Proxies that compress return the tag as a weak one.
    const isKnown = reply.request.headers['if-none-match']?.includes(tag)
    return isKnown && reply.statusCode === 200 ? reply.code(304).send() : send(reply)
  }
}

/**
 * Sends a text in the shortest encoding that the client accepts. Not for pages with a secret beside text that a stranger can
 * choose: the length of a compressed answer reveals both.
 */
export function sendCompressed(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return sendForm(reply, Buffer.from(text), new Map())
}

/** Compressions by their name on the wire, the shortest first. */
const COMPRESSIONS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
}

async function sendForm(
  reply: FastifyReply,
  bytes: Buffer,
  forms: Map<string, Promise<Buffer>>,
): Promise<FastifyReply> {
  const varies = reply.getHeader('vary')
  reply.header('vary', varies ? `${varies}, accept-encoding` : 'accept-encoding')
  const accepted = String(reply.request.headers['accept-encoding'] ?? '')
  const encoding = Object.keys(COMPRESSIONS).find((name) => new RegExp(`\\b${name}\\b`).test(accepted))
  const compress = encoding && COMPRESSIONS[encoding]
  if (bytes.length < WORTH_IT_BYTES || !encoding || !compress) return reply.send(bytes)

  const form = forms.get(encoding) ?? compress(bytes)
  forms.set(encoding, form)
  return reply.header('content-encoding', encoding).send(await form)
}
