import { ASKED_PROGRAMS } from '@pairwire/decoders'
import type { Clock, Log } from '@pairwire/process'
import { createChainSource } from './chain/chain-source.ts'
import { createCheckpoint } from './chain/checkpoint.ts'
import { type Backfill, type Feed, withTokenHint } from './chain/feed.ts'
import { createRpcBackfill } from './rpc/rpc-backfill.ts'
import { createRpcClient } from './rpc/rpc-client.ts'
import { createRpcFeed } from './rpc/rpc-feed.ts'
import type { Source } from './source.ts'
import { createYellowstoneFeed } from './yellowstone/yellowstone-feed.ts'

/** What {@link openLiveSource} needs beside the setting. */
export type LiveSourceOptions = Readonly<{
  clock: Clock
  log: Log
  /** Where it is kept up to where the chain was published. */
  dataFolder: string
  /** Tokens in the order of the sources; a source without one comes after those that have one. */
  tokens: readonly string[]
  /** The RPC that holes are filled from; undefined for the source itself, where it is one. */
  rpcUrl: string | undefined
}>

/** What a source of the live chain begins with. */
const LIVE = /^(yellowstone|rpc)\+(https?):\/\//i

/** Whether the setting names the live chain. */
export function isLiveSource(setting: string): boolean {
  return LIVE.test(setting.trim())
}

/**
 * The live chain as `SOLANA_SOURCE` names it: one or several addresses separated by spaces, each
 * `yellowstone+https://<host>[:<port>]` or `rpc+https://<address>`, with `http` for a stand-in.
 *
 * @throws Error with a sentence for people, which repeats no address, as it may hold somebody's token
 */
export function openLiveSource(setting: string, options: LiveSourceOptions): Source {
  const { clock, log, dataFolder, tokens, rpcUrl } = options
  const opened = openFeeds(setting, tokens, clock)
  const rpc = opened.find(({ kind }) => kind === 'rpc')
  const backfill =
    rpcUrl !== undefined
      ? openBackfill(new URL(rpcUrl), undefined, clock)
      : rpc && openBackfill(rpc.url, rpc.token, clock)
  const checkpoint = createCheckpoint(dataFolder, log)
  return createChainSource({ feeds: opened.map(({ feed }) => feed), backfill, checkpoint, clock, log })
}

/** One endpoint that the setting names. */
export type OpenedFeed = Address & Readonly<{ token: string | undefined; feed: Feed }>

type Address = Readonly<{ kind: 'yellowstone' | 'rpc'; url: URL }>

/**
 * A feed for each address of the setting, with its token.
 *
 * @throws Error with a sentence for people, which repeats no address, as it may hold somebody's token
 */
export function openFeeds(setting: string, tokens: readonly string[], clock: Clock): readonly OpenedFeed[] {
  const addresses = setting.trim().split(/\s+/).map(readSource)
  if (tokens.length > addresses.length) {
    throw new Error(
      `SOLANA_SOURCE_TOKEN holds ${tokens.length} tokens for ${addresses.length} sources; tokens are separated by spaces.`,
    )
  }
  return addresses.map((address, at) => ({
    ...address,
    token: tokens[at],
    feed: withTokenHint(openFeed(address, tokens[at], clock), tokens[at]),
  }))
}

function readSource(text: string): Address {
  const kind = LIVE.exec(text)?.[1]?.toLowerCase()
  if (kind === undefined) {
    // Only the scheme is repeated: what follows it may hold somebody's token.
    const scheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(text)?.[0]
    const what = scheme ? `"${scheme}…"` : 'this'
    throw refuse(`${what} is not a live source. Use yellowstone+https://, rpc+https:// or logs+wss://`)
  }
  const url = readAddress(text.slice(kind.length + 1))
  if (kind === 'rpc') return { kind, url }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw refuse('a Yellowstone address ends with the host; its token is SOLANA_SOURCE_TOKEN')
  }
  return { kind: 'yellowstone', url }
}

function openFeed({ kind, url }: Address, token: string | undefined, clock: Clock): Feed {
  const options = { url, token, programs: ASKED_PROGRAMS, clock }
  return kind === 'rpc' ? createRpcFeed(options) : createYellowstoneFeed(options)
}

function openBackfill(url: URL, token: string | undefined, clock: Clock): Backfill {
  return createRpcBackfill(createRpcClient({ url, token, clock }), ASKED_PROGRAMS, clock)
}

/** The address that a part of the setting names. @throws Error with a sentence for people, which does not repeat it */
export function readAddress(text: string): URL {
  if (!URL.canParse(text)) throw refuse('an address cannot be read')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw refuse('an address holds a name or a password; a token belongs in SOLANA_SOURCE_TOKEN')
  }
  return url
}

function refuse(what: string): Error {
  return new Error(`SOLANA_SOURCE: ${what}.`)
}
