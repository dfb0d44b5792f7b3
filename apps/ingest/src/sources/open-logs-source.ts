import { LOG_DECODERS } from '@pairwire/decoders'
import { type Feed, withTokenHint } from './chain/feed.ts'
import { createLogsFeed, type LogsUpdate } from './logs/logs-feed.ts'
import { createLogsSource } from './logs/logs-source.ts'
import { type LiveSourceOptions, readAddress } from './open-live-source.ts'
import { createRpcClient, type RpcClient } from './rpc/rpc-client.ts'
import type { Source } from './source.ts'

/** What a source of program logs begins with. */
const LOGS = /(^|\s)logs\+wss?:\/\//i

/** Whether the setting names program logs, alone or beside others. */
export function namesLogs(setting: string): boolean {
  return LOGS.test(setting)
}

/**
 * The live chain as far as program logs tell it: `logs+wss://<address>`, with `ws` for a stand-in. There is one:
 * logs never tell when a slot is whole, so that two could not take turns. Pools and block times are
 * looked up at `rpcUrl`, else by JSON-RPC at the same address.
 *
 * @throws Error with a sentence for people, which repeats no address, as it may hold somebody's token
 */
export function openLogsSource(setting: string, options: Omit<LiveSourceOptions, 'dataFolder'>): Source {
  const { clock, log } = options
  const { feed, client } = openLogs(setting, options)
  return createLogsSource({ feed, client, clock, log })
}

/** What a setting of program logs names. */
export type OpenedLogs = Readonly<{
  url: URL
  token: string | undefined
  feed: Feed<LogsUpdate>
  /** Where pools and block times are looked up. */
  client: RpcClient
}>

/** The parts of which {@link openLogsSource} makes a source. @throws Error as it does */
export function openLogs(
  setting: string,
  { clock, tokens, rpcUrl }: Pick<LiveSourceOptions, 'clock' | 'tokens' | 'rpcUrl'>,
): OpenedLogs {
  const [text = '', ...others] = setting.trim().split(/\s+/)
  if (others.length > 0) {
    throw new Error(
      'SOLANA_SOURCE names logs+wss twice. Logs never tell when a slot is whole, so two sources of logs cannot replace each other: name one.',
    )
  }
  if (tokens.length > 1) throw new Error(`SOLANA_SOURCE_TOKEN holds ${tokens.length} tokens for 1 source.`)
  const url = readAddress(text.slice('logs+'.length))
  const [token] = tokens
  const feed = withTokenHint(createLogsFeed({ url, token, programs: LOG_DECODERS, clock }), token)
  const client =
    rpcUrl === undefined
      ? createRpcClient({ url: rpcBeside(url), token, clock })
      : createRpcClient({ url: new URL(rpcUrl), token: undefined, clock })
  return { url, token, feed, client }
}

/** The JSON-RPC at the address of a websocket. */
export function rpcBeside(url: URL): URL {
  const rpc = new URL(url)
  rpc.protocol = url.protocol === 'wss:' ? 'https:' : 'http:'
  return rpc
}
