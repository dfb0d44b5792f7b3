import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { CursorTooOldError } from '@pairwire/bus'
import { formatCursor } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { Hub } from '../fanout/hub.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { ALONE } from '../rates/shared-spending.ts'
import { aBlock } from '../testing/events.ts'
import { aClient } from '../testing/hub-client.ts'
import { everySwap } from '../testing/interests.ts'
import { Resuming } from './resuming.ts'

const cursorOf = (slot: number) => formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 })
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A client that resumes after slot 5 on a bus that has lost everything. */
function createWorld() {
  const clock = createManualClock()
  const bus = { reads: 0 }
  const lost = {
    holds: async () => false,
    oldestCursor: async () => undefined,
    newestCursor: async () => undefined,
    async *replay() {
      // A loop without a pause would never come to an end.
      if (++bus.reads > 100) await new Promise(() => {})
      throw new CursorTooOldError(undefined)
    },
  }
  const log = { info() {}, warn() {}, error() {} }
  const hub = new Hub({ clock, limits: DEFAULT_LIMITS })
  const resuming = new Resuming({ bus: lost, clock, limits: DEFAULT_LIMITS, log, spending: ALONE })
  const { client, frames } = aClient()
  const pulling = {
    ...client,
    outbox: { ...client.outbox, whenDrained: (callback: () => void) => callback() },
  }
  const replay = resuming.begin('a1', pulling, hub, { isMoreToCome: () => false, onEnd() {} })
  replay.subscriptions.add({ id: 1, kind: 'swap', origin: 'confirmed', interest: everySwap }, cursorOf(5))
  clock.advance(DEFAULT_LIMITS.gatherMs)
  return { bus, clock, hub, frames }
}

describe('a replay on a bus that has lost everything', () => {
  // Guards the process: without a pause, one client would keep it busy.
  it('looks again after a pause, until the hub has sent something later', async () => {
    const { bus, clock, hub, frames } = createWorld()
    await turns(20)
    expect(bus.reads).toBe(1)
    expect(frames()).toEqual([])

    hub.publish([{ ...aBlock(), cursor: cursorOf(9) }])
    clock.advance(DEFAULT_LIMITS.retryAfterMs)
    await turns(20)

    expect(frames()).toMatchObject([{ params: { fromSlot: 5, toSlot: 9, cause: 'slow_consumer' } }])
    expect(hub.isEmpty).toBe(false)
  })

  it('does not go back to what the hub has sent before its place', async () => {
    const { hub, clock, frames } = createWorld()
    hub.publish([{ ...aBlock(), cursor: cursorOf(3) }])

    clock.advance(DEFAULT_LIMITS.retryAfterMs)
    await turns(20)

    expect(frames()).toEqual([])
    expect(hub.isEmpty).toBe(true)
  })
})
