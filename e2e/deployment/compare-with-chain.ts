import { openChainReader } from '@pairwire/ingest'
import { systemClock } from '@pairwire/process'
import { expectedOf } from '../../apps/ingest/src/audit/compare-slot.ts'
import { type ResumingClient, slotOf } from './resuming-client.ts'

/** Holds what clients got against the chain. */
type ChainComparison = Readonly<{
  /**
   * Compares what was not compared yet, up to the slot `end`, which each client has behind it: a swap that is missing
   * has to lie in a gap that was said. The stand-in forgets old blocks, so a long run compares now and then.
   *
   * @returns how many swaps the chain had up to now, and how many gaps were said
   */
  upTo(end: number): Promise<{ swaps: number; gaps: number }>
}>

/** A part of the chain: the cursors of its swaps, by slot. */
type Part = Readonly<{ begin: number; end: number; expected: ReadonlyMap<number, readonly string[]> }>

/** Compares nothing yet. */
export function createChainComparison(
  clients: readonly ResumingClient[],
  chainUrl: string,
  problem: (sentence: string) => void,
): ChainComparison {
  let next: number | undefined
  let swaps = 0

  return {
    async upTo(end) {
      const begin = next ?? Math.min(...clients.map(({ cursors }) => slotOf(cursors[0]!)))
      next = end + 1
      const expected = await readSwaps(chainUrl, begin, end)
      for (const cursors of expected.values()) swaps += cursors.length
      for (const [number, client] of clients.entries())
        compareClient(`client ${number}`, client, { begin, end, expected })
      return { swaps, gaps: clients.reduce((sum, { gaps }) => sum + gaps.length, 0) }
    },
  }

  function compareClient(name: string, { cursors, gaps }: ResumingClient, { begin, end, expected }: Part) {
    // A client that comes first joins within a slot.
    const first = slotOf(cursors[0]!)
    const got = new Set(cursors)
    let missing = 0
    for (const [slot, wanted] of expected) {
      if (slot <= first || gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)) continue
      missing += wanted.filter((cursor) => !got.has(cursor)).length
    }
    if (missing > 0) problem(`${name} lacks ${missing} swaps of which no gap was said.`)
    const extra = cursors.filter((cursor) => {
      const slot = slotOf(cursor)
      return slot >= begin && slot <= end && !expected.get(slot)?.includes(cursor)
    })
    if (extra.length > 0)
      problem(`${name} got ${extra.length} swaps that the chain does not have, ${extra[0]}.`)
  }
}

/** Cursors of the chain's swaps, by slot. */
async function readSwaps(chainUrl: string, begin: number, end: number): Promise<Map<number, string[]>> {
  const reader = openChainReader('', { tokens: [], rpcUrl: chainUrl, clock: systemClock })!
  const swaps = new Map<number, string[]>()
  for await (const block of reader.blocks(begin, end, new AbortController().signal)) {
    const events = (await expectedOf(block)).filter(({ kind }) => kind === 'swap')
    swaps.set(
      block.slot,
      events.map(({ cursor }) => cursor),
    )
  }
  return swaps
}
