import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** What the gateway reads of an upgrade request. */
type UpgradeRequest = Readonly<{
  /** Path without the query; undefined when the address cannot be read. */
  path: string | undefined
  /** The key as it came; undefined when none did. */
  key: string | undefined
  isBrowser: boolean
  /** What the client calls itself, printable ASCII and short; empty when it does not say. */
  client: string
}>

/** Names of the key in the query, the documented one first. */
const KEY_PARAMETERS = ['key', 'apiKey', 'api_key', 'api-key'] as const

const CLIENT_MAX_CHARACTERS = 200

/** Reads path, key and kind of client. The query is looked at for the key only, and kept nowhere. */
export function readUpgradeRequest(request: IncomingMessage): UpgradeRequest {
  const { headers } = request
  const url = readUrl(request.url)
  const header = headers['x-api-key']
  const inQuery = KEY_PARAMETERS.map((name) => url?.searchParams.get(name)).find(Boolean)
  const agent = headers['user-agent'] ?? ''
  return {
    path: url?.pathname,
    key: (typeof header === 'string' && header.trim()) || inQuery || undefined,
    isBrowser: headers.origin !== undefined && agent.includes('Mozilla/'),
    client: agent
      .replace(/[^ -~]/g, '')
      .trim()
      .slice(0, CLIENT_MAX_CHARACTERS),
  }
}

/** Whether the request asks for a websocket, alone or in a list, and not only for HTTP/2 or another protocol. */
export function asksForWebsocket({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? []
  return protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket')
}

/** Hands a server's upgrades to `handle`. Node 24.9 and later answer requests for other protocols themselves. */
export function takeUpgrades(server: Server, handle: (...args: UpgradeArguments) => void): void {
  Object.assign(server, { shouldUpgradeCallback: asksForWebsocket }).on('upgrade', handle)
}

type UpgradeArguments = [request: IncomingMessage, socket: Duplex, head: Buffer]

/**
 * What keeps a request for a websocket from being a handshake; undefined when nothing does.
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

/** Whether `key` has the form of a key: 32 lower-case hex characters. */
export function isKey(key: string): boolean {
  return /^[0-9a-f]{32}$/.test(key)
}

function readUrl(target = ''): URL | undefined {
  // Proxies send the whole address (RFC 9112 section 3.2.2). A leading `//` would be read as a host.
  const isWhole = /^(?:http|ws)s?:\/\//i.test(target)
  if (!isWhole && (!target.startsWith('/') || target.startsWith('//'))) return undefined
  try {
    return new URL(target, 'http://gateway')
  } catch {
    return undefined
  }
}
