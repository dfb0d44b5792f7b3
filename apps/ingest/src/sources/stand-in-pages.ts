import { isLoopbackHost } from '@pairwire/process'
import type { OwnPages } from '@pairwire/public-fetch'

/** Path of made-up tokens' pages, at the simulating service and at a stand-in chain alike. */
export const TOKEN_PAGES_PATH = '/dev/tokens/'

/** Scheme of a source that can be a stand-in. */
const STAND_IN = /^(?:yellowstone|rpc|logs)\+(?=(?:http|ws):)/i

/**
 * Returns where a stand-in chain at `url` has the pages of its tokens; undefined if it is not on this machine. For
 * `localhost` they use the IP address, so that readers of the chain under either name find them.
 */
export function standInPages(url: URL): OwnPages | undefined {
  if (!isLoopbackHost(url.hostname)) return undefined
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname
  const port = Number(url.port || 80)
  const prefix = `http://${host}:${port}${TOKEN_PAGES_PATH}`
  return { prefix, address: host.replace(/^\[(.*)\]$/, '$1'), port }
}

/**
 * Returns where the pages of the tokens of a source in `SOLANA_SOURCE` are: only if all its addresses are the same one
 * on this machine, without TLS. For every other chain, pages are only on the public internet.
 */
export function pagesOfSource(setting: string): OwnPages | undefined {
  const pages = setting.trim().split(/\s+/).map(pagesOfAddress)
  return pages.every((each) => each?.prefix === pages[0]?.prefix) ? pages[0] : undefined
}

function pagesOfAddress(text: string): OwnPages | undefined {
  const address = STAND_IN.test(text) ? text.replace(STAND_IN, '') : ''
  return URL.canParse(address) ? standInPages(new URL(address)) : undefined
}
