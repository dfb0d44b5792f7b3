import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopbackAuthority, isLoopbackHost } from './loopback.ts'

/**
 * Headers that only a proxy adds: a client behind one may sit anywhere. Their mere presence counts, since a
 * proxy that is not trusted is a proxy nevertheless.
 */
const FORWARDING_HEADER =
  /^(forwarded|via|cdn-loop|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-proxyuser-ip|x-original-.*|x-envoy-.*|true-client-ip|client-ip|cf-.*|fastly-.*|fly-.*|akamai-.*)$/

/**
 * Whether a request comes from a person at this very machine: the service's address and the address it is bound to
 * are loopback (`isLocal`), the connection comes from this machine, the `Host` that it asks for is loopback, so that
 * no page of another site reaches us under a name of its own, and no proxy has passed it on.
 */
export function createLocalCheck({ isLocal }: Readonly<{ isLocal: boolean }>) {
  return ({ raw, socket }: Readonly<{ raw: IncomingMessage; socket: Socket }>): boolean =>
    isLocal &&
    isLoopbackPeer(socket.remoteAddress) &&
    isLoopbackAuthority(raw.headers.host ?? '') &&
    // Of several, each reader takes the one it likes.
    raw.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length === 1 &&
    // A target in absolute form names a host of its own.
    raw.url?.startsWith('/') === true &&
    // Proxies of the common kind speak it unless told otherwise, and then add no header.
    raw.httpVersion !== '1.0' &&
    !Object.keys(raw.headers).some((name) => FORWARDING_HEADER.test(name))
}

function isLoopbackPeer(address: string | undefined): boolean {
  // A socket that listens for both families writes IPv4 so.
  return address !== undefined && isLoopbackHost(address.replace(/^::ffff:(?=\d+\.)/i, ''))
}
