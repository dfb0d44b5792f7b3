import { serverClock } from '../session/server-clock.ts'
import { currentSession } from '../session/session.ts'
import { type ApiError, noAnswer, readApiError } from './api-error.ts'

/** Method and path of a call in the contract. */
type Call = Readonly<{ method: string; path: string }>

/** Options of a call. */
type CallOptions = Readonly<{
  /** Sent as JSON. */
  body?: unknown
  /** Sends the session; a 401 then ends it. */
  session?: boolean
  /** Throws a 401 like any other failure, and keeps the session. */
  quiet?: boolean
  /** Continues when the page is left. */
  keepalive?: boolean
  signal?: AbortSignal | undefined
}>

/** Milliseconds before a call times out. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Makes a call and returns the parsed body; `undefined` for an empty one or plain text. A call that needs a session is
 * not sent without a valid one: it fails as with a 401.
 *
 * @throws ApiError when the answer is not a success, or when there is none within 10 s.
 */
export async function callApi(call: Call, options: CallOptions = {}): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  const session = options.session ? currentSession() : undefined
  if (session) headers.authorization = `Bearer ${session.token}`
  else if (options.session) throw refused(options)

  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const response = await fetchAnswer(call, {
    method: call.method,
    headers,
    body: options.body === undefined ? null : JSON.stringify(options.body),
    keepalive: options.keepalive ?? false,
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  })
  if (response.ok) return response.body

  // Somebody may have signed in again meanwhile, also in another tab: that session is not over.
  const isLast = session && (currentSession() ?? session) === session
  if (response.status === 401 && isLast) throw refused(options, response.body)
  throw readApiError(response.status, response.body)
}

/** Milliseconds in which a reachable server answers. */
const THERE_MS = 5_000

/** Whether this page could be fetched again. */
export async function isServerThere(): Promise<boolean> {
  if (!navigator.onLine) return false
  try {
    const signal = AbortSignal.timeout(THERE_MS)
    await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store', signal })
    return true
  } catch {
    return false
  }
}

let noAnswerListener: (() => void) | undefined

/** Sets the listener for calls without an answer. */
export function onNoAnswer(listener: () => void): void {
  noAnswerListener = listener
}

/** Makes the error of a session that is over, by the clock or the server's answer. */
function refused({ quiet }: CallOptions, body?: unknown): ApiError {
  if (!quiet && endListener) endListener()
  else if (!quiet) endedUnheard = true
  return readApiError(401, body)
}

/**
 * Sets the listener for authenticated calls answered with 401; the shell goes to the sign-out page. Calls begin before
 * the shell exists, so an earlier answer is reported at once.
 */
export function onSessionEnded(listener: () => void): void {
  endListener = listener
  if (!endedUnheard) return
  endedUnheard = false
  listener()
}

let endListener: (() => void) | undefined
let endedUnheard = false

async function fetchAnswer(
  call: Call,
  init: RequestInit,
): Promise<{ ok: boolean; status: number; body: unknown }> {
  try {
    const sent = Date.now()
    const response = await fetch(call.path, init)
    serverClock.heard(response.headers.get('date'), sent, Date.now())
    const text = await response.text()
    // A success that is a page comes from something between us and the service.
    if (response.ok && text.trimStart().startsWith('<')) throw noAnswer()
    return { ok: response.ok, status: response.status, body: parse(text) }
  } catch {
    noAnswerListener?.()
    throw noAnswer()
  }
}

/** Callers check the form of what they read; for others the status is enough. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
