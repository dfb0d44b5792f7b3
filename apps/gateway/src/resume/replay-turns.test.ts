import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import type { Bus } from '@pairwire/bus'
import { formatCursor } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { Hub } from '../fanout/hub.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { ALONE } from '../rates/shared-spending.ts'
import { aBlock } from '../testing/events.ts'
import { aClient } from '../testing/hub-client.ts'
import { everySwap } from '../testing/interests.ts'
import { Resuming } from './resuming.ts'

const PAGE_BYTES = 100_000
const READS = 3
const NEWEST = 1_000

const cursorOf = (slot: number) => formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A bus with a page to parse for each read, and accounts that have replays. */
function createWorld(parsesATurn: number) {
  const seen = { reading: 0, mostReading: 0, parsed: [] as string[] }
  const clock = createManualClock()
  const bus: Pick<Bus, 'replay' | 'holds' | 'oldestCursor' | 'newestCursor'> = {
    holds: async () => true,
    oldestCursor: async () => cursorOf(1),
    newestCursor: async () => cursorOf(NEWEST),
    async *replay(cursor, inTurn) {
      if (cursor === cursorOf(NEWEST)) return
      seen.reading++
      seen.mostReading = Math.max(seen.mostReading, seen.reading)
      yield await inTurn!(PAGE_BYTES, () => {
        seen.parsed.push(cursor)
        seen.reading--
        return [{ ...aBlock(), cursor: cursorOf(NEWEST) }]
      })
    },
  }
  const log = { info() {}, warn() {}, error: (...words: unknown[]) => expect(words).toBe('no error') }
  const limits = { ...DEFAULT_LIMITS, replayTurnBytes: parsesATurn * PAGE_BYTES, replayReads: READS }
  const hub = new Hub({ clock, limits })
  const resuming = new Resuming({ bus, clock, limits, log, spending: ALONE })

  /** Begins a replay of the account for each slot, to be read when the clock advances. */
  const begin = (accountId: string, ...slots: number[]) => {
    for (const slot of slots) {
      const { client } = aClient()
      const replay = resuming.begin(
        accountId,
        { ...client, outbox: { ...client.outbox, whenDrained: (callback) => callback() } },
        hub,
        { isMoreToCome: () => false, onEnd() {} },
      )
      replay.subscriptions.add(
        { id: 1, kind: 'swap', origin: 'confirmed', interest: everySwap },
        cursorOf(slot),
      )
    }
  }
  return {
    seen,
    begin,
    /** Lets turns of the loop pass until that many pages are parsed; returns how many were parsed in each. */
    async parse(pages: number) {
      const turns: number[] = []
      clock.advance(limits.gatherMs)
      while (seen.parsed.length < pages) {
        const before = seen.parsed.length
        await nextTurn()
        turns.push(seen.parsed.length - before)
      }
      return turns
    },
  }
}

describe('the pages of replays', () => {
  it('are read a few at a time, and parsed as far as a turn of the loop has room', async () => {
    const { seen, begin, parse } = createWorld(2)
    for (let account = 1; account <= 20; account++) begin(`account ${account}`, account)

    const turns = await parse(20)

    expect(Math.max(...turns)).toBe(2)
    expect(seen.mostReading).toBe(READS)
  })

  // Otherwise an account that keeps starting replays would always come before one with a long replay.
  it('are parsed first for an account that has spent less over all its replays', async () => {
    const { seen, begin, parse } = createWorld(1)
    begin('much', 1, 2, 3, 4, 5)
    await parse(5)

    begin('much', 11)
    begin('little', 12)
    await parse(7)

    expect(seen.parsed.slice(5)).toEqual([cursorOf(12), cursorOf(11)])
  })

  it('are parsed again for a later reader, but then kept for others', async () => {
    const { seen, begin, parse } = createWorld(1)
    begin('a first', 8)
    await parse(1)
    begin('a second', 8)
    await parse(2)
    begin('a third', 8)
    begin('a last', 9)
    await parse(3)

    expect(seen.parsed).toEqual([8, 8, 9].map(cursorOf))
  })
})
