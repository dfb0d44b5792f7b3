import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { bearerOf, isApiKey } from '@pairwire/contract'

/** The parts of an upgrade request that the gateway reads. */
type UpgradeRequest = Readonly<{
  /** Path without the query; undefined if the address is invalid. */
  path: string | undefined
  /** The key as sent; undefined if there is none. A bearer of another form is a session, and no key. */
  key: string | undefined
  query: URLSearchParams
  /** Whether to refuse by a close: browsers can read nothing else, and other clients may ask for it. */
  isToldByClose: boolean
  /** The client's name for itself, then its user agent, printable ASCII and short; empty when it has neither. */
  client: string
}>

/** Names of the key in the query, the documented one first. */
export const KEY_PARAMETERS = ['key', 'apiKey', 'api_key', 'api-key'] as const

/** Characters kept of the client's name, and of the name and its user agent together. */
const [NAME_MAX_CHARACTERS, CLIENT_MAX_CHARACTERS] = [100, 200]

/** Reads path, key and kind of client. Of the query it reads only `key`, `client` and `refusals`. */
export function readUpgradeRequest(request: IncomingMessage): UpgradeRequest {
  const { origin, 'x-api-key': header, authorization, 'user-agent': agent = '' } = request.headers
  const url = readUrl(request.url)
  const inQuery = KEY_PARAMETERS.map((name) => url?.searchParams.get(name)).find(Boolean)
  const name = url?.searchParams.get('client')?.slice(0, NAME_MAX_CHARACTERS) ?? ''
  const bearer = bearerOf(authorization) ?? ''
  const isBrowser = origin !== undefined && agent.includes('Mozilla/')
  return {
    path: url?.pathname,
    key:
      (typeof header === 'string' && header.trim()) || (isApiKey(bearer) && bearer) || inQuery || undefined,
    query: url?.searchParams ?? new URLSearchParams(),
    isToldByClose: isBrowser || url?.searchParams.get('refusals') === 'close',
    client: `${name} ${agent}`
      .replace(/[^ -~]/g, '')
      .trim()
      .slice(0, CLIENT_MAX_CHARACTERS),
  }
}

/** Whether the request asks for a websocket, perhaps in a list, and not only for HTTP/2 or another protocol. */
export function asksForWebsocket({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? []
  return protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket')
}

/** Passes a server's upgrades to `handle`. Node 24.9 and later answer requests for other protocols themselves. */
export function takeUpgrades(server: Server, handle: (...args: UpgradeArguments) => void): void {
  Object.assign(server, { shouldUpgradeCallback: asksForWebsocket }).on('upgrade', handle)
}

type UpgradeArguments = [request: IncomingMessage, socket: Duplex, head: Buffer]

/**
 * Returns why a websocket request is no valid handshake; undefined if it is valid.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-4.2.1
 */
export function handshakeFault({
  method,
  httpVersion,
  headers,
}: IncomingMessage): 'noHandshake' | 'wrongVersion' | undefined {
  if (method !== 'GET' || httpVersion !== '1.1') return 'noHandshake'
  if (headers['sec-websocket-version'] !== '13') return 'wrongVersion'
  return SIXTEEN_BYTES.test(headers['sec-websocket-key'] ?? '') ? undefined : 'noHandshake'
}

/** Base64 of 16 bytes. */
const SIXTEEN_BYTES = /^[+/0-9A-Za-z]{22}==$/

function readUrl(target = ''): URL | undefined {
  // Proxies send the whole address (RFC 9112 section 3.2.2). A leading `//` would be parsed as a host.
  const isWhole = /^(?:http|ws)s?:\/\//i.test(target)
  if (!isWhole && (!target.startsWith('/') || target.startsWith('//'))) return undefined
  try {
    return new URL(target, 'http://gateway')
  } catch {
    return undefined
  }
}
