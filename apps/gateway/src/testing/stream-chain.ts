import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { address, aSwap } from './events.ts'

/** A chain that keeps all its events; the wallets of its swaps are numbers. */
export type StreamChain = ReturnType<typeof createStreamChain>

const SWAPS_A_SLOT = 4
/** Slots that are reported missing: one in so many. */
const GAP_EVERY = 97
const FIRST_SLOT = 5_000

/** Creates one, which is empty. */
export function createStreamChain() {
  const events: StreamEvent[] = []
  let slot = FIRST_SLOT
  return {
    events,
    /** The address of a wallet: those below 4 trade in every slot, others never. */
    wallet: address,
    /** Whether a subscription to the swaps of a wallet, or of all, gets this event. */
    isFor: (event: StreamEvent, wallet?: number) =>
      event.kind === 'gap' ||
      (event.kind === 'swap' &&
        (wallet === undefined || event.params.swap.walletAccount === address(wallet))),
    /** Makes the events of one more slot. */
    nextSlot(): readonly StreamEvent[] {
      slot++
      const last = formatCursor({ run: 0, slot, ...LAST_PLACE })
      const isGap = slot % GAP_EVERY === 0
      const made = isGap ? [gapOf(slot, last)] : [...swapsOf(slot), blockOf(slot, last)]
      events.push(...made)
      return made
    },
  }
}

function swapsOf(slot: number): StreamEvent[] {
  return Array.from({ length: SWAPS_A_SLOT }, (_, at) => {
    const swap = aSwap({ walletAccount: address(at) })
    const cursor = formatCursor({ run: 0, slot, transactionIndex: at, eventIndex: 0 })
    return { ...swap, cursor, params: { ...swap.params, slot } }
  })
}

function gapOf(slot: number, cursor: string): StreamEvent {
  return {
    kind: 'gap',
    cursor,
    params: { fromSlot: slot, toSlot: slot, cause: 'upstream', resume_from: null },
  }
}

function blockOf(slot: number, cursor: string): StreamEvent {
  return { kind: 'latestBlock', cursor, params: { block: slot, blockTime: 1_795_000_000 } }
}
