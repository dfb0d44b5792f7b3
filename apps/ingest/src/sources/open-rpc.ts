import { rpcBeside } from './open-logs-source.ts'
import type { SourceOptions } from './open-source.ts'
import { createRpcClient, type RpcClient } from './rpc/rpc-client.ts'

/**
 * The JSON-RPC that is asked for accounts of the chain: the one at `rpcUrl`, else that of the source which the text of
 * `SOLANA_SOURCE` names, if it is one or has one beside it. Undefined where there is none.
 */
export function openRpc(
  setting: string,
  { clock, tokens = [], rpcUrl }: Pick<SourceOptions, 'clock' | 'tokens' | 'rpcUrl'>,
): RpcClient | undefined {
  if (rpcUrl !== undefined) return createRpcClient({ url: new URL(rpcUrl), token: undefined, clock })
  for (const [at, text] of setting.trim().split(/\s+/).entries()) {
    const [, kind, address = ''] = /^(rpc|logs)\+(.*)$/i.exec(text) ?? []
    if (kind === undefined || !URL.canParse(address)) continue
    const url = kind.toLowerCase() === 'rpc' ? new URL(address) : rpcBeside(new URL(address))
    return createRpcClient({ url, token: tokens[at], clock })
  }
  return undefined
}
