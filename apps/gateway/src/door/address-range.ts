import { isIPv6 } from 'node:net'

/**
 * What counts as one address for rates: an IPv4 address itself, of an IPv6 address its /64, since a single customer
 * is given that many. An IPv4 address in IPv6 form is the IPv4 address.
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
