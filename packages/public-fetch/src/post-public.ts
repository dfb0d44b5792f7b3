import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { FILE_URL_MAX } from './file-url.ts'
import { createPublicResolver, isOthersAddress, type ResolvePlace } from './public-resolver.ts'

/** Milliseconds for everything: the name, the connection, the answer. */
const TIME_LIMIT_MS = 10_000

/** Milliseconds that a connection lives: half of them it takes posts, a third it may wait for another. */
const KEPT_MS = 60_000

/** Bytes of an answer that are read; a connection with more of them is closed. */
const ANSWER_MAX_BYTES = 4_096

/** What a receiver answered. `body` is what was read of it, as text; `retryAfterMs` its `Retry-After`, if it had one. */
export type PostAnswer = Readonly<{ status: number; body: string; retryAfterMs: number | undefined }>

/** Posts to strangers' addresses. */
export type PublicPost = Readonly<{
  /** Whether an address may be posted to by its text; its name is looked up for each connection. */
  accepts(url: string): boolean
  /** Follows no redirect. Rejects for an address that may not be posted to, and if no answer begins in time. */
  post(
    url: string,
    message: Readonly<{ headers: Record<string, string>; body: string; timeLimitMs?: number }>,
  ): Promise<PostAnswer>
  /** Closes all connections, also those in use. */
  close(): void
}>

/** What {@link createPublicPost} needs. */
type PublicPostOptions = Readonly<{
  /** Addresses of the service itself, which gets no posts. */
  own: readonly string[]
  /** Whether the service is on this machine alone; then plain http to this machine is allowed. */
  isLocal: boolean
  resolve?: ResolvePlace
  keptMs?: number
  /** The certificate to trust instead of the machine's, in tests. */
  ca?: string
}>

/** Creates the posts: each connection is looked up once, checked, and made to the address that was checked. */
export function createPublicPost(options: PublicPostOptions): PublicPost {
  const { isLocal, resolve = createPublicResolver(), keptMs = KEPT_MS, ca } = options
  const own = options.own.map((text) => new URL(text))
  const lookup: LookupFunction = (host, { all }, callback) => {
    resolve(host).then(
      ({ address, family }) =>
        all ? callback(null, [{ address, family }]) : callback(null, address, family),
      (error) => callback(error, ''),
    )
  }
  const born = new WeakMap<Duplex, number>()
  const kept = <Kept extends HttpAgent>(agent: Kept): Kept => {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => unknown // a boolean, whatever its type says
    agent.keepSocketAlive = (socket) =>
      performance.now() - (born.get(socket) ?? 0) < keptMs / 2 && keep(socket) !== false
    return agent
  }
  const keeping = { keepAlive: true, timeout: keptMs / 3 }
  const https = kept(new HttpsAgent({ ...keeping, lookup, ...(ca && { ca }) }))
  const http = kept(new HttpAgent(keeping))

  const read = (text: string): URL | undefined => {
    const url = text.length <= FILE_URL_MAX && URL.canParse(text) ? new URL(text) : undefined
    if (!url || url.username || url.password || (url.port && Number(url.port) < 1_024)) return undefined
    if (url.protocol === 'http:') {
      const isHere = isLocal && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
      return isHere && own.every(({ port }) => port !== url.port) ? url : undefined
    }
    const host = bare(url)
    if (url.protocol !== 'https:' || own.some((each) => bare(each) === host)) return undefined
    return isIP(host) === 0 || isOthersAddress(host) ? url : undefined
  }

  const ask = (url: URL, headers: Record<string, string>, body: string, signal: AbortSignal) =>
    new Promise<IncomingMessage>((answered, failed) => {
      const options = { method: 'POST', headers, signal, maxHeaderSize: 16 * 1024 }
      const asked =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent: https })
          : httpRequest(url, { ...options, agent: http })
      asked.on('socket', (socket) => born.has(socket) || born.set(socket, performance.now()))
      asked.on('response', answered)
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed a kept connection just as it was used: nothing was answered, so a new one is tried.
        if (asked.reusedSocket && error.code === 'ECONNRESET') answered(ask(url, headers, body, signal))
        else failed(error)
      })
      asked.on('close', () => failed(new Error('The connection was closed without an answer.')))
      asked.end(body)
    })

  return {
    accepts: (text) => read(text) !== undefined,
    async post(text, { headers, body, timeLimitMs = TIME_LIMIT_MS }) {
      const url = read(text)
      if (!url) throw new Error('Nothing is posted to this address.')
      const signal = AbortSignal.timeout(timeLimitMs)
      const answer = await ask(url, headers, body, signal).catch((error: Error) => {
        throw signal.aborted ? new Error(`No answer within ${timeLimitMs / 1_000} s.`) : error
      })
      return {
        status: answer.statusCode ?? 0,
        body: await readStart(answer),
        retryAfterMs: readRetryAfter(answer.headers['retry-after']),
      }
    },
    close() {
      https.destroy()
      http.destroy()
    },
  }
}

/** The first bytes of an answer, or what came of them in time. */
async function readStart(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      pieces.push(piece)
      size += piece.length
      if (size > ANSWER_MAX_BYTES) break // this destroys it
    }
  } catch {} // its status has come
  return Buffer.concat(pieces).subarray(0, ANSWER_MAX_BYTES).toString()
}

/** Seconds, or a date. */
function readRetryAfter(text: string | undefined): number | undefined {
  const ms = text && /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text ?? '') - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** A URL's host without brackets and final dot. */
const bare = ({ hostname }: URL) => hostname.replace(/^\[|\]$|\.$/g, '')
