import { openChainReader } from '@pairwire/ingest'
import { systemClock } from '@pairwire/process'
import { expectedOf } from '../../apps/ingest/src/audit/compare-slot.ts'
import { type ResumingClient, slotOf } from './resuming-client.ts'

/**
 * Holds what the clients got up to the slot `end` against the chain: a swap that is missing has to lie in a gap that
 * was said.
 *
 * @returns how many swaps the chain has there, and how many gaps were said
 */
export async function compareWithChain(
  clients: readonly ResumingClient[],
  end: number,
  chainUrl: string,
  problem: (sentence: string) => void,
): Promise<{ swaps: number; gaps: number }> {
  const begin = Math.min(...clients.map(({ cursors }) => slotOf(cursors[0]!)))
  const reader = openChainReader('', { tokens: [], rpcUrl: chainUrl, clock: systemClock })!
  const expected = new Map<number, string[]>()
  const found = { swaps: 0, gaps: 0 }
  for await (const block of reader.blocks(begin, end, new AbortController().signal)) {
    const swaps = (await expectedOf(block)).filter(({ kind }) => kind === 'swap')
    expected.set(
      block.slot,
      swaps.map(({ cursor }) => cursor),
    )
    found.swaps += swaps.length
  }
  for (const [number, { cursors, gaps }] of clients.entries()) {
    // A client that comes first joins within a slot.
    const first = slotOf(cursors[0]!)
    const got = new Set(cursors)
    found.gaps += gaps.length
    let missing = 0
    for (const [slot, wanted] of expected) {
      if (slot <= first || gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)) continue
      missing += wanted.filter((cursor) => !got.has(cursor)).length
    }
    if (missing > 0) problem(`client ${number} lacks ${missing} swaps of which no gap was said.`)
    const extra = cursors.filter(
      (cursor) => slotOf(cursor) <= end && !expected.get(slotOf(cursor))?.includes(cursor),
    )
    if (extra.length > 0)
      problem(`client ${number} got ${extra.length} swaps that the chain does not have, ${extra[0]}.`)
  }
  return found
}
