import type { Clock } from '@pairwire/basics'
import { type LiveAddress, namesLiveChain, readAddress, readLiveAddresses, rpcAt } from './live-addresses.ts'
import { createRpcClient, type RpcClient } from './rpc/rpc-client.ts'

type RpcOptions = Readonly<{ clock: Clock; rpcUrl?: string | undefined }>

/**
 * Opens the JSON-RPC for the chain's accounts: the one at `rpcUrl`, else that of the first source in `SOLANA_SOURCE`
 * that is one or has one. Undefined if there is none.
 */
export function openRpc(
  setting: string,
  { tokens = [], ...options }: RpcOptions & Readonly<{ tokens?: readonly string[] }>,
): RpcClient | undefined {
  return openRpcOf(namesLiveChain(setting) ? readLiveAddresses(setting, tokens) : [], options)
}

/** The same for these addresses. */
export function openRpcOf(
  addresses: readonly LiveAddress[],
  { clock, rpcUrl }: RpcOptions,
): RpcClient | undefined {
  if (rpcUrl !== undefined) return createRpcClient({ url: readAddress(rpcUrl), token: undefined, clock })
  for (const address of addresses) {
    const url = rpcAt(address)
    if (url) return createRpcClient({ url, token: address.token, clock })
  }
  return undefined
}
