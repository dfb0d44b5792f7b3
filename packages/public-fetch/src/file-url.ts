/** Longest address in characters. */
export const FILE_URL_MAX = 2_048

/** Pages of this service, which replace strangers' pages if the chain is simulated. */
export type OwnPages = Readonly<{
  /** Prefix of their addresses, `http://localhost:8080/dev/tokens/`. */
  prefix: string
  /** Where they are served: an address on this machine. */
  address: string
  port: number
}>

/** Public gateways to the two file systems that hold tokens' files. */
const IPFS_GATEWAY = 'https://ipfs.io/ipfs/'
const ARWEAVE_GATEWAY = 'https://arweave.net/'

/** The name of our own page after the prefix. */
const OWN_NAME = /^[1-9A-HJ-NP-Za-km-z]{32,44}\.(json|png)$/

/**
 * The address from which a token's file is fetched: an `https:` address unchanged, `ipfs:` and `ar:` through a public
 * gateway, and with plain http only our own pages. Undefined for everything else, and for an address with a port or a login,
 * which no file needs.
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
  // A path with dots must not leave the gateway's folder.
  return url.href.startsWith(below) ? url : undefined
}
