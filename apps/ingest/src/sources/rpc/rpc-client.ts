import { type Clock, codeOf, type FollowingController, followSignals } from '@pairwire/basics'
import { FeedError, oneLine } from '../chain/feed.ts'
import { hideSecrets } from '../hide-secrets.ts'

/** Sends requests to one JSON-RPC endpoint, within its rate limits. */
export type RpcClient = Readonly<{
  /** Host for display, never the address, which may contain a token. */
  host: string
  /** The `result` of a call. @throws RpcError, FeedError */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Streams the bytes of a call's whole answer. @throws FeedError */
  stream(method: string, params: readonly unknown[], signal: AbortSignal): AsyncIterable<Buffer>
}>

/** What {@link createRpcClient} needs. */
type RpcClientOptions = Readonly<{
  url: URL
  /** Sent as `x-token`. */
  token: string | undefined
  clock: Clock
  /** Called each time the endpoint answers that there are too many requests. */
  onLimit?(): void
}>

/** The endpoint answered with an error. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}

/** Milliseconds in which an answer must begin, and continue. */
const ANSWER_MS = 10_000

/** Bytes of the largest accepted answer; a block is a few megabytes. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** Bytes of the longest answer that may be a refusal. */
const MAX_REFUSAL_BYTES = 2_048

/** Milliseconds to rest after "too many requests" if the endpoint names none: doubled each time up to the maximum. */
const FIRST_REST_MS = 500
const LAST_REST_MS = 30_000

/** Creates a client. Calls made while the endpoint wants a rest wait for its end. */
export function createRpcClient({ url, token, clock, onLimit }: RpcClientOptions): RpcClient {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { 'x-token': token }),
  }
  const hide = hideSecrets([token], [url])
  let restUntil = 0
  let restMs = FIRST_REST_MS
  let nextId = 1

  const rest = ({ headers }: Response) => {
    const seconds = Number(headers.get('retry-after'))
    const asked = seconds > 0 ? seconds * 1_000 : restMs
    restUntil = clock.elapsed() + Math.min(asked, LAST_REST_MS)
    restMs = Math.min(restMs * 2, LAST_REST_MS)
    onLimit?.()
  }

  /** Repeats the request until the HTTP status is not "too many requests". */
  const ask = async (
    method: string,
    params: readonly unknown[],
    asking: FollowingController,
  ): Promise<Response> => {
    const { signal } = asking
    const body = JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params })
    for (;;) {
      const early = restUntil - clock.elapsed()
      if (early > 0) await clock.wait(early, signal)
      signal.throwIfAborted()
      const response = await inTime(fetch(url, { method: 'POST', headers, body, signal }), asking, clock)
      if (response.status !== 429) {
        if (!response.ok && !isAnswer(response)) throw await refusalOf(response)
        return response
      }
      rest(response)
      await response.body?.cancel()
    }
  }

  async function* stream(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): AsyncIterable<Buffer> {
    const asking = followSignals(signal)
    try {
      for (;;) {
        const response = await ask(method, params, asking)
        let bytes = 0
        /** The answer, while it may be a refusal. */
        let held: Buffer[] | undefined = []
        const reader = response.body?.getReader()
        for (;;) {
          const part = reader && (await inTime(reader.read(), asking, clock)).value
          if (!part) break
          const chunk = Buffer.from(part.buffer, part.byteOffset, part.length)
          bytes += chunk.length
          if (bytes > MAX_ANSWER_BYTES)
            throw new FeedError('broken', 'The endpoint sends an answer without an end.')
          if (held) {
            held.push(chunk)
            if (bytes <= MAX_REFUSAL_BYTES) continue
            yield* held
            held = undefined
          } else yield chunk
        }
        if (held && saysTooMany(Buffer.concat(held))) {
          rest(response)
          continue
        }
        restMs = FIRST_REST_MS
        if (held) yield* held
        return
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof FeedError || error instanceof RpcError ? error : unreachable(error)
    } finally {
      asking.abort()
    }
  }

  return {
    host: url.host,
    stream,
    async call(method, params, signal) {
      const chunks: Buffer[] = []
      for await (const chunk of stream(method, params, signal)) chunks.push(chunk)
      try {
        return resultOf(parse(Buffer.concat(chunks)))
      } catch (error) {
        throw error instanceof RpcError ? new RpcError(error.code, hide(error.message)) : error
      }
    },
  }
}

/** Returns the `result` of an answer. @throws RpcError when it is an error, FeedError when it is not JSON-RPC */
export function resultOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) throw new FeedError('unusable', NO_RPC)
  if ('error' in answer && answer.error !== null && answer.error !== undefined) {
    const { code, message } = answer.error as Record<string, unknown>
    throw new RpcError(typeof code === 'number' ? code : 0, oneLine(String(message)).slice(0, 300))
  }
  if (!('result' in answer)) throw new FeedError('unusable', NO_RPC)
  return answer.result
}

const NO_RPC = 'The server at this address does not speak JSON-RPC.'

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new FeedError('unusable', NO_RPC)
  }
}

/** Waits for an answer, or more of it, and fails when nothing comes in time. */
async function inTime<Part>(coming: Promise<Part>, asking: FollowingController, clock: Clock): Promise<Part> {
  let isLate = false
  const cancel = clock.after(ANSWER_MS, () => {
    isLate = true
    asking.abort()
  })
  try {
    return await coming
  } catch (error) {
    if (isLate) throw new FeedError('unreachable', 'The endpoint did not answer within 10 s.')
    asking.signal.throwIfAborted()
    throw unreachable(error)
  } finally {
    cancel()
  }
}

/** Explains a connection that could not be made, or broke. */
export function unreachable(error: unknown): FeedError {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = codeOf(cause) ?? ''
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return new FeedError('unreachable', 'There is no such host.')
  if (code === 'ECONNREFUSED') {
    return new FeedError('unreachable', 'Nothing listens there: the connection is refused.')
  }
  if (cause instanceof Error && cause.message === 'bad port') {
    return new FeedError('unreachable', 'Nothing listens there: HTTP is never spoken at this port.')
  }
  // Node 20 and 22 give the parser's code, later ones only its name.
  if (cause instanceof Error && cause.name === 'HTTPParserError') return new FeedError('unusable', NO_RPC)
  if (cause instanceof Error && /wrong version number/i.test(cause.message)) {
    return new FeedError('unreachable', 'The server at this address does not speak TLS.')
  }
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) {
    return new FeedError('unreachable', `A secure connection cannot be made: ${code}.`)
  }
  return new FeedError(
    'unreachable',
    `The endpoint cannot be reached: ${code || 'the connection broke off'}.`,
  )
}

/** Codes of JSON-RPC answers that mean too many requests. */
const TOO_MANY = [429, -32429]

/** Whether a short answer means "too many requests", which some endpoints send with HTTP 200. */
function saysTooMany(answer: Buffer): boolean {
  try {
    resultOf(parse(answer))
    return false
  } catch (error) {
    return (
      error instanceof RpcError &&
      (TOO_MANY.includes(error.code) || /too many requests|rate limit|requests? limit/i.test(error.message))
    )
  }
}

/** Some endpoints send a JSON-RPC error with its own HTTP status. */
function isAnswer({ status, headers }: Response): boolean {
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '')
  return isJson && (status === 400 || status === 500)
}

async function refusalOf(response: Response): Promise<FeedError> {
  const { status } = response
  await response.body?.cancel()
  if (status === 401 || status === 403) {
    return new FeedError('unauthorised', `The endpoint refuses our token or key (HTTP ${status}).`)
  }
  if (status === 404 || status === 405) {
    return new FeedError('unusable', `There is no JSON-RPC at this address (HTTP ${status}).`)
  }
  return new FeedError('broken', `The endpoint answers with HTTP ${status}.`)
}
