import type { Interest } from '@pairwire/filter'
import { describe, expect, it } from 'vitest'
import { sseCodec } from '../codecs/line-codecs.ts'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import { aSwap } from '../testing/events.ts'
import { aClient } from '../testing/hub-client.ts'
import { put } from '../testing/interests.ts'
import { createTurnClock } from '../testing/turn-clock.ts'
import { Shards } from './shards.ts'

const SHARDS = 8
const LIMITS = {
  ...{ windowMs: 11, restOwedMs: 0, windowMaxEvents: 1_000, recentEvents: 10, turnMs: 3 },
  shards: SHARDS,
}
const SWAPS: Interest = { kind: 'swap', timestamps: false, facts: false, filter: null, accountsInFilter: 0 }

/** Shards with a client each. A write takes `writeMs`; time moves only by that, and by turns of the loop. */
function openShards(writeMs: number) {
  const { clock, pass, turn } = createTurnClock()
  const shards = new Shards({ clock, limits: LIMITS })
  const writes: number[] = []
  for (let at = 0; at < SHARDS; at++) {
    const write = () => {
      pass(writeMs)
      return writes.push(at) > 0
    }
    put(shards.assign(websocketCodec), { ...aClient().client, outbox: { write } }, at + 1, SWAPS)
  }
  return { shards, writes, turn, pass }
}

describe('shards', () => {
  it('end their windows at different times', () => {
    const { shards, writes, turn, pass } = openShards(0.5)
    shards.publish([aSwap()])
    while (writes.length < SHARDS) turn()

    shards.publish([aSwap()])
    const perMs: number[] = []
    for (let ms = 0; ms < 12; ms++) {
      const before = writes.length
      // For timers, and for what they start.
      turn()
      turn()
      perMs.push(writes.length - before)
      pass(1)
    }

    expect(writes).toHaveLength(2 * SHARDS)
    expect(perMs.filter((writes) => writes > 0).length).toBeGreaterThanOrEqual(3)
  })

  it('run a change once each of them has reached an edge', () => {
    const { shards, writes, turn } = openShards(2)
    const seen: number[] = []
    shards.atEdge(() => seen.push(writes.length))

    shards.publish([aSwap()])
    shards.atEdge(() => seen.push(writes.length))
    while (writes.length < SHARDS) turn()

    expect(seen).toEqual([0, SHARDS])
  })

  it('make no websocket wait for what streams over HTTP took', () => {
    const { clock, pass, turn } = createTurnClock()
    const shards = new Shards({ clock, limits: { ...LIMITS, shards: 1 } })
    const { client, frames } = aClient()
    const write = () => {
      pass(5)
      return true
    }
    put(shards.assign(sseCodec), { ...client, codec: sseCodec, outbox: { write } }, 1, SWAPS)
    put(shards.assign(websocketCodec), client, 2, SWAPS)
    for (const events of [1, 2]) {
      shards.publish([aSwap()])
      turn()
      turn()

      expect(frames()).toHaveLength(events)
    }
  })
})
