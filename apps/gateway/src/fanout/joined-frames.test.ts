import { describe, expect, it } from 'vitest'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import { OutgoingEvent } from '../protocol/outgoing-event.ts'
import { aBlock, aSwap } from '../testing/events.ts'
import { JoinedFrames } from './joined-frames.ts'

/** Heads of a client with these subscription ids. */
const heads = ({ swap, latestBlock }: { swap: number; latestBlock?: number | undefined }) =>
  websocketCodec.heads([
    { kind: 'swap', id: swap },
    ...(latestBlock ? [{ kind: 'latestBlock', id: latestBlock } as const] : []),
  ])

describe('joined frames', () => {
  const swaps = [new OutgoingEvent(aSwap()), new OutgoingEvent(aSwap())]

  it('are made once for clients with the same ids', () => {
    const joined = new JoinedFrames()

    expect(joined.of([...swaps], heads({ swap: 1 }))).toBe(joined.of(swaps, heads({ swap: 1 })))
  })

  // Guards a client from the subscription id of another one.
  it('have the ids of the client, however similar the ids of others are', () => {
    const joined = new JoinedFrames()
    const block = new OutgoingEvent(aBlock())
    const pairs: [number, number | undefined][] = [
      [1, undefined],
      [1, 2],
      [2, 1],
      [12, 1],
      [1, 21],
      [11, 2],
    ]

    for (let turn = 0; turn < 2; turn++) {
      for (const [swap, latestBlock] of pairs) {
        const events = latestBlock === undefined ? swaps : [...swaps, block]
        const text = joined.of(events, heads({ swap, latestBlock })).toString('latin1')
        const ids = [...text.matchAll(/"subscription_id":(\d+)/g)].map(([, id]) => Number(id))
        expect(ids).toEqual(latestBlock === undefined ? [swap, swap] : [swap, swap, latestBlock])
      }
    }
  })

  it('are made again for other events, fewer of them, or the same at another time', () => {
    const joined = new JoinedFrames()
    const before = joined.of(swaps, heads({ swap: 1 }))

    for (const events of [
      swaps.slice(0, 1),
      swaps.toReversed(),
      swaps.map((swap) => swap.shown({ timestamps: true, facts: false }, 7)),
    ]) {
      expect(joined.of(events, heads({ swap: 1 })).equals(before)).toBe(false)
    }
  })

  it('keep the newest of a few sets of ids', () => {
    const joined = new JoinedFrames()
    const first = joined.of(swaps, heads({ swap: 1 }))
    for (let id = 2; id <= 16; id++) joined.of(swaps, heads({ swap: id }))
    expect(joined.of(swaps, heads({ swap: 1 }))).toBe(first)

    for (let id = 101; id <= 116; id++) joined.of(swaps, heads({ swap: id }))
    const again = joined.of(swaps, heads({ swap: 1 }))

    expect(again).not.toBe(first)
    expect(again.equals(first)).toBe(true)
  })
})
