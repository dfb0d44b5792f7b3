import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

describe('control messages', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  /** Lets answers of the accounts, which are promises, take effect. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  it.each([
    ['keyReset', 4001],
    ['accountDeleted', 4001],
    ['disconnect', 4009],
  ] as const)('%s closes the account’s connections with %i and no others', async (type, code) => {
    const [mine, other] = [await stream.connect(1), await stream.connect(2)]
    await mine.ask({ id: 1, method: 'swapSubscribe' })

    if (type === 'keyReset') stream.accounts.set('a1', { key: keyNumber(9) })
    if (type === 'accountDeleted') stream.accounts.forget('a1')
    await stream.bus.sendControl({ type, accountId: 'a1' })

    expect(await mine.closed).toMatchObject({ code })
    expect(JSON.parse(mine.texts.at(-1)!)).toMatchObject({
      subscription_id: 1,
      method: 'subscriptionClosed',
    })
    expect(await other.untilPong()).toEqual([])
  })

  // NATS may have been away: a program that has the new key by then would give up.
  it('keyReset ends nothing that was opened with the new key, however late it comes', async () => {
    const old = await stream.connect(1)
    stream.accounts.set('a1', { key: keyNumber(9), connectionLimit: 2 })
    const fresh = await stream.connect(1, { headers: { 'X-API-KEY': keyNumber(9) } })

    await stream.bus.sendControl({ type: 'keyReset', accountId: 'a1' })
    await settle()

    expect(await old.closed).toMatchObject({ code: 4001 })
    expect(await fresh.untilPong()).toEqual([])
    expect(await stream.gateway.openConnections('a1')).toHaveLength(1)
  })

  it('keyReset keeps nothing of the connections that it ends', async () => {
    const december = new Date(stream.clock.now() + 60_000)
    stream.accounts.set('a1', { key: keyNumber(1), periodEndsAt: december })
    const old = await stream.connect(101, { headers: { 'X-API-KEY': keyNumber(1) } })
    stream.accounts.set('a1', { key: keyNumber(9) })
    await stream.bus.sendControl({ type: 'keyReset', accountId: 'a1' })
    await old.closed
    await stream.connect(101, { headers: { 'X-API-KEY': keyNumber(9) } })
    stream.accounts.set('a1', { periodEndsAt: new Date(december.getTime() + 86_400_000) })
    let asked = 0
    stream.accounts.before = async (call) => void (call === 'authorizeAccount' && asked++)

    stream.clock.advance(61_000)
    for (let turn = 0; turn < 5; turn++) await settle()

    // What was left of the old ones would ask for the next period too.
    expect(asked).toBe(1)
  })

  it('closes with 4003 when the plan is gone', async () => {
    const client = await stream.connect()
    stream.accounts.set('a1', { planId: null })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })

    expect(await client.closed).toMatchObject({ code: 4003 })
  })

  it('closes with 4003 and the address of the support when the account is suspended, and lets it in again once freed', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'swapSubscribe' })
    stream.accounts.set('a1', { isSuspended: true })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })

    const reason = 'This account is suspended. Write to support@pairwire.example.'
    expect(await client.closed).toMatchObject({ code: 4003, reason })
    expect(JSON.parse(client.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
    stream.accounts.set('a1', { isSuspended: false })
    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })
    await stream.connect()
  })

  it.each([
    ['within a second of the message', true, 1_000],
    ['within ten seconds where the message was lost', false, 10_000],
  ])(
    'ends a suspended account’s streams on three gateways %s, and lets it in again once freed',
    async (_, told, withinMs) => {
      const { clock } = stream
      const others = [
        await openGateway({ clock, beside: stream }),
        await openGateway({ clock, beside: stream }),
      ]
      const all = [stream, ...others]
      stream.accounts.set('wide', { key: keyNumber(7), connectionLimit: 3 })
      const headers = { 'X-API-KEY': keyNumber(7) }
      const clients = await Promise.all(all.map((gateway) => gateway.connect(107, { headers })))
      const suspended = clock.now()

      stream.accounts.set('wide', { isSuspended: true })
      if (told) await stream.bus.sendControl({ type: 'planChanged', accountId: 'wide' })
      const closed = Promise.all(clients.map((client) => client.closed))
      while (!told && clock.now() - suspended < withinMs) await clock.pass(500)

      for (const { code, reason } of await closed) {
        expect(code).toBe(4003)
        expect(reason).toContain('suspended')
      }
      expect(clock.now() - suspended).toBeLessThanOrEqual(withinMs)
      stream.accounts.set('wide', { isSuspended: false })
      await Promise.all(all.map((gateway) => gateway.connect(107, { headers })))
      await Promise.all(others.map((gateway) => gateway.close()))
    },
  )

  it('applies a smaller plan to a filter of new pairs too, confirmed and early', async () => {
    const client = await stream.connect()
    const params = { creator: Array.from({ length: 11 }, (_, at) => address(100 + at)) }
    await client.ask({ id: 1, method: 'newPairSubscribe', params })
    await client.ask({ id: 2, method: 'newPairSubscribe', params: { ...params, commitment: 'processed' } })
    await client.ask({ id: 3, method: 'latestBlockSubscribe' })
    stream.accounts.set('a1', { planId: 2 })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })
    await settle()
    await stream.publish(aBlock())

    const ended = { method: 'subscriptionClosed', errorType: 'FILTER_TOO_LARGE' }
    expect(await client.untilPong()).toMatchObject([
      { ...ended, subscription_id: 1 },
      { ...ended, subscription_id: 2 },
      { subscription_id: 3, method: 'latestBlockNotification' },
    ])
  })

  it('applies a smaller plan to open connections: too large a filter ends, the rest continues', async () => {
    const client = await stream.connect()
    await client.ask({ id: 1, method: 'newPairSubscribe' })
    await client.ask({ id: 2, method: 'swapSubscribe' })
    stream.accounts.set('a1', { planId: 2 })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })
    await settle()
    await stream.publish(aSwap(), aNewPair())

    expect(await client.untilPong()).toMatchObject([
      {
        subscription_id: 2,
        method: 'subscriptionClosed',
        reason: expect.stringContaining('Basic needs a filter'),
      },
      { subscription_id: 1, method: 'newPairNotification' },
    ])
  })

  it('closes connections beyond a smaller limit, the newest first', async () => {
    stream.accounts.set('wide', { key: keyNumber(6), connectionLimit: 2 })
    const headers = { 'X-API-KEY': keyNumber(6) }
    const first = await stream.connect(106, { headers })
    const second = await stream.connect(106, { headers })
    stream.accounts.set('wide', { connectionLimit: 1 })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'wide' })

    expect(await second.closed).toMatchObject({ code: 4029 })
    expect(await first.untilPong()).toEqual([])
  })

  it('retries when the plan could not be read', async () => {
    const client = await stream.connect()
    stream.accounts.set('a1', { planId: null })
    stream.accounts.before = async () => {
      throw new Error('database away')
    }
    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })
    await settle()
    stream.accounts.before = async () => {}

    stream.clock.advance(1_000)

    expect(await client.closed).toMatchObject({ code: 4003 })
  })
})
