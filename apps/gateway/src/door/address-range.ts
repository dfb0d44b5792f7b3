import { isIPv6 } from 'node:net'

/**
 * Returns the range that counts as one address for rates: an IPv4 address itself, or the /64 of an IPv6 address, since
 * a single customer gets that many. An IPv4-mapped IPv6 address is its IPv4 address.
 */
export function addressRange(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped

  const [left = '', right] = address.split('%')[0]!.toLowerCase().split('::')
  const before = left.split(':').filter(Boolean)
  const after = right?.split(':').filter(Boolean) ?? []
  const zeros = right === undefined ? 0 : Math.max(8 - before.length - after.length, 0)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
