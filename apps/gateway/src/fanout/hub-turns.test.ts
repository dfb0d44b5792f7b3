import type { Interest } from '@pairwire/filter'
import { describe, expect, it } from 'vitest'
import { address, aSwap } from '../testing/events.ts'
import { aClient } from '../testing/hub-client.ts'
import { everySwap, put, swapsOf } from '../testing/interests.ts'
import { createTurnClock } from '../testing/turn-clock.ts'
import { Hub } from './hub.ts'
import type { HubClient } from './hub-member.ts'

const LIMITS = { windowMs: 5, restOwedMs: 0, windowMaxEvents: 1_000, recentEvents: 10, turnMs: 1 }

/** A hub in which every write fills a turn of the loop, and its clients. */
function openCrowd(interests: readonly Interest[]) {
  const { clock, pass, turn } = createTurnClock()
  const hub = new Hub({ clock, limits: LIMITS })
  const clients = interests.map((interest, at) => {
    const { client, frames } = aClient()
    const write: HubClient['outbox']['write'] = (frame) => {
      pass(1)
      return client.outbox.write(frame)
    }
    const slow = { ...client, outbox: { write } }
    // With different ids, since clients with the same ones share a write.
    put(hub, slow, at + 1, interest)
    return { client: slow, frames }
  })
  return { hub, clients, pass, turn }
}

describe('a window of a hub that takes several turns', () => {
  it.each([
    ['of clients with a filter', swapsOf(address(1))],
    ['of clients without one', everySwap],
  ])(
    'sends a window %s over several turns, and a client that leaves gets all of it and its cursor',
    (_, interest) => {
      const swap = aSwap({ baseTokenMint: address(1) })
      const { hub, clients, turn } = openCrowd(Array.from({ length: 4 }, () => interest))
      const received = () => clients.map(({ frames }) => frames().length)
      hub.publish([swap])
      turn()
      expect(received()).toEqual([1, 0, 0, 0])

      hub.leave(clients.at(-1)!.client)

      expect(received()).toEqual([1, 1, 1, 1])
      expect(hub.place()).toBe(swap.cursor)
    },
  )

  // The shared outbox budget ends the client that holds the most, during the write to another one.
  it.each([
    ['with a filter', swapsOf(address(1))],
    ['without one', everySwap],
  ])(
    'ends a client %s during the write to another, with its cursor from before the window, and sends the rest all of it',
    (_, interest) => {
      const before = aSwap({ baseTokenMint: address(1) })
      const swap = aSwap({ baseTokenMint: address(1) })
      const { hub, clients, pass, turn } = openCrowd(Array.from({ length: 4 }, () => interest))
      hub.publish([before])
      hub.flush()
      const [, second, , last] = clients.map(({ client }) => client)
      const { write } = second!.outbox
      let place: string | undefined
      Object.assign(second!.outbox, {
        write(frames: Parameters<typeof write>[0]) {
          Object.assign(last!.outbox, { write: () => false })
          hub.leave(last!)
          place = hub.place()
          return write(frames)
        },
      })
      hub.publish([swap])
      pass(1_000)
      for (const _ of clients) turn()

      expect(clients.map(({ frames }) => frames().length)).toEqual([2, 2, 2, 1])
      expect(place).toBe(before.cursor)
      expect(hub.place()).toBe(swap.cursor)
    },
  )
})
