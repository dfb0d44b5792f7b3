import { REFRESH_HEADER } from '@pairwire/contract/operator'
import { QueryClient } from '@tanstack/react-query'
import { ApiError, noAnswer } from '../api/api-error.ts'

/** Milliseconds after which a call without an answer is given up: the doctor may take 30 s. */
const GIVEN_UP_MS = 40_000

/** What the room knows from the server. */
export const room = new QueryClient({ defaultOptions: { queries: { retry: false } } })

/** Under which it knows who is signed in. */
export const SESSION_KEY = ['operator', 'session']

/** Whether anybody pressed a key or a button since the last call: a call without it only refreshes what is shown. */
let isActing = true
for (const kind of ['pointerdown', 'keydown']) {
  window.addEventListener(kind, () => (isActing = true), { capture: true, passive: true })
}

/** Options of a call: with a `body`, which is sent as JSON, it is a POST. */
type CallOptions = Readonly<{ body?: unknown; accept?: string; signal?: AbortSignal | undefined }>

/**
 * Makes a call below `/api/operator`. One that nobody's press has led to says so, and does not count for the session.
 *
 * @throws ApiError with the server's `errorType` and sentence, or without an answer
 */
export async function callRoom(path: string, { body, accept, signal }: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: accept ?? 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (!isActing) headers[REFRESH_HEADER] = '1'
  isActing = false
  const timeout = AbortSignal.timeout(GIVEN_UP_MS)
  const response = await fetch(`/api/operator/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(() => {
    throw noAnswer()
  })
  if (response.ok) return response
  // The session may have ended, or a code was wrong.
  if (response.status === 401 && path !== 'session') void room.invalidateQueries({ queryKey: SESSION_KEY })
  // Whatever stands between us and the service may answer in any form.
  const { errorType, errorMessage } = (await response.json().catch(() => null)) ?? {}
  const isNamed = typeof errorType === 'string'
  throw new ApiError(
    isNamed ? errorType : 'ERR_UNKNOWN',
    typeof errorMessage === 'string' ? errorMessage : undefined,
    isNamed,
  )
}

/** The token of the sign-in link that was opened, which the page's first script took out of the address; empty without one. */
export function readLinkToken(): string {
  try {
    return window.sessionStorage.getItem(LINK) ?? ''
  } catch {
    return window.pairwireRoomLink ?? ''
  }
}

/** Forgets it: it works once. */
export function forgetLinkToken(): void {
  window.pairwireRoomLink = ''
  try {
    window.sessionStorage.removeItem(LINK)
  } catch {
    // It was never stored.
  }
}

const LINK = 'room.link'

declare global {
  interface Window {
    /** The link's token where storage is unavailable. */
    pairwireRoomLink?: string
  }
}
