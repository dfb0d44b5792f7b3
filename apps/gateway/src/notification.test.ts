import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { frameText } from './framing.ts'
import { JoinedFrames, joinFrames, OutgoingEvent, type SubscriptionIds } from './notification.ts'
import { aBlock, aNewPair, aSwap } from './testing/events.ts'

const METHODS = {
  swap: 'swapNotification',
  newPair: 'newPairNotification',
  latestBlock: 'latestBlockNotification',
} as const

/** What has to be on the wire, made the plain way. */
const plain = (events: readonly OutgoingEvent[], ids: SubscriptionIds) =>
  Buffer.concat(
    events.map(({ event: { kind, params, cursor } }) =>
      frameText(
        `{"subscription_id":${ids[kind]},"method":"${METHODS[kind]}","params":${JSON.stringify(params)},"cursor":"${cursor}"}`,
      ),
    ),
  )

// Ids of every length, and next to where a length ends.
const id = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 95, max: 105 }),
  fc.integer({ min: 1, max: 2 ** 40 }),
)
const ids = fc.record({ swap: id, newPair: id, latestBlock: id })
const event = fc.oneof(
  // Headers have three lengths: payloads below 126 bytes, below 65,536, and above.
  fc
    .constantFrom('', 'é', 'x'.repeat(64_990), 'x'.repeat(65_100))
    .map((quotePrice) => () => aSwap({ quotePrice })),
  fc.constant(() => aNewPair()),
  fc.constant(() => aBlock()),
)

describe('outgoing events', () => {
  it('have the bytes of their JSON with any id, alone and joined, for one client after the other', () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(ids, fc.boolean()), { minLength: 1, maxLength: 8 }),
        (makers, clients) => {
          const events = makers.map((make) => new OutgoingEvent(make()))
          const joined = new JoinedFrames(events)

          for (const [client, isHeld] of clients) {
            const wanted = plain(events, client)
            const single = joined.single(client)
            expect(single.bytes.equals(wanted)).toBe(true)
            if (isHeld) single.holders++
            expect(joined.shared(client).bytes.equals(wanted)).toBe(true)
            expect(joinFrames(events, client).equals(wanted)).toBe(true)
            const [first] = events as [OutgoingEvent]
            const alone = first.frame(client[first.event.kind])
            expect(alone.bytes.equals(plain([first], client))).toBe(true)
          }
        },
      ),
    )
  })

  it('leave the frames alone that somebody holds', () => {
    const events = [new OutgoingEvent(aSwap())]
    const joined = new JoinedFrames(events)
    const held = joined.single({ swap: 17 })
    held.holders = 1

    const next = joined.single({ swap: 18 })

    expect(held.bytes.equals(plain(events, { swap: 17 }))).toBe(true)
    expect(next.bytes.equals(plain(events, { swap: 18 }))).toBe(true)
  })

  it('are made once for each length of an id, not for each id', () => {
    const events = [new OutgoingEvent(aNewPair()), new OutgoingEvent(aNewPair())]
    const joined = new JoinedFrames(events)
    const [texts, buffers] = [vi.spyOn(JSON, 'stringify'), vi.spyOn(Buffer, 'allocUnsafe')]

    for (let id = 1; id <= 600; id++) joined.single({ newPair: id })
    const made = [texts.mock.calls.length, buffers.mock.calls.length]
    vi.restoreAllMocks()

    // Two texts; for each of three lengths a frame of each event, and the two joined.
    expect(made).toEqual([2, 9])
  })

  it('have no cursor where they came in order of arrival', () => {
    const placed = aSwap()
    const events = [
      new OutgoingEvent({ ...placed, unplaced: true }),
      new OutgoingEvent({ ...aBlock(), unplaced: true }),
    ]
    const frames = joinFrames(events, { swap: 1, latestBlock: 2 }).toString('latin1')

    expect(frames).not.toContain('cursor')
    expect(frames).toContain(`"params":${JSON.stringify(placed.params)}}`)
    expect(
      new OutgoingEvent({ ...placed, unplaced: true }).timed(7).frame(1).bytes.toString('latin1'),
    ).toMatch(/}},"receivedAt":0,"sentAt":7}$/)
  })
})
