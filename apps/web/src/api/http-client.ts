import { REQUEST_TIMEOUT_MS } from '@pairwire/contract/plans'
import { currentSession } from '../session/session.ts'
import { noAnswer, readApiError } from './api-error.ts'
import { serverClock } from './server-clock.ts'

/** Method and path of a call, as the contract lists them. */
export type Call = Readonly<{ method: string; path: string }>

/** How a call is made. */
export type CallOptions = Readonly<{
  /** Sent as JSON. */
  body?: unknown
  /** Sends the session along; a 401 then ends it. */
  session?: boolean
  /** A 401 is thrown as any other failure, and the session goes on. */
  quiet?: boolean
  signal?: AbortSignal | undefined
}>

/**
 * Makes a call and gives back the parsed body; `undefined` for an empty one.
 *
 * @throws ApiError when the answer is not a success, or when there is none within 10 s.
 */
export async function callApi(call: Call, options: CallOptions = {}): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  const session = options.session ? currentSession() : undefined
  if (session) headers.authorization = `Bearer ${session.token}`

  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const response = await fetchAnswer(call, {
    method: call.method,
    headers,
    body: options.body === undefined ? null : JSON.stringify(options.body),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  })
  if (response.ok) return response.body

  if (response.status === 401 && options.session && !options.quiet) sessionEnded()
  throw readApiError(response.status, response.body)
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
    return { ok: response.ok, status: response.status, body: parse(text, response.ok) }
  } catch {
    throw noAnswer()
  }
}

/** A success must be readable; a failure says enough by its status. */
function parse(text: string, mustParse: boolean): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (mustParse) throw cause
    return undefined
  }
}
