import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { readHttps } from './logo-url.ts'
import type { ResolvePlace } from './public-resolver.ts'

/** Milliseconds for everything: names, redirects and the last byte. */
const TIME_LIMIT_MS = 2_000

/** Bytes of a picture. */
const SIZE_LIMIT = 1024 * 1024

const REDIRECTS = 3

/** Fetches a stranger's file. Rejects, in time, when it is not to be had. */
export type FetchPicture = (url: URL) => Promise<Buffer>

/**
 * Makes it. Each hop is looked up once, checked by `resolve`, and connected to at the very address that was
 * checked, so that a name which changes its mind in between gains nothing.
 *
 * @param request replaced in tests, which have no certificates
 */
export function createPictureFetcher({
  resolve,
  request = httpsRequest,
  timeLimitMs = TIME_LIMIT_MS,
}: {
  resolve: ResolvePlace
  request?: (url: URL, options: RequestOptions) => ClientRequest
  timeLimitMs?: number
}): FetchPicture {
  const ask = async (url: URL, signal: AbortSignal): Promise<IncomingMessage> => {
    const { address, family, port } = await orAborted(resolve(url.hostname), signal)
    signal.throwIfAborted()
    return new Promise((answered, failed) => {
      const asked = request(url, {
        signal,
        agent: false,
        maxHeaderSize: 16 * 1024,
        ...(port !== undefined && { port }),
        headers: { accept: 'image/webp,image/png,image/jpeg,image/gif', 'accept-encoding': 'identity' },
        lookup: (_host, options, callback) => {
          if (options.all) callback(null, [{ address, family }])
          else callback(null, address, family)
        },
      })
      asked.on('response', answered)
      asked.on('error', failed)
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
    if (status !== 200) {
      answer.destroy()
      throw new Error('The answer is no picture.')
    }
    return readBody(answer)
  }

  return (url) => follow(url, AbortSignal.timeout(timeLimitMs), REDIRECTS)
}

async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = Number(answer.headers['content-length'] ?? 0) > SIZE_LIMIT ? SIZE_LIMIT + 1 : 0
  if (size === 0) {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > SIZE_LIMIT) break
      pieces.push(piece)
    }
  }
  if (size > SIZE_LIMIT) {
    answer.destroy()
    throw new Error('The picture is too large.')
  }
  return Buffer.concat(pieces)
}

/** A question to a name server cannot be taken back: it is left alone. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
