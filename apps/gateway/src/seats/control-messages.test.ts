import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aNewPair, aSwap } from '../testing/events.ts'
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

    await stream.bus.sendControl({ type, accountId: 'a1' })

    expect(await mine.closed).toMatchObject({ code })
    expect(JSON.parse(mine.texts.at(-1)!)).toMatchObject({
      subscription_id: 1,
      method: 'subscriptionClosed',
    })
    expect(await other.untilPong()).toEqual([])
  })

  it('closes with 4003 when the plan is gone', async () => {
    const client = await stream.connect()
    stream.accounts.set('a1', { planId: null })

    await stream.bus.sendControl({ type: 'planChanged', accountId: 'a1' })

    expect(await client.closed).toMatchObject({ code: 4003 })
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
