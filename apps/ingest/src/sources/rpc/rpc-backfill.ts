import type { Clock } from '@pairwire/basics'
import type { Backfill } from '../chain/feed.ts'
import { blocksInOrder } from './blocks-in-order.ts'
import { readBlockPatiently } from './read-block.ts'
import type { RpcClient } from './rpc-client.ts'

/** Fills holes from an RPC; the caller decides how long it may try. */
export function createRpcBackfill(client: RpcClient, programs: readonly string[], clock: Clock): Backfill {
  const wanted = new Set(programs)
  const patience = { attempts: Number.POSITIVE_INFINITY, alsoUnreachable: true, clock }
  return {
    name: `rpc ${client.host}`,
    async *blocks(fromSlot, toSlot, signal) {
      const read = (slot: number, reading: AbortSignal) =>
        readBlockPatiently(client, slot, wanted, { ...patience, signal: reading })
      const blocks = blocksInOrder({ fromSlot, toSlot, read, clock, signal })
      for await (const block of blocks) yield { kind: 'block', block }
    },
  }
}
