import { lookup, Resolver } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { text } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'
import { isLoopbackHost } from '@pairwire/process'

/** Milliseconds for an answer of the DNS, twice at most. */
const DNS_MS = 2_000

/** What came back over one address of a host. */
export type Answer = Readonly<{
  body: string
  /** Whether the websocket was opened. */
  isUpgraded: boolean
  /** Undefined over plain http. */
  certificate: { endsAt: number; fault: string | undefined } | undefined
}>

/** Asks the DNS; `nameServers` instead of the system's. */
export function createResolver(nameServers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 })
  if (nameServers) resolver.setServers(nameServers)
  return resolver
}

/** The addresses of a host, as the DNS has them or else this machine; none if nobody knows it. */
export async function findAddresses(resolver: Resolver, host: string): Promise<string[]> {
  const name = withoutBrackets(host)
  if (isIP(name)) return [name]
  const known = isLoopbackHost(name)
    ? []
    : await Promise.all([resolver.resolve4(name).catch(() => []), resolver.resolve6(name).catch(() => [])])
  if (known.flat().length > 0) return known.flat()
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}

/** A host as the system takes it: an IPv6 address of a URL stands in brackets. */
const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

/** Asks a URL at one address of its host. @throws the system's error if nothing answers */
export function askAt(
  address: string,
  url: URL,
  {
    ca,
    headers = {},
    signal,
  }: Readonly<{ ca?: string | undefined; headers?: Record<string, string>; signal: AbortSignal }>,
): Promise<Answer> {
  const { protocol, host, port, pathname, search } = url
  const hostname = withoutBrackets(url.hostname)
  const isSecure = protocol === 'https:'
  const options = {
    ...{ host: withoutBrackets(address), port: port || (isSecure ? 443 : 80), path: `${pathname}${search}` },
    ...{ headers: { host, ...headers }, signal, agent: false },
    // What is wrong with a certificate is found out below, and said.
    ...(isSecure && { servername: isIP(hostname) ? '' : hostname, rejectUnauthorized: false, ca }),
  }
  return new Promise((resolve, reject) => {
    const asked = isSecure ? requestHttps(options) : requestHttp(options)
    asked.once('error', reject)
    asked.once('upgrade', ({ socket }: IncomingMessage) => {
      resolve({ body: '', isUpgraded: true, certificate: certificateOf(socket) })
      socket.destroy()
    })
    asked.once('response', (response) => {
      const certificate = certificateOf(response.socket)
      text(response).then((body) => resolve({ body, isUpgraded: false, certificate }), reject)
    })
    asked.end()
  })
}

function certificateOf(socket: IncomingMessage['socket']): Answer['certificate'] {
  if (!(socket instanceof TLSSocket)) return undefined
  const fault = socket.authorized ? undefined : String(socket.authorizationError ?? 'unknown')
  return { endsAt: Date.parse(socket.getPeerCertificate().valid_to), fault }
}
