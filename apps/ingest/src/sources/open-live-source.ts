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

/** What {@link openLiveSource} needs besides the setting. */
type LiveSourceOptions = Readonly<{
  clock: Clock
  log: Log
  /** Folder that stores the position up to which the chain was published. */
  dataFolder: string
  /** Tokens in the order of the sources; sources without one come last. */
  tokens: readonly string[]
  /** The RPC that fills holes; undefined for the source itself, if it is one. */
  rpcUrl: string | undefined
}>

/**
 * Opens the live chain that `SOLANA_SOURCE` names, with one or more addresses. Program logs are not read next to
 * sources of whole blocks: those have everything that logs do, with its position in the chain, which logs lack, so that
 * events from logs could neither be ordered nor recognised as duplicates.
 *
 * @throws Error with a sentence for people that repeats no address, as it may contain a token
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

/** Opens an address of whole blocks, or of their parts. */
export function openFeed({ kind, url, token }: LiveAddress, clock: Clock): Feed {
  const options = { url, token, programs: ASKED_PROGRAMS, clock }
  return withTokenHint(kind === 'rpc' ? createRpcFeed(options) : createYellowstoneFeed(options), token)
}

/** Opened program logs; `client` looks up pools and block times. */
export type OpenedLogs = Readonly<{ address: LiveAddress; feed: Feed<LogsUpdate>; client: RpcClient }>

/**
 * Opens program logs. Only one such source is possible: no log tells when a slot is complete, so two cannot alternate.
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
  // A server with a websocket also has JSON-RPC.
  return { address: address!, feed, client: openRpcOf(addresses, { clock, rpcUrl })! }
}

/** The warning for program logs that are not read. */
export const LOGS_NOT_USED =
  'It is not used: program logs add nothing to a source that delivers whole blocks.'

/** Wraps the source so that its status also lists the unread logs with a warning. */
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
