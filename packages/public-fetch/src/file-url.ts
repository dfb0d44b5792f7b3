/** Characters of an address that is looked at. */
export const FILE_URL_MAX = 2_048

/** Pages of this very service, which stand for strangers' where the chain is made up. */
export type OwnPages = Readonly<{
  /** What their addresses begin with, `http://localhost:8080/dev/tokens/`. */
  prefix: string
  /** Where they are served: an address of this machine. */
  address: string
  port: number
}>

/** Public gateways to the two file systems in which tokens keep their files. */
const IPFS_GATEWAY = 'https://ipfs.io/ipfs/'
const ARWEAVE_GATEWAY = 'https://arweave.net/'

/** What follows the prefix of an own page. */
const OWN_NAME = /^[1-9A-HJ-NP-Za-km-z]{32,44}\.(json|png)$/

/**
 * Where a token's file is fetched: an `https:` address as it is, `ipfs:` and `ar:` through a public gateway, and of
 * plain http our own pages alone. Undefined for everything else, and for a port or a login in the address, which no
 * file needs.
 */
export function readFileUrl(text: string, own?: Pick<OwnPages, 'prefix'>): URL | undefined {
  if (text.length > FILE_URL_MAX) return undefined
  if (own && text.startsWith(own.prefix)) {
    return OWN_NAME.test(text.slice(own.prefix.length)) ? new URL(text) : undefined
  }
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
