import { BlockList, isIP } from 'node:net'

/** Whose addresses `ADMIN_ALLOW` names. */
export type AdminAllow = Readonly<{ has(address: string): boolean }>

/**
 * Reads `ADMIN_ALLOW`: addresses or ranges with commas between, or `any`.
 *
 * @throws RangeError with a sentence that begins in lower case
 */
export function readAdminAllow(text: string): AdminAllow {
  if (text.trim().toLowerCase() === 'any') return { has: () => true }
  const list = new BlockList()
  for (const part of text.split(',').map((part) => part.trim())) {
    const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(part) ?? []
    const family = isIP(address)
    const length = Number(bits ?? (family === 4 ? 32 : 128))
    if (family === 0 || length > (family === 4 ? 32 : 128)) {
      throw new RangeError(
        `"${part}" is no address; give addresses or ranges such as 203.0.113.0/24, with commas between, or any.`,
      )
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
  }
  return { has: (address) => isIP(address) > 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6') }
}
