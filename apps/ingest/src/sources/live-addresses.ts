/** One address of the live chain. */
export type LiveAddress = Readonly<{
  /** Two kinds deliver whole blocks; `logs` delivers program logs. */
  kind: 'yellowstone' | 'rpc' | 'logs'
  url: URL
  token: string | undefined
}>

/** Scheme of a live source; without TLS it is a stand-in. */
const LIVE = /^(?:(yellowstone|rpc)\+https?|(logs)\+wss?):\/\//i

/** Whether the setting names the live chain. */
export function namesLiveChain(setting: string): boolean {
  return wordsOf(setting).some((word) => LIVE.test(word))
}

/**
 * Reads the addresses of a setting, separated by spaces, each with its token: `yellowstone+https://<host>[:<port>]`,
 * `rpc+https://<address>` or `logs+wss://<address>`.
 *
 * @throws Error with a sentence for people that repeats no address, as it may contain a token
 */
export function readLiveAddresses(setting: string, tokens: readonly string[]): readonly LiveAddress[] {
  const words = wordsOf(setting)
  if (tokens.length > words.length) {
    const sources = words.length === 1 ? 'source' : 'sources'
    throw new Error(
      `SOLANA_SOURCE_TOKEN holds ${tokens.length} tokens for ${words.length} ${sources}; tokens are separated by spaces.`,
    )
  }
  return words.map((word, at) => ({ ...readWord(word), token: tokens[at] }))
}

/** Returns the JSON-RPC of an address: its own, or the one at its websocket; undefined for a Yellowstone. */
export function rpcAt({ kind, url }: Pick<LiveAddress, 'kind' | 'url'>): URL | undefined {
  if (kind === 'yellowstone') return undefined
  const rpc = new URL(url)
  rpc.protocol = url.protocol.replace('ws', 'http')
  return rpc
}

/** Reads an address from the setting. @throws Error with a sentence for people that does not repeat it */
export function readAddress(text: string): URL {
  if (!URL.canParse(text)) throw refuse('an address cannot be read')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw refuse('an address holds a name or a password; a token belongs in SOLANA_SOURCE_TOKEN')
  }
  return url
}

function wordsOf(setting: string): string[] {
  return setting.trim().split(/\s+/)
}

function readWord(word: string): Omit<LiveAddress, 'token'> {
  const [, whole, logs] = LIVE.exec(word) ?? []
  const kind = (whole ?? logs)?.toLowerCase() as LiveAddress['kind'] | undefined
  if (kind === undefined) {
    // Only the scheme is repeated: the rest may contain a token.
    const scheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(word)?.[0]
    const what = scheme ? `"${scheme}…"` : 'this'
    throw refuse(`${what} is not a live source. Use yellowstone+https://, rpc+https:// or logs+wss://`)
  }
  const url = readAddress(word.slice(kind.length + 1))
  if (kind === 'yellowstone' && (url.pathname !== '/' || url.search !== '' || url.hash !== '')) {
    throw refuse('a Yellowstone address ends with the host; its token is SOLANA_SOURCE_TOKEN')
  }
  return { kind, url }
}

function refuse(what: string): Error {
  return new Error(`SOLANA_SOURCE: ${what}.`)
}
