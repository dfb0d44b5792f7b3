import type { StreamEvent } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CAPPED_PLAN } from '../testing/capped-accounts.ts'
import { aBlock, aNewPair, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream } from '../testing/stream-reader.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

/** A gap behind an event, of slots that nobody gets. */
function aGap(): StreamEvent & { kind: 'gap' } {
  const { cursor, params } = aBlock()
  const slots = { fromSlot: params.block, toSlot: params.block }
  return { kind: 'gap', cursor, params: { ...slots, cause: 'upstream', resume_from: null } }
}

describe('the window in which the swaps of a plan run out', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
    const { id: planId, swapEventsPerPeriod } = CAPPED_PLAN
    stream.accounts.set('capped', { key: keyNumber(1), planId })
    const of = { accountId: 'capped', planInForceId: 'paid', period: '2026-11-01', day: '2026-11-20' }
    stream.accounts.recorded.push({ ...of, kind: 'buy', count: swapEventsPerPeriod! - 1 })
  })
  afterEach(() => stream.close())

  const headers = { 'X-API-KEY': keyNumber(1) }

  // Behind a gap a program has everything but the gap's slots.
  it('reports a gap to the streams that go on, and none to the one whose last swap lies before it', async () => {
    const client = await stream.connect(2, { headers })
    await client.ask({ id: 1, method: 'newPairSubscribe' })
    await client.ask({ id: 2, method: 'swapSubscribe' })
    const [last, missed, gap, later, pair] = [aSwap(), aSwap(), aGap(), aSwap(), aNewPair()]

    await stream.publish(last, missed, gap, later, pair)

    expect(await client.untilPong()).toMatchObject([
      { subscription_id: 2, cursor: last.cursor },
      { method: 'gapNotification', params: { subscription_id: 1, ...gap.params } },
      { subscription_id: 1, cursor: pair.cursor },
      { subscription_id: 2, method: 'subscriptionClosed', errorType: 'PLAN_USED_UP' },
    ])
  })

  it('leaves a browser at its last swap, to come back there in the next period', async () => {
    const reader = await readStream(stream.port, '/v1/stream/swaps', { headers })
    const last = aSwap()

    await stream.publish(last, aSwap(), aGap(), aSwap())
    await reader.ended

    expect(reader.lastEventId()).toBe(last.cursor)
    expect(reader.messages().map(({ data }) => data.method)).toEqual(['swapNotification', 'connectionClosed'])
  })

  it('gives a stream that is over no place behind a missed swap', async () => {
    const last = aSwap()
    stream.clock.after(3_000, () => void stream.bus.publish([last, aSwap()]))
    const reader = await readStream(stream.port, '/v1/stream/swaps?seconds=3', { headers })

    stream.clock.advance(3_000)
    await reader.ended

    expect(reader.lastEventId()).toBe(last.cursor)
  })
})
