import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Where a connection goes. The port is the protocol's own where it is left out. */
export type Place = Readonly<{ address: string; family: 4 | 6; port?: number }>

/** Finds the place of a host. Rejects for a host that is not in the public internet. */
export type ResolvePlace = (host: string) => Promise<Place>

/** Milliseconds for one question to a name server. */
const QUESTION_MS = 1_500

/**
 * Asks the name servers, never the machine's own list of hosts, and off the pool of threads, which slow name
 * servers would use up. Every address of the host must be public: one that is not gives the whole host away.
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
    if (first === undefined || !addresses.every(isPublicAddress)) {
      throw new Error('The host has no public address.')
    }
    return { address: first, family: isIP(first) === 6 ? 6 : 4 }
  }
}
