import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from './public-address.ts'

/** The target of a connection. Without a port it is the protocol's own. */
export type Place = Readonly<{ address: string; family: 4 | 6; port?: number }>

/** Resolves a host. Rejects for a host that is not on the public internet. */
export type ResolvePlace = (host: string) => Promise<Place>

/** Milliseconds for one DNS query. */
const QUESTION_MS = 1_500

/**
 * Queries the name servers, never the machine's own hosts file, and outside the thread pool, which slow name servers would
 * exhaust. Every address of the host must be public: a single private one, or one of this machine, disqualifies the host.
 */
export function createPublicResolver(
  names: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver({ timeout: QUESTION_MS, tries: 1 }),
): ResolvePlace {
  return async (host) => {
    const literal = host.replace(/^\[|\]$/g, '')
    const addresses = isIP(literal)
      ? [literal]
      : (await Promise.allSettled([names.resolve4(host), names.resolve6(host)])).flatMap((answer) =>
          answer.status === 'fulfilled' ? answer.value : [],
        )
    const [first] = addresses
    if (first === undefined || !addresses.every(isOthersAddress)) {
      throw new Error('The host has no public address.')
    }
    return { address: first, family: isIP(first) === 6 ? 6 : 4 }
  }
}

/** Whether an IP address is public and none of this machine's own. */
export function isOthersAddress(address: string): boolean {
  const isOwn = () =>
    Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address))
  return isPublicAddress(address) && !isOwn()
}
