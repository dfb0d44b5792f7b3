import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import { createLocalCheck, FORWARDING_HEADER, isLoopbackHost, isPrivateHost } from '@pairwire/process'
import type { ApiParts } from '../../parts.ts'
import { readAdminAllow } from './admin-allow.ts'
import { roomOf } from './room.ts'

/** The constraint of the room's routes, and its only value. */
export const ROOM_ONLY = { constraints: { room: 'open' } } as const

/** The same for calls with a token, which are for everyone, on every host. */
export const TOKEN_ONLY = { constraints: { room: 'token' } } as const

/** Whether a call brings a token, or says so. */
export function isTokenCall({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return /^\/api\/operator\//.test(url ?? '') && /^Bearer +pwo_/i.test(headers.authorization ?? '')
}

/** Paths of the room and its calls. */
const ROOM_PATHS = /^\/(?:admin|api\/operator)(?:[/?]|$)/

/**
 * The constraint by which the router finds the room's routes: they exist for those whom `ADMIN_ALLOW` lets in, on the room's
 * host. For everyone else the router has no such route, so the answer is that of any unknown path. On a host of its own the
 * room's routes are the only ones.
 */
export function createRoomDoor(
  parts: Pick<ApiParts, 'adminAllow' | 'adminUrl' | 'isLocal' | 'production' | 'publicUrl' | 'trustProxy'>,
) {
  const { host, isShut } = roomOf(parts)
  const isAllowed = createAllowCheck(parts)
  const deriveConstraint = (request: IncomingMessage): string | undefined => {
    if (isTokenCall(request)) return 'token'
    if (host !== undefined && request.headers.host?.toLowerCase() === host) {
      return isAllowed(request) ? 'open' : 'closed'
    }
    const isOpen = host === undefined && !isShut && ROOM_PATHS.test(request.url ?? '')
    return isOpen && isAllowed(request) ? 'open' : undefined
  }
  return {
    name: 'room',
    storage: createHandlers,
    deriveConstraint,
    validate: () => {},
    mustMatchWhenDerived: true,
  }
}

/** Handlers by the value of the constraint. */
function createHandlers<Handler>() {
  const handlers = new Map<unknown, Handler>()
  return {
    get: (value: unknown) => handlers.get(value) ?? null,
    set: (value: unknown, handler: Handler) => void handlers.set(value, handler),
  }
}

/** Whether a request comes from an address that may see the room. */
function createAllowCheck({ adminAllow, isLocal, trustProxy }: Parameters<typeof createRoomDoor>[0]) {
  const isFromHere = createLocalCheck({ isLocal })
  if (adminAllow === undefined) return (raw: IncomingMessage) => isFromHere({ raw, socket: raw.socket })

  const allowed = readAdminAllow(adminAllow)
  const isTrusted = proxyAddress.compile([...trustProxy])
  return (raw: IncomingMessage): boolean => {
    const address = plainOf(proxyAddress(raw, isTrusted))
    if (!allowed.has(address)) return false
    const isForwarded = Object.keys(raw.headers).some((name) => FORWARDING_HEADER.test(name))
    if (!isForwarded || adminAllow.trim().toLowerCase() === 'any') return true
    // A proxy that nobody named has forwarded anybody, and one of our own does not speak for this machine.
    const isVouched = address !== plainOf(raw.socket.remoteAddress ?? '')
    return !isLoopbackHost(address) && (isVouched || !isPrivateHost(address))
  }
}

/** An address without the form that a dual-stack socket gives it. */
export function plainOf(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
