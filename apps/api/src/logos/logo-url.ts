/** Characters of an address that is looked at. */
export const LOGO_URL_MAX = 2_048

/** Public gateways to the two file systems in which tokens keep their logos. */
const IPFS_GATEWAY = 'https://ipfs.io/ipfs/'
const ARWEAVE_GATEWAY = 'https://arweave.net/'

/**
 * Where a token's logo is fetched: an `https:` address as it is, `ipfs:` and `ar:` through a public gateway.
 * Undefined for everything else, and for a port or a login in the address, which no logo needs.
 */
export function readLogoUrl(text: string): URL | undefined {
  if (text.length > LOGO_URL_MAX) return undefined
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?(\w{10,100}(?:\/[^?#\\]*)?)$/.exec(text)?.[1]
  if (ipfs !== undefined) return readHttps(IPFS_GATEWAY + ipfs, IPFS_GATEWAY)
  const arweave = /^ar:\/\/([\w-]{43}(?:\/[^?#\\]*)?)$/.exec(text)?.[1]
  if (arweave !== undefined) return readHttps(ARWEAVE_GATEWAY + arweave, ARWEAVE_GATEWAY)
  return readHttps(text)
}

/** An `https:` address without port and login, also as the target of a redirect. */
export function readHttps(text: string, below = 'https://'): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return undefined
  }
  // A path with dots must not leave the gateway's own folder.
  return url.href.startsWith(below) ? url : undefined
}
