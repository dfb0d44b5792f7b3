import type { NotedMessage, OwnWebhook } from '@pairwire/accounts'
import { systemClock } from '@pairwire/basics'
import { formatCursor, type StreamEvent, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../testing/webhooks-under-test.ts'
import type { DeliveryParts } from './delivery-parts.ts'
import type { Reading } from './stream-reader.ts'
import { WebhookDelivery } from './webhook-delivery.ts'

const MINT = '5hXuqzb2PTALbYLXbrxpQjDyJmRS2LnHhHbZH8kCpump'
const cursorOf = (slot: number) => formatCursor({ run: 0, slot, transactionIndex: 1, eventIndex: 0 })
const aSwap = (slot: number) =>
  ({
    kind: 'swap',
    cursor: cursorOf(slot),
    params: {
      slot,
      signature: 's',
      blockTime: 1,
      swap: { baseTokenMint: MINT, quoteTokenMint: WRAPPED_SOL },
    },
  }) as unknown as StreamEvent

/** A delivery whose stream is what `read` hands it; the messages that it noted. */
function deliver(
  read: (reading: Reading) => void,
  { maxWaitMs = 0, delivered = 0, letter = null as number | null } = {},
) {
  const noted: NotedMessage[] = []
  const lettersRead: unknown[] = []
  const own = {
    ...{ id: 'wh_1', accountId: 'a', url: 'http://127.0.0.1:1/', kind: 'swap', params: {}, maxEvents: 9 },
    ...{ maxWaitMs, state: 'on', revision: 0, place: cursorOf(1), message: null, tries: 0, refusals: 0 },
    ...{ nextTryAt: null, failingSince: null, lastAttempt: null, secrets: [], rank: 0, letter },
  } as unknown as OwnWebhook
  const planId = letter === null ? 3 : 1
  const standing = { outcome: 'allowed', planId, delivered: { swap: delivered } }
  const dead = {
    type: 'swap',
    n: 4,
    after: cursorOf(1),
    first: cursorOf(2),
    last: cursorOf(3),
    count: 2,
    buys: 0,
  }
  const parts = {
    accounts: {
      noteMessage: async ({ message }: { message: NotedMessage }) => {
        noted.push({ ...message, n: noted.length + 1 })
        return noted.at(-1)
      },
      noteAnswer: async () => 'on',
      readQueuedLetter: async () => {
        lettersRead.push(letter)
        return dead
      },
    },
    ...{ simulated: false, clock: systemClock, owner: 'o', log: { warn() {} } },
    reader: {
      ...{ read, end() {}, placeOf: () => '' },
      readUntil: async (_account: string, _bounds: object, take: (event: StreamEvent) => boolean) =>
        [2, 3].map(aSwap).every(take) ? 'whole' : 'broken',
    },
    standings: { of: async () => standing, chargeOf: () => ({}) },
    posts: (_account: string, work: () => Promise<number>) => work(),
    post: async () => ({ status: 200, body: '' }),
    ...{ signsOff: () => false, inHandOf: () => 0, count() {}, reread: async () => {} },
  } as unknown as DeliveryParts<WebhookDelivery>
  const delivery = new WebhookDelivery(own, parts)
  onTestFinished(() => delivery.end())
  delivery.run()
  return Object.assign(noted, { lettersRead, end: () => delivery.end() })
}

describe('a delivery', () => {
  it.each([...Array(12).keys()])('sees an event that comes %i turns after it looked', async (turns) => {
    let isRead = false
    const noted = deliver(async (reading) => {
      if (isRead) return
      isRead = true
      for (let turn = 0; turn < turns; turn++) await undefined
      reading.take(aSwap(2))
    })

    await until(() => noted.length === 1, 3_000)
  })

  it('announces what is lost only after what it had collected before', async () => {
    let reads = 0
    const noted = deliver(
      (reading) => {
        reads++
        if (reads === 1 && reading.take(aSwap(2))) reading.readTo = cursorOf(2)
        if (reading.readTo === cursorOf(2)) reading.onLost(cursorOf(8), cursorOf(7))
        else if (reads < 20 && reading.take(aSwap(8))) reading.readTo = cursorOf(8)
      },
      { maxWaitMs: 50 },
    )

    await until(() => noted.length >= 3, 3_000)
    expect(noted.slice(0, 3).map(({ type, last }) => [type, last])).toEqual([
      ['swap', cursorOf(2)],
      ['gap', cursorOf(7)],
      ['swap', cursorOf(8)],
    ])
  })

  it.each([
    [998, 1],
    [999, 0],
  ])('after %i of 1,000 events sends %i dead letter of two events', async (delivered, count) => {
    const noted = deliver(() => {}, { delivered, letter: 4 })

    await until(() => noted.lettersRead.length > 0)
    await noted.end()
    expect(noted).toHaveLength(count)
  })
})
