import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopbackAuthority, isLoopbackHost } from './loopback.ts'

/**
 * Headers that only a proxy adds: a client behind one may be anywhere. Their mere presence counts, since a proxy that is not
 * trusted is still a proxy.
 */
export const FORWARDING_HEADER =
  /^(forwarded|via|cdn-loop|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-proxyuser-ip|x-original-.*|x-envoy-.*|true-client-ip|client-ip|cf-.*|fastly-.*|fly-.*|akamai-.*)$/

/**
 * Whether a request comes from a person at this machine: the service's address and the address it is bound to are loopback
 * (`isLocal`), the connection comes from this machine, the `Host` is loopback, so that no page of another site reaches us
 * under its own name, and no proxy has forwarded it.
 */
export function createLocalCheck({ isLocal }: Readonly<{ isLocal: boolean }>) {
  return ({ raw, socket }: Readonly<{ raw: IncomingMessage; socket: Socket }>): boolean =>
    isLocal &&
    isLoopbackPeer(socket.remoteAddress) &&
    isLoopbackAuthority(raw.headers.host ?? '') &&
    // Of several values, each reader picks a different one.
    raw.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length === 1 &&
    // A target in absolute form has its own host.
    raw.url?.startsWith('/') === true &&
    // Common proxies speak it by default, and then add no header.
    raw.httpVersion !== '1.0' &&
    !Object.keys(raw.headers).some((name) => FORWARDING_HEADER.test(name))
}

function isLoopbackPeer(address: string | undefined): boolean {
  // A dual-stack socket writes IPv4 addresses in this form.
  return address !== undefined && isLoopbackHost(address.replace(/^::ffff:(?=\d+\.)/i, ''))
}
