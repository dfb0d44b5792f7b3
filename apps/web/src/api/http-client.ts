import { REQUEST_TIMEOUT_MS } from '@pairwire/contract/plans'
import { currentSession } from '../session/session.ts'
import { type ApiError, noAnswer, readApiError } from './api-error.ts'
import { serverClock } from './server-clock.ts'

/** Method and path of a call, as the contract lists them. */
type Call = Readonly<{ method: string; path: string }>

/** How a call is made. */
type CallOptions = Readonly<{
  /** Sent as JSON. */
  body?: unknown
  /** Sends the session along; a 401 then ends it. */
  session?: boolean
  /** A 401 is thrown as any other failure, and the session goes on. */
  quiet?: boolean
  /** Goes on when the page is left. */
  keepalive?: boolean
  signal?: AbortSignal | undefined
}>

/**
 * Makes a call and gives back the parsed body; `undefined` for an empty one or a plain text. A call that needs
 * a session and has none, or one that has expired, is not sent: it ends as a 401 does.
 *
 * @throws ApiError when the answer is not a success, or when there is none within 10 s.
 */
export async function callApi(call: Call, options: CallOptions = {}): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  if (options.session) {
    const session = currentSession()
    if (!session) throw refused(options)
    headers.authorization = `Bearer ${session.token}`
  }

  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const response = await fetchAnswer(call, {
    method: call.method,
    headers,
    body: options.body === undefined ? null : JSON.stringify(options.body),
    keepalive: options.keepalive ?? false,
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  })
  if (response.ok) return response.body

  if (response.status === 401 && options.session) throw refused(options, response.body)
  throw readApiError(response.status, response.body)
}

/** Milliseconds in which a server that is there says so. */
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

/** Says what happens when a call brings no answer. */
export function onNoAnswer(listener: () => void): void {
  noAnswerListener = listener
}

/** The error of a session that is over, by the clock or by the server's word. */
function refused({ quiet }: CallOptions, body?: unknown): ApiError {
  if (!quiet) sessionEnded()
  return readApiError(401, body)
}

/**
 * Says what happens when an authenticated call is answered 401; the shell goes to the sign-out page. Calls begin
 * before the shell stands: an answer that came earlier is told at once.
 */
export function onSessionEnded(listener: () => void): void {
  endListener = listener
  if (!endedUnheard) return
  endedUnheard = false
  listener()
}

let endListener: (() => void) | undefined
let endedUnheard = false

function sessionEnded(): void {
  if (endListener) endListener()
  else endedUnheard = true
}

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

/** What is read from an answer asks for its own form; where nothing is read, the status says enough. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
