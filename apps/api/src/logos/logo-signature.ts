import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveSecret } from '@pairwire/accounts'

/** Signs the addresses of logos, so that the proxy fetches only those that a signed-in page requested. */
type LogoSignature = Readonly<{
  /** The path at which the logo of `url` is shown; the same each time, so that browsers cache it. */
  pathOf(url: string): string
  isGood(url: string, signature: string): boolean
}>

const BYTES = 18

/** The key is derived from the secret of the sessions, for this purpose alone. */
export function createLogoSignature(sessionSecret: Uint8Array): LogoSignature {
  const key = deriveSecret(sessionSecret, 'pairwire: addresses of logos')
  const sign = (url: string) => createHmac('sha256', key).update(url).digest().subarray(0, BYTES)

  return {
    pathOf(url) {
      return `/img/logo?${new URLSearchParams({ url, s: sign(url).toString('base64url') })}`
    },
    isGood(url, signature) {
      const given = Buffer.from(signature, 'base64url')
      return given.length === BYTES && timingSafeEqual(given, sign(url))
    },
  }
}
