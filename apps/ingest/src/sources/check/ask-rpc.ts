import type { Clock } from '@pairwire/basics'
import { FeedError } from '../chain/feed.ts'
import { limitedTo } from '../limited-to.ts'
import { chainOf, notMainnet } from '../rpc/chain-of.ts'
import { createRpcClient, RpcError } from '../rpc/rpc-client.ts'
import { type Finding, number } from './describe-observed.ts'

/** Milliseconds for all requests together. */
const ANSWER_MS = 10_000

/** Asks a JSON-RPC which chain it is on, its newest slot, and how far back it goes. */
export async function askRpc(
  url: URL,
  token: string | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ says: string[]; findings: Finding[] }> {
  const client = createRpcClient({ url, token, clock })
  const asking = limitedTo(ANSWER_MS, clock, signal)
  const limited = asking.signal
  const ask = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    try {
      return await client.call(method, params, limited)
    } catch (error) {
      if (error instanceof RpcError) return undefined
      if (limited.aborted) throw new FeedError('unreachable', 'It did not answer within 10 s.')
      throw error
    }
  }
  try {
    const genesis = await ask('getGenesisHash')
    const head = await ask('getSlot', [{ commitment: 'confirmed' }])
    const first = (await ask('getFirstAvailableBlock')) ?? (await ask('minimumLedgerSlot'))
    return describe(genesis, head, first)
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    return { says: [], findings: [{ isFatal: false, sentence: error.message }] }
  } finally {
    asking.abort()
  }
}

function describe(genesis: unknown, head: unknown, first: unknown): { says: string[]; findings: Finding[] } {
  const says: string[] = []
  const findings: Finding[] = []
  const chain = chainOf(genesis)
  if (chain === 'mainnet') says.push('This is mainnet.')
  else if (chain) findings.push({ isFatal: chain !== 'other', sentence: notMainnet(chain) })
  if (typeof head === 'number') says.push(`Its newest slot is ${number(head)}.`)
  if (typeof first === 'number') says.push(`It holds blocks from slot ${number(first)} on.`)
  else {
    findings.push({ isFatal: false, sentence: 'It does not say how far back its blocks go.' })
  }
  return { says, findings }
}
