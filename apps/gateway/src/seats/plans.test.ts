import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const NOVEMBER = '2026-11-01'
const TODAY = '2026-11-20'
const OF_PLAN = { accountId: 'a1', planInForceId: 'paid', period: NOVEMBER }

describe('plans on open connections', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  /** Lets answers of the accounts, which are promises, take effect. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const recordedSwaps = (accountId = 'a1', period = NOVEMBER) =>
    stream.accounts.delivered(accountId, period, 'swap')

  describe('counting', () => {
    it('records what was sent by kind within a second, without blocks', async () => {
      const client = await stream.connect()
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await client.ask({ id: 2, method: 'newPairSubscribe' })
      await client.ask({ id: 3, method: 'latestBlockSubscribe' })

      await stream.publish(aSwap(), aNewPair(), aSwap({ swapType: 'sell' }), aSwap(), aBlock())
      stream.clock.advance(1_000)
      await settle()

      expect(stream.accounts.recorded).toEqual([
        { ...OF_PLAN, day: TODAY, kind: 'newPair', count: 1 },
        { ...OF_PLAN, day: TODAY, kind: 'buy', count: 2 },
        { ...OF_PLAN, day: TODAY, kind: 'sell', count: 1 },
      ])
    })

    it('counts by the UTC day of sending, with and without a filter', async () => {
      const clock = createManualClock(Date.UTC(2026, 10, 20, 23, 59, 59, 995))
      const late = await openGateway({ clock })
      const everything = await late.connect()
      await everything.ask({ id: 1, method: 'swapSubscribe' })
      const filtered = await late.connect(2)
      const include = { baseTokenMint: [address(2)] }
      await filtered.ask({ id: 1, method: 'swapSubscribe', params: { include } })

      await late.publish(aSwap())
      await late.publish(aSwap(), aSwap())
      clock.advance(1_000)
      await settle()

      const rows = late.accounts.recorded.map(({ accountId, day, count }) => `${accountId} ${day} ${count}`)
      expect(rows.sort()).toEqual(['a1', 'a2'].flatMap((id) => [`${id} ${TODAY} 1`, `${id} 2026-11-21 2`]))
      await late.close()
    })

    it('counts for a filtered client only what passed its filter', async () => {
      const client = await stream.connect()
      await client.ask({
        id: 1,
        method: 'swapSubscribe',
        params: { include: { baseTokenMint: [address(9)] } },
      })

      await stream.publish(aSwap(), aSwap({ baseTokenMint: address(9) }))
      stream.clock.advance(1_000)
      await settle()

      expect(recordedSwaps()).toBe(1)
    })

    // A brief database outage must neither lose counts nor count anything twice.
    it('keeps what could not be recorded and records it before the next batch', async () => {
      const client = await stream.connect()
      await client.ask({ id: 1, method: 'swapSubscribe' })
      stream.accounts.before = async (call) => {
        if (call === 'recordDelivered') throw new Error('database away')
      }
      await stream.publish(aSwap(), aSwap())
      stream.clock.advance(1_000)
      await settle()

      stream.accounts.before = async () => {}
      await stream.publish(aSwap())
      stream.clock.advance(1_000)
      await settle()
      stream.clock.advance(5_000)
      await settle()

      const buys = { ...OF_PLAN, day: TODAY, kind: 'buy' }
      expect(stream.accounts.recorded).toEqual([2, 1].map((count) => ({ ...buys, count })))
    })

    it('records the last counts when the gateway closes', async () => {
      const client = await stream.connect()
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(aSwap())

      await stream.close()

      expect(recordedSwaps()).toBe(1)
      stream = await openGateway()
    })

    // Guards what is charged: a part is restarted while the database is away for a moment.
    it('records the last counts when the gateway closes, also if the database is back a moment later', async () => {
      const client = await stream.connect()
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(aSwap())
      let failures = 3
      stream.accounts.before = async (name) => {
        if (name === 'recordDelivered' && failures-- > 0) throw new Error('The database is away.')
      }

      const closed = stream.close()
      for (let attempt = 0; attempt < 3; attempt++) {
        await settle()
        stream.clock.advance(100)
      }
      await closed

      expect(recordedSwaps()).toBe(1)
      stream = await openGateway()
    })

    it('begins a new period on a connection that stays open', async () => {
      stream.accounts.set('a1', { key: keyNumber(1), periodEndsAt: new Date(stream.clock.now() + 60_000) })
      stream.accounts.set('a1', { periodEndsAt: new Date('2026-11-20T12:01:00Z') })
      const client = await stream.connect(101, { headers: { 'X-API-KEY': keyNumber(1) } })
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(aSwap())
      stream.clock.advance(59_000)
      await stream.publish(aSwap())
      expect(await client.untilPong()).toHaveLength(2)
      stream.accounts.set('a1', { period: '2026-11-20', periodEndsAt: new Date('2026-12-20T12:01:00Z') })

      stream.clock.advance(2_000)
      await settle()
      await stream.publish(aSwap())
      stream.clock.advance(1_000)
      await settle()

      expect([recordedSwaps(), recordedSwaps('a1', '2026-11-20')]).toEqual([2, 1])
    })
  })

  describe('the cap of NewPairs Only', () => {
    beforeEach(() => stream.accounts.set('capped', { key: keyNumber(5), planId: 1, connectionLimit: 2 }))

    it('ends the swap subscription after exactly 1,000 events, and nothing else', async () => {
      const client = await stream.connect(5, { headers: { 'X-API-KEY': keyNumber(5) } })
      stream.accounts.set('capped', { key: keyNumber(5), planId: 1 })
      await client.ask({ id: 1, method: 'newPairSubscribe' })
      await client.ask({ id: 2, method: 'swapSubscribe' })

      await stream.publish(...Array.from({ length: 900 }, () => aSwap()))
      await stream.publish(...Array.from({ length: 200 }, () => aSwap()))
      const frames = await client.untilPong()
      const again = await client.ask({ id: 3, method: 'swapSubscribe' })
      await stream.publish(aSwap(), aNewPair())
      const later = await client.untilPong()

      expect(frames.filter((frame) => frame.method === 'swapNotification')).toHaveLength(1_000)
      expect(frames.at(-1)).toEqual({
        subscription_id: 2,
        method: 'subscriptionClosed',
        reason:
          'You have used all 1,000 swap events of NewPairs Only for this billing period. Your other streams continue.',
        errorType: 'PLAN_USED_UP',
      })
      expect(again).toMatchObject({ id: 3, error: { code: -32013, data: { errorType: 'PLAN_USED_UP' } } })
      expect(later).toMatchObject([{ subscription_id: 1, method: 'newPairNotification' }])
    })

    it('includes what was sent before, on this connection or another, recorded or not', async () => {
      stream.accounts.recorded.push({
        ...OF_PLAN,
        accountId: 'capped',
        day: TODAY,
        kind: 'buy',
        count: 990,
      })
      const headers = { 'X-API-KEY': keyNumber(5) }
      const first = await stream.connect(5, { headers })
      stream.accounts.set('capped', { key: keyNumber(5), planId: 1, connectionLimit: 2 })
      await first.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(...Array.from({ length: 6 }, () => aSwap()))
      first.socket.close()
      await first.closed

      const second = await stream.connect(5, { headers })
      await second.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(...Array.from({ length: 6 }, () => aSwap()))
      const frames = await second.untilPong()

      expect(frames.map((frame) => frame.method)).toEqual([
        ...Array.from({ length: 4 }, () => 'swapNotification'),
        'subscriptionClosed',
      ])
    })

    it('ends an open subscription when the next connection shows that other gateways have used it up', async () => {
      const headers = { 'X-API-KEY': keyNumber(5) }
      const first = await stream.connect(5, { headers })
      stream.accounts.set('capped', { key: keyNumber(5), planId: 1, connectionLimit: 2 })
      await first.ask({ id: 1, method: 'swapSubscribe' })
      stream.accounts.recorded.push({
        ...{ ...OF_PLAN, accountId: 'capped', day: TODAY, kind: 'sell', count: 1_000 },
      })

      await stream.connect(5, { headers })

      expect(await first.untilPong()).toMatchObject([
        { method: 'subscriptionClosed', errorType: 'PLAN_USED_UP' },
      ])
    })

    // A trial's 1,000 swaps are not those of a plan bought on the same day.
    it('is not reduced on an open connection by a trial that ended in a purchase that day', async () => {
      stream.accounts.set('capped', { planInForceId: 'trial' })
      const client = await stream.connect(5, { headers: { 'X-API-KEY': keyNumber(5) } })
      stream.accounts.set('capped', { key: keyNumber(5), planId: 1, planInForceId: 'trial' })
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await stream.publish(...Array.from({ length: 1_000 }, () => aSwap()))
      await client.untilPong()

      stream.accounts.set('capped', { planInForceId: 'paid' })
      await stream.bus.sendControl({ type: 'planChanged', accountId: 'capped' })
      await settle()
      const answer = await client.ask({ id: 2, method: 'swapSubscribe' })
      await stream.publish(aSwap(), aSwap())
      stream.clock.advance(1_000)
      await settle()

      expect(answer).toMatchObject({ result: { subscription_id: 2 } })
      expect(stream.accounts.delivered('capped', NOVEMBER, 'swap', 'trial')).toBe(1_000)
      expect(recordedSwaps('capped')).toBe(2)
    })

    it('is open again in the next period', async () => {
      stream.accounts.recorded.push({
        ...OF_PLAN,
        accountId: 'capped',
        day: TODAY,
        kind: 'buy',
        count: 1_000,
      })
      const client = await stream.connect(5, { headers: { 'X-API-KEY': keyNumber(5) } })
      stream.accounts.set('capped', { key: keyNumber(5), planId: 1 })
      const refused = await client.ask({ id: 1, method: 'swapSubscribe' })
      stream.accounts.set('capped', { period: '2026-12-01', periodEndsAt: new Date('2027-01-01T00:00:00Z') })

      // The connection is kept alive by hand, since ten days pass in one step.
      const answer = await new Promise((resolve) => {
        client.socket.once('pong', () => resolve(client.ask({ id: 2, method: 'swapSubscribe' })))
        void stream.bus
          .sendControl({ type: 'planChanged', accountId: 'capped' })
          .then(() => client.socket.ping())
      })

      expect(refused.error.code).toBe(-32013)
      expect(answer).toMatchObject({ id: 2, result: { subscription_id: 1 } })
    })
  })

  describe('the end of a plan', () => {
    it('closes its connections on time with 4003, after a frame for each subscription', async () => {
      const client = await stream.connect()
      stream.accounts.set('a1', { endsAt: new Date(stream.clock.now() + 5_000) })
      await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })
      await settle()
      await client.ask({ id: 1, method: 'newPairSubscribe' })
      await client.ask({ id: 2, method: 'swapSubscribe' })

      stream.clock.advance(4_999)
      expect(await client.untilPong()).toEqual([])
      stream.clock.advance(1)

      expect(await client.closed).toMatchObject({ code: 4003, reason: 'This account has no active plan.' })
      expect(client.texts.slice(-2).map((text) => JSON.parse(text))).toEqual([
        { subscription_id: 1, method: 'subscriptionClosed', reason: 'This account has no active plan.' },
        { subscription_id: 2, method: 'subscriptionClosed', reason: 'This account has no active plan.' },
      ])
    })

    it('does not close a plan that was renewed in the meantime', async () => {
      stream.accounts.set('renewed', { key: keyNumber(6), endsAt: new Date(stream.clock.now() + 5_000) })
      const client = await stream.connect(106, { headers: { 'X-API-KEY': keyNumber(6) } })
      stream.accounts.set('renewed', { endsAt: new Date(stream.clock.now() + 500_000) })

      stream.clock.advance(5_000)
      await settle()
      stream.clock.advance(5_000)

      expect(await client.untilPong()).toEqual([])
    })

    it('is enforced while the database is unavailable', async () => {
      stream.accounts.set('ending', { key: keyNumber(6), endsAt: new Date(stream.clock.now() + 5_000) })
      const client = await stream.connect(106, { headers: { 'X-API-KEY': keyNumber(6) } })
      stream.accounts.before = async () => {
        throw new Error('database away')
      }

      stream.clock.advance(5_000)

      expect(await client.closed).toMatchObject({ code: 4003 })
    })
  })

  // A lost message must not keep a dead key alive.
  describe('without any control message', () => {
    const tenSeconds = async () => {
      for (let second = 0; second < 10; second++) {
        stream.clock.advance(1_000)
        await settle()
      }
    }

    it('closes with 4001 within 10 s when the key was reset, and no others', async () => {
      const [mine, other] = [await stream.connect(1), await stream.connect(2)]
      stream.accounts.set('a1', { key: keyNumber(9) })

      await tenSeconds()

      expect(await mine.closed).toMatchObject({ code: 4001 })
      expect(await other.untilPong()).toEqual([])
    })

    it('closes with 4001 within 10 s when the account is gone, and with 4003 when its plan is', async () => {
      const [deleted, ended] = [await stream.connect(1), await stream.connect(2)]
      stream.accounts.forget('a1')
      stream.accounts.set('a2', { planId: null })

      await tenSeconds()

      expect(await deleted.closed).toMatchObject({ code: 4001 })
      expect(await ended.closed).toMatchObject({ code: 4003 })
    })

    it('closes what was opened with the old key once the new one connects', async () => {
      const old = await stream.connect(1)
      stream.accounts.set('a1', { key: keyNumber(9), connectionLimit: 2 })

      const fresh = await stream.connect(1, { headers: { 'X-API-KEY': keyNumber(9) } })

      expect(await old.closed).toMatchObject({ code: 4001 })
      expect(await fresh.untilPong()).toEqual([])
    })

    it('reaches what was opened with the new key in place of the last connection with the old one', async () => {
      await stream.connect(1)
      stream.accounts.set('a1', { key: keyNumber(9), connectionLimit: 2 })
      const fresh = await stream.connect(1, { headers: { 'X-API-KEY': keyNumber(9) } })

      await stream.bus.sendControl({ type: 'disconnect', accountId: 'a1' })

      expect(await fresh.closed).toMatchObject({ code: 4009 })
    })

    it('ends nothing while the accounts are unavailable, and checks again once they are back', async () => {
      const client = await stream.connect(1)
      stream.accounts.before = async () => {
        throw new Error('database away')
      }
      stream.accounts.set('a1', { key: keyNumber(9) })
      await tenSeconds()
      expect(await client.untilPong()).toEqual([])

      stream.accounts.before = async () => {}
      await tenSeconds()

      expect(await client.closed).toMatchObject({ code: 4001 })
    })
  })
})
