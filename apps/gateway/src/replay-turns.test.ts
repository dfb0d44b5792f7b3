import type { Bus } from '@pairwire/bus'
import { formatCursor } from '@pairwire/contract'
import { createManualClock } from '@pairwire/process/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from './limits.ts'
import { createResuming } from './resuming.ts'
import { aBlock } from './testing/events.ts'

const PAGE_BYTES = 100_000
const READS = 3

const cursorOf = (slot: number) => formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Accounts that come back, to a bus of which each read has a page to parse. */
function createWorld(parsesATurn: number) {
  const seen = { reading: 0, mostReading: 0, parsed: [] as string[] }
  const bus: Pick<Bus, 'replay' | 'oldestCursor' | 'newestCursor'> = {
    oldestCursor: async () => cursorOf(1),
    newestCursor: async () => cursorOf(1_000),
    async *replay(cursor, inTurn) {
      seen.reading++
      seen.mostReading = Math.max(seen.mostReading, seen.reading)
      yield await inTurn!(PAGE_BYTES, () => {
        seen.parsed.push(cursor)
        seen.reading--
        return [{ ...aBlock(), cursor: cursorOf(1_000) }]
      })
    },
  }
  const log = { info() {}, warn() {}, error: (...words: unknown[]) => expect(words).toBe('no error') }
  const limits = { ...DEFAULT_LIMITS, replayTurnBytes: parsesATurn * PAGE_BYTES, replayReads: READS }
  return { seen, resuming: createResuming({ bus, clock: createManualClock(), limits, log, onResume() {} }) }
}

describe('the turns of those who come back', () => {
  it('are read a few at a time, and parsed as many in a turn of the loop as it has room for', async () => {
    const { seen, resuming } = createWorld(2)
    const found = Array.from({ length: 20 }, (_, at) => resuming.find(cursorOf(at + 1), `account ${at}`))

    let before = 0
    while (seen.parsed.length < 20) {
      await nextTurn()
      expect(seen.parsed.length - before).toBeLessThanOrEqual(2)
      before = seen.parsed.length
    }
    await Promise.all(found)

    expect(seen.mostReading).toBe(READS)
  })

  // Otherwise who begins again and again would always stand in front of who is replayed to for long.
  it('come first for an account that has spent less, whichever of its replays did', async () => {
    const { seen, resuming } = createWorld(1)
    for (let slot = 1; slot <= 5; slot++) await resuming.find(cursorOf(slot), 'much')

    await Promise.all([resuming.find(cursorOf(11), 'much'), resuming.find(cursorOf(12), 'little')])

    expect(seen.parsed.slice(5)).toEqual([cursorOf(12), cursorOf(11)])
  })
})
