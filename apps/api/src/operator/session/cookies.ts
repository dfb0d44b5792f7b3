import type { FastifyRequest } from 'fastify'
import type { Room } from './room.ts'

/** Cookies of the room: the session, and the mark of the browser that asked for a link. */
const COOKIES = {
  session: { name: 'pairwire-operator', sameSite: 'Strict' },
  /** A link in a mail is opened from another site. */
  browser: { name: 'pairwire-operator-browser', sameSite: 'Lax' },
} as const

type CookieName = keyof typeof COOKIES

/** The value of a cookie; empty if there is none, or it has another form than ours. */
export function readCookie({ isSecure }: Room, cookie: CookieName, request: FastifyRequest): string {
  const name = nameOf(isSecure, cookie)
  const pairs = (request.headers.cookie ?? '').split(/; */)
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
  return /^[\w-]{43}$/.test(value) ? value : ''
}

/** A `Set-Cookie` header; `seconds` of 0 removes the cookie. Without `seconds` it ends with the browser. */
export function writeCookie({ isSecure }: Room, cookie: CookieName, value: string, seconds?: number): string {
  const parts = [`${nameOf(isSecure, cookie)}=${value}`, 'Path=/', 'HttpOnly']
  if (isSecure) parts.push('Secure')
  parts.push(`SameSite=${COOKIES[cookie].sameSite}`)
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`)
  return parts.join('; ')
}

function nameOf(isSecure: boolean, cookie: CookieName): string {
  // Browsers take this prefix from https only, and then from this very host and no other.
  return `${isSecure ? '__Host-' : ''}${COOKIES[cookie].name}`
}
