import { BlockList, isIP } from 'node:net'

/** Named ranges of the library that reads forwarded addresses. */
const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** Bits of the widest range of each kind: 10.0.0.0/8, fc00::/7, and the largest block that a registry assigns. */
const LEAST_BITS = { ipv4: 8, ipv6Private: 7, ipv6: 16 }

/** Bits before the IPv4 address in an IPv6 address that contains one. @see RFC 4291 section 2.5.5.2 */
const MAPPED_BITS = 96

/**
 * The value of `TRUST_PROXY`, split: addresses, ranges such as 10.0.0.0/8, or names of ranges. If a range includes whole
 * parts of the internet, anyone there could choose the address that is counted and shown.
 *
 * @throws RangeError with a sentence that begins in lower case
 */
export function readTrustedProxies(text: string): readonly string[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const part of parts) {
    if (NAMED_RANGES.has(part)) continue
    const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(part) ?? []
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    const length = bits === undefined ? most : Number(bits)
    if (family === 0 || length > most) {
      throw new RangeError(
        `"${part}" is not the address of a proxy; give addresses or ranges such as 10.0.0.0/8, with commas between.`,
      )
    }
    if (isTooWide(address, length)) {
      throw new RangeError(
        `${part} trusts nearly everyone, so any client could fake its address; name your proxies.`,
      )
    }
  }
  return parts
}

function isTooWide(address: string, bits: number): boolean {
  if (isIP(address) === 4) return bits < LEAST_BITS.ipv4

  // In its one canonical form. @see https://url.spec.whatwg.org/#concept-ipv6-serializer
  const { hostname } = new URL(`http://[${address}]`)
  if (hostname.startsWith('[::ffff:')) return bits < MAPPED_BITS + LEAST_BITS.ipv4
  if (/^\[f[cde]..:/.test(hostname)) return bits < LEAST_BITS.ipv6Private
  return bits < LEAST_BITS.ipv6 || holdsAllOfIpv4(address, bits)
}

function holdsAllOfIpv4(address: string, bits: number): boolean {
  const range = new BlockList()
  range.addSubnet(address, bits, 'ipv6')
  return bits <= MAPPED_BITS && range.check('::ffff:0:0', 'ipv6')
}
