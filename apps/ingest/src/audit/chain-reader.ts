import { type Clock, followSignals, isObject } from '@pairwire/basics'
import { ASKED_PROGRAMS } from '@pairwire/decoders'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { readSlot } from '../sources/chain/chain-numbers.ts'
import { namesLiveChain, readLiveAddresses } from '../sources/live-addresses.ts'
import { openRpcOf } from '../sources/open-rpc.ts'
import { blocksInOrder } from '../sources/rpc/blocks-in-order.ts'
import { answerOf, type BlockAnswer, readBlockPatiently } from '../sources/rpc/read-block.ts'
import { type RpcClient, RpcError } from '../sources/rpc/rpc-client.ts'

/** Reads the chain's own blocks again. */
export type ChainReader = ReturnType<typeof createChainReader>

/** The operator's settings name no usable endpoint, or the endpoint does not have what was requested. */
class ChainReaderError extends Error {
  override readonly name = 'ChainReaderError'
  /** The oldest slot kept, if a requested one is gone and the endpoint says so. */
  readonly oldest: number | undefined

  constructor(sentence: string, oldest?: number) {
    super(sentence)
    this.oldest = oldest
  }
}

/** Attempts to read a block. */
const ATTEMPTS = 5

/** Blocks read to find the one of a time, and the seconds by which it may be too early. */
const MAX_STEPS = 40
const NEAR_SECONDS = 60

/** Initial estimate of a slot's length in seconds. */
const SLOT_SECONDS = 0.4

/** Requests a block without its contents. */
const HEAD_ALONE = {
  ...{ transactionDetails: 'none', rewards: false, commitment: 'confirmed' },
  maxSupportedTransactionVersion: 1,
}

/** Slots of which at least one has a block. */
const WITH_BLOCK = 64

/**
 * Opens the endpoint that blocks can be read from again: `rpcUrl`, else the first `rpc+` in a source setting; undefined
 * if neither names one. @throws Error with a sentence for people when the setting is invalid
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

function createChainReader(client: RpcClient, clock: Clock) {
  const programs = new Set(ASKED_PROGRAMS)

  const read = async (slot: number, signal: AbortSignal): Promise<BlockAnswer> => {
    const patience = { attempts: ATTEMPTS, alsoUnreachable: true, clock, signal }
    const answer = await readBlockPatiently(client, slot, programs, patience)
    if (answer.kind !== 'gone') return answer
    throw goneError(slot, answer.firstAvailable)
  }

  const goneError = (slot: number, oldest: number | undefined) => {
    const first = oldest === undefined ? '' : `; its oldest is ${oldest}`
    return new ChainReaderError(`${client.host} no longer keeps slot ${slot}${first}.`, oldest)
  }

  /** Reads a block without its transactions; undefined for a slot without one. */
  const headAt = async (slot: number, signal: AbortSignal): Promise<Record<string, unknown>> => {
    try {
      const block = await client.call('getBlock', [slot, HEAD_ALONE], signal)
      return isObject(block) ? block : {}
    } catch (error) {
      const answer = error instanceof RpcError ? answerOf(error) : undefined
      if (answer?.kind === 'gone') throw goneError(slot, answer.firstAvailable)
      if (answer?.kind === 'skipped') return {}
      throw error
    }
  }

  /**
   * Yields the confirmed blocks of these slots, both inclusive, in order; none for a slot without a block. @throws
   * ChainReaderError when one is no longer kept, FeedError when the endpoint cannot be used
   */
  const blocks = (fromSlot: number, toSlot: number, signal: AbortSignal): AsyncIterable<ChainBlock> =>
    blocksInOrder({ fromSlot, toSlot, read, clock, signal })

  /** Returns the first block of these slots; undefined if there is none. */
  const firstOf = async (fromSlot: number, toSlot: number, signal: AbortSignal) => {
    const reading = followSignals(signal)
    try {
      for await (const { slot, blockTime } of blocks(fromSlot, toSlot, reading.signal)) {
        if (blockTime !== null) return { slot, blockTime }
      }
      return undefined
    } finally {
      reading.abort()
    }
  }

  return {
    /** The host for display, never a token. */
    host: client.host,
    blocks,
    /**
     * Reads a span of the chain from the block of `first` to that of `last`, with three requests; a slot without a block
     * has no hash. @throws as `blocks` does
     */
    async askSpan(first: number, last: number, signal: AbortSignal) {
      const { previousBlockhash: parentBlockhash } = await headAt(first, signal)
      const { blockhash } = await headAt(last, signal)
      const slots = await client.call('getBlocks', [first, last, { commitment: 'confirmed' }], signal)
      return { parentBlockhash, blockhash, blocks: Array.isArray(slots) ? slots.length : 0 }
    },
    /**
     * Returns the slot of a block at a block time (Unix seconds), or shortly before, and the newest slot. @throws as
     * `blocks` does, and when the chain has no block near that time
     */
    async findSlot(blockTime: number, signal: AbortSignal) {
      const head = readSlot(await client.call('getSlot', [{ commitment: 'confirmed' }], signal))
      const aim = blockTime - NEAR_SECONDS / 2
      let [from, slotSeconds, oldest] = [head, SLOT_SECONDS, 0]
      let before: Awaited<ReturnType<typeof firstOf>>
      for (let step = 0; step < MAX_STEPS; step++) {
        const block = await firstOf(from, Math.min(from + WITH_BLOCK, head), signal).catch((error) => {
          // The endpoint may keep so little that the first guess was too early.
          const first = error instanceof ChainReaderError ? error.oldest : undefined
          if (first === undefined || first <= from || oldest > 0) throw error
          oldest = first
        })
        if (!block) {
          from = Math.max(oldest, from - WITH_BLOCK)
          continue
        }
        const early = blockTime - block.blockTime
        if (early >= 0 && early <= NEAR_SECONDS) return { slot: block.slot, head }
        // The chain's pace varies, so the distance is estimated from the last two blocks.
        const pace = before && (before.blockTime - block.blockTime) / (before.slot - block.slot)
        if (pace && pace > 0) slotSeconds = pace
        before = block
        const next = block.slot - Math.ceil((block.blockTime - aim) / slotSeconds)
        // An endpoint reports by itself that it keeps nothing before its oldest slot.
        from = Math.min(head, Math.max(block.slot === oldest ? 0 : oldest, next, 0))
      }
      const time = new Date(blockTime * 1000).toISOString()
      throw new ChainReaderError(`${client.host} has no block that was found for ${time}.`)
    },
  }
}
