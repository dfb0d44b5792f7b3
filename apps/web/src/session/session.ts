import { useEffect, useSyncExternalStore } from 'react'
import { keep, readKept } from '../components/kept.ts'
import { serverClock } from './server-clock.ts'

/** Where the session token is stored in the browser; the specification's name. */
const TOKEN_KEY = 'token'

/** Proof that somebody is signed in, as long as it has not expired. */
type Session = Readonly<{ token: string }>

/** The session of `token` at `now` (milliseconds); `undefined` when it is unreadable or has expired. */
export function readSession(token: string | null, now: number): Session | undefined {
  const claims = readClaims(token)
  if (token === null || !claims) return undefined
  // A JWT counts in seconds (RFC 7519 section 4.1.4); one without an expiry does not expire.
  if (claims.exp !== undefined && claims.exp * 1000 <= now) return undefined
  return { token }
}

/** The current session of this browser. */
export function currentSession(): Session | undefined {
  const token = readStored()
  const session = readSession(token, now())
  // A token can expire while the page is open; one that seemed to have has not, once the server's clock is known.
  if (token !== last.token || !session !== !last.session) last = { token, session }
  return last.session
}

/** Whether this browser's token was valid and has expired. */
export function hasSessionExpired(): boolean {
  return readClaims(readStored()) !== undefined && !currentSession()
}

/** Keeps `token` as this browser's session. */
export function signIn(token: string): void {
  keep(TOKEN_KEY, token)
  // Storage may be unavailable, or full and still hold an earlier token.
  memory = readKept(TOKEN_KEY) === token ? null : token
  tell()
}

/** Forgets this browser's session. */
export function signOut(): void {
  memory = null
  keep(TOKEN_KEY, undefined)
  tell()
}

/** The session, updated when somebody signs in or out, in this or another tab; `undefined` when signed out. */
export function useSession(): Session | undefined {
  const session = useSyncExternalStore(subscribe, currentSession)
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawing may find first that it has expired, and the rest of the page is to know
  useEffect(tell, [session])
  return session
}

let last: { token: string | null; session: Session | undefined } = { token: null, session: undefined }
let memory: string | null = null
// Of two clocks the earlier: this device's may be wrong, and what was heard of the server's may no longer hold.
const now = () => Date.now() + Math.min(0, serverClock.offset())
const listeners = new Set<() => void>()

function readStored(): string | null {
  return memory ?? readKept(TOKEN_KEY) ?? null
}

function tell(): void {
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** The claims of a JWT that the page reads. Verifying its signature is up to the server. */
function readClaims(token: string | null): { exp: number | undefined } | undefined {
  const [, payload] = token?.split('.') ?? []
  if (!payload) return undefined
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const claims: unknown = JSON.parse(text)
    if (typeof claims !== 'object' || claims === null) return undefined
    const exp = 'exp' in claims ? claims.exp : undefined
    return { exp: typeof exp === 'number' ? exp : undefined }
  } catch {
    return undefined
  }
}
