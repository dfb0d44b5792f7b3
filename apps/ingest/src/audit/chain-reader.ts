import type { Clock } from '@pairwire/basics'
import { ASKED_PROGRAMS } from '@pairwire/decoders'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { namesLiveChain, readLiveAddresses } from '../sources/live-addresses.ts'
import { openRpcOf } from '../sources/open-rpc.ts'
import { blocksInOrder } from '../sources/rpc/blocks-in-order.ts'
import { type BlockAnswer, readBlockPatiently } from '../sources/rpc/read-block.ts'
import type { RpcClient } from '../sources/rpc/rpc-client.ts'

/** The chain's own blocks, asked for again. */
export type ChainReader = Readonly<{
  /** For people: its host, never a token. */
  host: string
  /**
   * The confirmed blocks of these slots, both inclusive, in order; none for a slot in which nobody made one.
   * @throws ChainReaderError when one is not kept any more, FeedError when the endpoint cannot be used
   */
  blocks(fromSlot: number, toSlot: number, signal: AbortSignal): AsyncIterable<ChainBlock>
}>

/** Where an operator's setting leaves no way to ask, or the endpoint does not have what is asked for. */
class ChainReaderError extends Error {
  override readonly name = 'ChainReaderError'
}

/** Times that a block is asked for in vain. */
const ATTEMPTS = 5

/**
 * The endpoint from which blocks can be had again: `rpcUrl`, else the first `rpc+` of the setting of a source; undefined
 * where neither names one. @throws Error with a sentence for people when the setting is none
 */
export function openChainReader(
  setting: string,
  options: Readonly<{ tokens: readonly string[]; rpcUrl: string | undefined; clock: Clock }>,
): ChainReader | undefined {
  const addresses = namesLiveChain(setting) ? readLiveAddresses(setting, options.tokens) : []
  const client = openRpcOf(
    addresses.filter(({ kind }) => kind === 'rpc'),
    options,
  )
  return client && createChainReader(client, options.clock)
}

function createChainReader(client: RpcClient, clock: Clock): ChainReader {
  const programs = new Set(ASKED_PROGRAMS)

  const read = async (slot: number, signal: AbortSignal): Promise<BlockAnswer> => {
    const patience = { attempts: ATTEMPTS, alsoUnreachable: true, clock, signal }
    const answer = await readBlockPatiently(client, slot, programs, patience)
    if (answer.kind !== 'gone') return answer
    const first = answer.firstAvailable === undefined ? '' : `; its oldest is ${answer.firstAvailable}`
    throw new ChainReaderError(`${client.host} no longer keeps slot ${slot}${first}.`)
  }

  return {
    host: client.host,
    blocks: (fromSlot, toSlot, signal) => blocksInOrder({ fromSlot, toSlot, read, clock, signal }),
  }
}
