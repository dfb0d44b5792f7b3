import { systemClock } from '@pairwire/basics'
import { openChainReader } from '@pairwire/ingest'
import { expectedOf } from '../../apps/ingest/src/audit/compare-slot.ts'
import type { EarlyClient } from './early-client.ts'
import { type SwapReader, slotOf } from './swap-reader.ts'

/** Compares what clients received with the chain. */
type ChainComparison = Readonly<{
  /**
   * Compares new slots, up to the slot `end`, which every client has passed: a missing swap must lie in an announced gap. The
   * stand-in forgets old blocks, so a long run compares now and then.
   *
   * @returns the number of the chain's swaps so far, of slots that clients of `processed` saw completely, and of announced
   * gaps
   */
  upTo(end: number): Promise<{ swaps: number; earlySlots: number; gaps: number }>
}>

/** A part of the chain: the cursors and signatures of its swaps, by slot. */
type Part = Readonly<{ begin: number; end: number; expected: ReadonlyMap<number, SlotOfSwaps> }>
type SlotOfSwaps = Readonly<{ cursors: readonly string[]; signatures: readonly string[] }>

/** Compares nothing yet. */
export function createChainComparison(
  clients: readonly SwapReader[],
  earlyClients: readonly EarlyClient[],
  chainUrl: string,
  problem: (sentence: string) => void,
): ChainComparison {
  let next: number | undefined
  let swaps = 0
  let earlySlots = 0

  return {
    async upTo(end) {
      const begin = next ?? Math.min(...clients.map(({ cursors }) => slotOf(cursors[0]!)))
      next = end + 1
      const expected = await readSwaps(chainUrl, begin, end)
      for (const { cursors } of expected.values()) swaps += cursors.length
      for (const [number, client] of clients.entries())
        compareClient(`client ${number}`, client, { begin, end, expected })
      for (const [number, client] of earlyClients.entries()) {
        earlySlots += compareEarly(`early client ${number}`, client, { begin, end, expected })
      }
      return { swaps, earlySlots, gaps: clients.reduce((sum, { gaps }) => sum + gaps.length, 0) }
    },
  }

  function compareClient(name: string, client: SwapReader, { begin, end, expected }: Part) {
    const { cursors, gaps } = client
    // A client that has just connected joins within a slot.
    const first = slotOf(cursors[0]!)
    const got = new Set(cursors)
    let missing = 0
    for (const [slot, { cursors: wanted }] of expected) {
      if (slot <= first || gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)) continue
      missing += wanted.filter((cursor) => !got.has(cursor)).length
    }
    if (client.duplicates() > 0) problem(`${name} got ${client.duplicates()} swaps twice.`)
    if (missing > 0) problem(`${name} lacks ${missing} swaps of which no gap was said.`)
    const extra = cursors.filter((cursor) => {
      const slot = slotOf(cursor)
      return slot >= begin && slot <= end && !expected.get(slot)?.cursors.includes(cursor)
    })
    if (extra.length > 0)
      problem(`${name} got ${extra.length} swaps that the chain does not have, ${extra[0]}.`)
  }

  /** At the end of a slot a client of `processed` has the chain's swaps. @returns how many slots it saw completely */
  function compareEarly(name: string, { settled }: EarlyClient, { begin, end, expected }: Part): number {
    let slots = 0
    for (const [slot, got] of settled) {
      if (slot < begin || slot > end) continue
      settled.delete(slot)
      slots++
      const wanted = expected.get(slot)?.signatures ?? []
      if ([...got].sort().join() !== [...wanted].sort().join())
        problem(`${name} ended slot ${slot} with ${got.length} swaps, of ${wanted.length}.`)
    }
    return slots
  }
}

/** The chain's swaps, by slot. */
async function readSwaps(chainUrl: string, begin: number, end: number): Promise<Map<number, SlotOfSwaps>> {
  const reader = openChainReader('', { tokens: [], rpcUrl: chainUrl, clock: systemClock })!
  const swaps = new Map<number, SlotOfSwaps>()
  for await (const block of reader.blocks(begin, end, new AbortController().signal)) {
    const events = (await expectedOf(block)).flatMap((event) => (event.kind === 'swap' ? [event] : []))
    swaps.set(block.slot, {
      cursors: events.map(({ cursor }) => cursor),
      signatures: events.map(({ params }) => params.signature),
    })
  }
  return swaps
}
