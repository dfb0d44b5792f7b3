import { isLoopbackHost } from '@pairwire/process'
import type { OwnPages } from '@pairwire/public-fetch'

/** Where pages of made-up tokens are, at the service that simulates and at a stand-in chain alike. */
export const TOKEN_PAGES_PATH = '/dev/tokens/'

/** What a source that can be a stand-in begins with. */
const STAND_IN = /^(?:yellowstone|rpc|logs)\+(?=(?:http|ws):)/i

/**
 * Where a stand-in chain at `url` has the pages of its tokens; undefined where that is not this machine alone. Of
 * `localhost` they name the address, so that who reads the chain by either finds them.
 */
export function standInPages(url: URL): OwnPages | undefined {
  if (!isLoopbackHost(url.hostname)) return undefined
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname
  const port = Number(url.port || 80)
  const prefix = `http://${host}:${port}${TOKEN_PAGES_PATH}`
  return { prefix, address: host.replace(/^\[(.*)\]$/, '$1'), port }
}

/**
 * Where the pages of the tokens of a source are that the text of `SOLANA_SOURCE` names: only where every address in it
 * is the same one of this machine, without TLS. Of every other chain, pages are on the public internet alone.
 */
export function pagesOfSource(setting: string): OwnPages | undefined {
  const pages = setting.trim().split(/\s+/).map(pagesOfAddress)
  return pages.every((each) => each?.prefix === pages[0]?.prefix) ? pages[0] : undefined
}

function pagesOfAddress(text: string): OwnPages | undefined {
  const address = STAND_IN.test(text) ? text.replace(STAND_IN, '') : ''
  return URL.canParse(address) ? standInPages(new URL(address)) : undefined
}
