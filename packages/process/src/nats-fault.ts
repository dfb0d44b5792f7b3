import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from './loopback.ts'

/** Addresses that are not routed on the internet. @see RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598 */
const PRIVATE = new BlockList()
PRIVATE.addSubnet('10.0.0.0', 8)
PRIVATE.addSubnet('172.16.0.0', 12)
PRIVATE.addSubnet('192.168.0.0', 16)
PRIVATE.addSubnet('169.254.0.0', 16)
PRIVATE.addSubnet('100.64.0.0', 10)
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Names that public DNS does not have: single words, like names of containers, or domains that nobody can buy. */
const PRIVATE_NAME = /^[^.]+$|\.(internal|local|home\.arpa)$/i

/**
 * Why a production host must not use this NATS_URL, in a sentence without secrets: anybody who reaches NATS without a login,
 * or intercepts one, can impersonate a part. Undefined if it may. The text is one that `readNatsAddress` takes.
 */
export function natsFault(text: string): string | undefined {
  const urls = text.split(',').map((one) => new URL(one.trim()))
  const { username } = urls[0]!
  const files = new Set(urls.flatMap(({ searchParams }) => [...searchParams.keys()]))
  if (username === '' && !files.has('creds') && !files.has('cert')) {
    return 'NATS_URL: a production host (see PUBLIC_URL) needs a login of its kind of part: nats://<user>:<password>@<host>:4222, as deploy/nats.conf has them.'
  }
  const isEncrypted = urls.some(({ protocol }) => protocol === 'tls:') || files.has('ca') || files.has('cert')
  const open = urls.find(({ hostname }) => !isPrivate(hostname.replace(/^\[(.*)\]$/, '$1')))
  if (isEncrypted || !open) return undefined
  return `NATS_URL: ${open.hostname} is neither this machine nor a private address, so a production host (see PUBLIC_URL) needs tls:// there.`
}

function isPrivate(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return PRIVATE_NAME.test(host)
  return isLoopbackHost(host) || PRIVATE.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
