import type { StreamKind } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { frameText } from '../protocol/frames.ts'
import { OutgoingEvent } from '../protocol/outgoing-event.ts'
import { aBlock, aNewPair, aSwap } from '../testing/events.ts'
import { websocketCodec } from './websocket-codec.ts'

const METHODS = {
  swap: 'swapNotification',
  newPair: 'newPairNotification',
  latestBlock: 'latestBlockNotification',
} as const

/** Subscription ids of a client, by kind. */
type Ids = Partial<Record<StreamKind, number>>

const heads = (ids: Ids) =>
  websocketCodec.heads((Object.keys(ids) as StreamKind[]).map((kind) => ({ kind, id: ids[kind]! })))

/** The expected bytes, made the simple way. */
const plain = (events: readonly OutgoingEvent[], ids: Ids) =>
  Buffer.concat(
    events.map(({ event: { kind, params, cursor } }) =>
      frameText(
        `{"subscription_id":${ids[kind]},"method":"${METHODS[kind]}","params":${JSON.stringify(params)},"cursor":"${cursor}"}`,
      ),
    ),
  )

// Ids of every length, and on both sides of each change of length.
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
  it('have the bytes of their JSON with any id, for one client after the other', () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.array(ids, { minLength: 1, maxLength: 8 }),
        (makers, clients) => {
          const events = makers.map((make) => new OutgoingEvent(make()))

          const frames = clients.map((client) => heads(client).frame(events))

          // All are read after the last is made: no client's bytes may change later.
          for (const [at, client] of clients.entries()) {
            expect(frames[at]!.equals(plain(events, client))).toBe(true)
          }
        },
      ),
    )
  })

  it('make their text once, whatever the ids', () => {
    const events = [new OutgoingEvent(aNewPair()), new OutgoingEvent(aNewPair())]
    const texts = vi.spyOn(JSON, 'stringify')

    for (let id = 1; id <= 600; id++) heads({ newPair: id }).frame(events)
    const made = texts.mock.calls.length
    vi.restoreAllMocks()

    expect(made).toBe(2)
  })

  // Guards against 100 bytes per block and client that only the archive needs.
  it('never contain the hashes of a block', () => {
    const block = aBlock()
    const outgoing = new OutgoingEvent({ ...block, blockhash: 'own', parentBlockhash: 'before' })

    const frames = heads({ latestBlock: 2 })
      .frame([outgoing, outgoing.shown({ timestamps: true, facts: false }, 7)])
      .toString('latin1')

    expect(frames).toContain(JSON.stringify(block.params))
    expect(frames).not.toMatch(/hash|own|before/)
  })

  it('have no cursor if they came in order of arrival', () => {
    const placed = aSwap()
    const unplaced = new OutgoingEvent({ ...placed, unplaced: true })
    const events = [unplaced, new OutgoingEvent({ ...aBlock(), unplaced: true })]
    const text = (outgoing: readonly OutgoingEvent[]) =>
      heads({ swap: 1, latestBlock: 2 }).frame(outgoing).toString('latin1')

    expect(text(events)).not.toContain('cursor')
    expect(text(events)).toContain(`"params":${JSON.stringify(placed.params)}}`)
    expect(text([unplaced.shown({ timestamps: true, facts: false }, 7)])).toMatch(
      /}},"receivedAt":0,"sentAt":7}$/,
    )
  })
})
