import { BoundedMap, type Clock } from '@pairwire/basics'
import { readBlockTime } from '../chain/chain-numbers.ts'
import { FeedError } from '../chain/feed.ts'
import { type RpcClient, RpcError } from '../rpc/rpc-client.ts'

/** The block times of the newest slots: from events that have it, else from the RPC. */
export type SlotTimes = ReturnType<typeof createSlotTimes>

/** Milliseconds to wait for an event with the time before the RPC is asked, and between two requests. */
const PATIENCE_MS = 500

/** Requests before a slot's time is given up. */
const ATTEMPTS = 5

/** Slots remembered. */
const REMEMBERED = 512

/** Creates an empty one. */
export function createSlotTimes(client: RpcClient, clock: Clock, signal: AbortSignal) {
  const times = new BoundedMap<number, number>(REMEMBERED)
  const asking = new Map<number, Promise<number | undefined>>()

  const find = async (slot: number): Promise<number | undefined> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await clock.wait(PATIENCE_MS, signal)
      const told = times.get(slot)
      if (told !== undefined || signal.aborted) return told
      const answer = await client.call('getBlockTime', [slot], signal).catch(orNothing)
      const blockTime = readBlockTime(answer, clock.now())
      if (blockTime === null) continue
      times.set(slot, blockTime)
      return blockTime
    }
    return times.get(slot)
  }

  /** A block that the node does not hold yet is requested again. */
  const orNothing = (error: unknown): undefined => {
    if (!(error instanceof FeedError || error instanceof RpcError) && !signal.aborted) throw error
  }

  return {
    /** Records the time from an event of the slot. */
    tell: (slot: number, unixSeconds: number) => void times.set(slot, unixSeconds),
    /** Returns the time if it is known already. */
    known: (slot: number) => times.get(slot),
    /** Resolves once it is known, or given up. */
    ask(slot: number) {
      let answer = asking.get(slot)
      if (!answer) {
        answer = find(slot).finally(() => asking.delete(slot))
        asking.set(slot, answer)
      }
      return answer
    },
  }
}
