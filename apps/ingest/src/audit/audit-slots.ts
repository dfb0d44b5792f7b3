import { cursorBefore, formatCursor, parseCursor, type StreamEvent } from '@pairwire/contract'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { COMPARED_SLOTS } from '../slot-keeper/slot-keeper.ts'
import { LIVE_RUN } from '../sources/source.ts'
import { type AuditFault, compareSlot, expectedOf } from './compare-slot.ts'

/** What {@link auditSlots} needs. */
type AuditOptions = Readonly<{
  /** Both inclusive. */
  fromSlot: number
  toSlot: number
  /** Replays what was published after a cursor, in order. */
  replay(cursor: string): AsyncIterable<readonly StreamEvent[]>
  /** The chain's own blocks of these slots, in order; none for a slot without a block. */
  blocks(fromSlot: number, toSlot: number): AsyncIterable<ChainBlock>
  /** Called with each fault as it is found. */
  found(fault: AuditFault): void
  /** Called after each slot. */
  passed?(slot: number): void
}>

/** The counts of a comparison. */
export type Audited = Readonly<{
  /** Blocks of the chain. */
  blocks: number
  /** Events that the chain has there. */
  expected: number
  /** Faults by venue, and in total. */
  byVenue: ReadonlyMap<string, Readonly<Record<AuditFault['kind'], number>>>
  faults: number
  /** Missing events that a gap covers. */
  announced: number
}>

/**
 * Decodes the blocks of these slots again and compares them with what was published, event by event. Holds one slot at
 * a time. Rejects as `replay` and `blocks` do.
 */
export async function auditSlots(options: AuditOptions): Promise<Audited> {
  const { fromSlot, toSlot, found, passed = () => {} } = options
  const published = readBySlot(options.replay(beginOf(fromSlot)))
  const byVenue = new Map<string, Record<AuditFault['kind'], number>>()
  const audited = { blocks: 0, expected: 0, faults: 0, announced: 0 }

  const tell = (fault: AuditFault) => {
    const counts = byVenue.get(fault.venue) ?? { missing: 0, extra: 0, different: 0 }
    byVenue.set(fault.venue, counts)
    counts[fault.kind]++
    audited.faults++
    if (fault.announced) audited.announced++
    found(fault)
  }

  const compare = async (slot: number, block: ChainBlock | undefined) => {
    const expected = block ? await expectedOf(block) : []
    audited.expected += expected.length
    const events = await published.take(slot)
    const faults = compareSlot(slot, expected, events)
    const isInGap = faults.length > 0 && (await published.isInGap(slot, events))
    for (const fault of faults) {
      tell(isInGap && fault.kind === 'missing' ? { ...fault, announced: true } : fault)
    }
  }

  /** Compares what was published of slots without a block. */
  const compareUpTo = async (slot: number) => {
    for (;;) {
      const next = await published.nextSlot()
      if (next === undefined || next >= slot || next > toSlot) return
      await compare(next, undefined)
    }
  }

  try {
    for await (const block of options.blocks(fromSlot, toSlot)) {
      audited.blocks++
      await compareUpTo(block.slot)
      await compare(block.slot, block)
      passed(block.slot)
    }
    await compareUpTo(toSlot + 1)
  } finally {
    await published.close()
  }
  return { ...audited, byVenue }
}

/** Returns the cursor before everything in a slot. */
export function beginOf(slot: number): string {
  return cursorBefore(formatCursor({ run: LIVE_RUN, slot, transactionIndex: 0, eventIndex: 0 }))
}

/** Reads what was published, slot by slot. */
function readBySlot(batches: AsyncIterable<readonly StreamEvent[]>) {
  const reader = batches[Symbol.asyncIterator]()
  let held: StreamEvent[] = []
  let hasEnded = false

  /** Reads on until something of this slot or a later one is held. */
  const fill = async (slot = 0) => {
    while (!hasEnded && (held.length === 0 || slotOf(held.at(-1)!) < slot)) {
      const { value, done } = await reader.next()
      if (done) hasEnded = true
      else held = [...held, ...value]
    }
  }

  return {
    async nextSlot(): Promise<number | undefined> {
      await fill()
      return held[0] && slotOf(held[0])
    },

    /** Returns everything published up to the end of this slot, including late events of earlier slots. */
    async take(slot: number): Promise<readonly StreamEvent[]> {
      const events: StreamEvent[] = []
      for (;;) {
        await fill()
        const rest = held.findIndex((event) => slotOf(event) > slot)
        events.push(...held.splice(0, rest === -1 ? held.length : rest))
        if (held.length > 0 || hasEnded) return events
      }
    },

    /** Whether a gap covers this slot with these events: gaps come after their slots, or a late part of them. */
    async isInGap(slot: number, events: readonly StreamEvent[]): Promise<boolean> {
      await fill(slot + COMPARED_SLOTS)
      return [...events, ...held].some(
        ({ kind, params }) => kind === 'gap' && slot >= params.fromSlot && slot <= params.toSlot,
      )
    },

    async close() {
      await reader.return?.()
    },
  }
}

function slotOf({ cursor }: StreamEvent): number {
  return parseCursor(cursor)!.slot
}
