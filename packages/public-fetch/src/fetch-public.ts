import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type OwnPages, readHttps } from './file-url.ts'
import type { Place, ResolvePlace } from './public-resolver.ts'

/** Milliseconds for everything: names, redirects and the last byte. */
const TIME_LIMIT_MS = 2_000

const REDIRECTS = 3

/** Fetches a stranger's file. Rejects, in time, if it cannot be fetched. */
export type PublicFetch = (url: URL) => Promise<Buffer>

/** What {@link createPublicFetch} needs. */
type PublicFetchOptions = Readonly<{
  resolve: ResolvePlace
  /** Most bytes of a file, also after decompression. */
  sizeLimit: number
  /** The value of the `Accept` header. */
  accept: string
  /** Whether to read an answer of this content type; by default any. */
  takes?(contentType: string): boolean
  own?: OwnPages | undefined
  timeLimitMs?: number
  /** Replaced in tests, which have no certificates. */
  request?: (url: URL, options: RequestOptions) => ClientRequest
}>

/**
 * Creates a fetch. Each hop is looked up once, checked by `resolve`, and connected to at exactly the address that was
 * checked, so that a name that changes in between gains nothing.
 */
export function createPublicFetch({
  resolve,
  sizeLimit,
  accept,
  takes = () => true,
  own,
  timeLimitMs = TIME_LIMIT_MS,
  request = httpsRequest,
}: PublicFetchOptions): PublicFetch {
  const isOwn = (url: URL) => own !== undefined && url.href.startsWith(own.prefix)

  const placeOf = async (url: URL, signal: AbortSignal): Promise<Place> => {
    if (own && isOwn(url)) {
      return { address: own.address, family: own.address.includes(':') ? 6 : 4, port: own.port }
    }
    return orAborted(resolve(url.hostname), signal)
  }

  const ask = async (url: URL, signal: AbortSignal): Promise<IncomingMessage> => {
    const { address, family, port } = await placeOf(url, signal)
    signal.throwIfAborted()
    return new Promise((answered, failed) => {
      const asked = (isOwn(url) ? httpRequest : request)(url, {
        signal,
        agent: false,
        maxHeaderSize: 16 * 1024,
        ...(port !== undefined && { port }),
        headers: { accept, 'accept-encoding': 'identity' },
        lookup: (_host, options, callback) => {
          if (options.all) callback(null, [{ address, family }])
          else callback(null, address, family)
        },
      })
      asked.on('response', answered)
      asked.on('error', failed)
      // Of an answer 101, a change of protocol, this is all that ever comes.
      asked.on('close', () => failed(new Error('The connection was closed without an answer.')))
      asked.end()
    })
  }

  const follow = async (url: URL, signal: AbortSignal, left: number): Promise<Buffer> => {
    const answer = await ask(url, signal)
    const status = answer.statusCode ?? 0
    if (status >= 300 && status < 400) {
      answer.destroy()
      const { location } = answer.headers
      const target = location !== undefined && URL.canParse(location, url.href) && new URL(location, url)
      const next = target && readHttps(target.href)
      if (!next || left === 0) throw new Error('The redirect leads nowhere.')
      return follow(next, signal, left - 1)
    }
    const isTooLarge = Number(answer.headers['content-length'] ?? 0) > sizeLimit
    if (status !== 200 || isTooLarge || !takes(answer.headers['content-type'] ?? '')) {
      answer.destroy()
      throw new Error('The answer is not a file of this type, or is too large.')
    }
    const body = await readBody(answer, sizeLimit)
    // Without an announced length, a body that was cut by the limit of time ends like a whole one.
    signal.throwIfAborted()
    return body
  }

  return (url) => follow(url, AbortSignal.timeout(timeLimitMs), REDIRECTS)
}

async function readBody(answer: IncomingMessage, sizeLimit: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of unpacked(answer) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > sizeLimit) throw new Error('The file is too large.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The body without its content coding, which some servers apply unasked. It is read no faster than it is consumed. */
function unpacked(answer: IncomingMessage): Readable {
  const coding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return answer
  const unpack = UNPACKERS[coding]?.()
  if (!unpack) {
    answer.destroy()
    throw new Error('The content coding is unknown.')
  }
  answer.on('error', (error) => unpack.destroy(error))
  unpack.on('close', () => answer.destroy())
  return answer.pipe(unpack)
}

const UNPACKERS: Readonly<Record<string, (() => ReturnType<typeof createGunzip>) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** A DNS query cannot be cancelled: its answer is ignored. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
