import type { Clock, Log } from '@pairwire/basics'
import type { SourceState } from '@pairwire/contract'
import type { RpcClient } from './rpc-client.ts'

/** A chain by name; `other` is a private one. */
type ChainName = NonNullable<SourceState['chain']>

/** Clusters by the hash of their first block. @see https://solana.com/docs/references/clusters */
const CLUSTERS: Readonly<Record<string, ChainName>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyUS88uRDiswHXSCkY3zQawwpjk2NsY': 'testnet',
}

/** Returns the chain whose first block has this hash; undefined if it is no hash. */
export function chainOf(genesis: unknown): ChainName | undefined {
  return typeof genesis === 'string' ? (CLUSTERS[genesis] ?? 'other') : undefined
}

/** Milliseconds between two requests, until there is an answer. */
const ASK_EVERY_MS = 10_000

/** Asks which chain it is until the endpoint answers or `signal` aborts, and warns of any but mainnet. */
export async function askChain(
  rpc: RpcClient,
  { clock, log, signal }: Readonly<{ clock: Clock; log: Log; signal: AbortSignal }>,
): Promise<ChainName | undefined> {
  while (!signal.aborted) {
    const chain = chainOf(await rpc.call('getGenesisHash', [], signal).catch(() => undefined))
    if (chain !== undefined) {
      if (chain !== 'mainnet') log.warn(`rpc ${rpc.host}: ${notMainnet(chain)}`)
      return chain
    }
    await clock.wait(ASK_EVERY_MS, signal)
  }
  return undefined
}

/** The sentence about a chain that is not mainnet. */
export function notMainnet(chain: ChainName): string {
  return chain === 'other' ? 'This is not mainnet.' : `This is ${chain}, not mainnet.`
}
