import type { Clock, Log } from '@pairwire/basics'
import type { LiveEndpoint } from '@pairwire/contract'
import { ASKED_PROGRAMS, LOG_DECODERS } from '@pairwire/decoders'
import { createChainSource } from './chain/chain-source.ts'
import { createCheckpoint } from './chain/checkpoint.ts'
import { type Feed, withTokenHint } from './chain/feed.ts'
import { type LiveAddress, readLiveAddresses } from './live-addresses.ts'
import { createLogsFeed, type LogsUpdate } from './logs/logs-feed.ts'
import { createLogsSource } from './logs/logs-source.ts'
import { openRpcOf } from './open-rpc.ts'
import { createRpcBackfill } from './rpc/rpc-backfill.ts'
import type { RpcClient } from './rpc/rpc-client.ts'
import { createRpcFeed } from './rpc/rpc-feed.ts'
import type { Source } from './source.ts'
import { createYellowstoneFeed } from './yellowstone/yellowstone-feed.ts'

/** What {@link openLiveSource} needs beside the setting. */
type LiveSourceOptions = Readonly<{
  clock: Clock
  log: Log
  /** Where it is kept up to where the chain was published. */
  dataFolder: string
  /** Tokens in the order of the sources; a source without one comes after those that have one. */
  tokens: readonly string[]
  /** The RPC that holes are filled from; undefined for the source itself, where it is one. */
  rpcUrl: string | undefined
}>

/**
 * The live chain as `SOLANA_SOURCE` names it, by one or several addresses. Beside sources of whole blocks program logs
 * are not read: they have all that logs tell, with its place in the chain, which logs do not know, and what came by them
 * could neither be put in order nor told from what a whole block repeats.
 *
 * @throws Error with a sentence for people, which repeats no address, as it may hold somebody's token
 */
export function openLiveSource(setting: string, options: LiveSourceOptions): Source {
  const { clock, log, dataFolder } = options
  const addresses = readLiveAddresses(setting, options.tokens)
  const whole = addresses.filter(({ kind }) => kind !== 'logs')
  if (whole.length === 0) return createLogsSource({ ...openLogs(addresses, options), clock, log })

  const feeds = whole.map((address) => openFeed(address, clock))
  const rpc = openRpcOf(whole, options)
  const backfill = rpc && createRpcBackfill(rpc, ASKED_PROGRAMS, clock)
  const checkpoint = createCheckpoint(dataFolder, log)
  const source = createChainSource({ feeds, backfill, checkpoint, clock, log })
  return withUnreadLogs(
    source,
    addresses.filter(({ kind }) => kind === 'logs'),
  )
}

/** Reads whole blocks, or all parts of them, from an address. */
export function openFeed({ kind, url, token }: LiveAddress, clock: Clock): Feed {
  const options = { url, token, programs: ASKED_PROGRAMS, clock }
  return withTokenHint(kind === 'rpc' ? createRpcFeed(options) : createYellowstoneFeed(options), token)
}

/** What program logs are read with; `client` is where pools and block times are looked up. */
export type OpenedLogs = Readonly<{ address: LiveAddress; feed: Feed<LogsUpdate>; client: RpcClient }>

/**
 * Opens program logs. There is one such source: logs never tell when a slot is whole, so that two could not take turns.
 *
 * @throws Error with a sentence for people
 */
export function openLogs(
  addresses: readonly LiveAddress[],
  { clock, rpcUrl }: Pick<LiveSourceOptions, 'clock' | 'rpcUrl'>,
): OpenedLogs {
  const [address, ...others] = addresses
  if (others.length > 0) {
    throw new Error(
      'SOLANA_SOURCE names logs+wss twice. Logs never tell when a slot is whole, so two sources of logs cannot replace each other: name one.',
    )
  }
  const { url, token } = address!
  const feed = withTokenHint(createLogsFeed({ url, token, programs: LOG_DECODERS, clock }), token)
  // Where there is a websocket there is JSON-RPC.
  return { address: address!, feed, client: openRpcOf(addresses, { clock, rpcUrl })! }
}

/** What is said of program logs that are not read. */
export const LOGS_NOT_USED =
  'It is not used: program logs add nothing to a source that delivers whole blocks.'

/** The source, whose status also names the logs that are not read, and says so. */
function withUnreadLogs(source: Source, logs: readonly LiveAddress[]): Source {
  const { status } = source
  if (logs.length === 0 || !status) return source
  const unread = logs.map(
    ({ url }): LiveEndpoint => ({
      ...{ name: `logs ${url.host}`, state: 'resting', version: null, slot: null, trouble: LOGS_NOT_USED },
    }),
  )
  return {
    ...source,
    status: () => {
      const whole = status()
      return { ...whole, endpoints: [...whole.endpoints, ...unread] }
    },
  }
}
