import { randomUUID } from 'node:crypto'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { PLANS } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { aSwap } from '../testing/events.ts'
import { createFakeAccounts, keyNumber } from '../testing/fake-accounts.ts'
import { createSeatStore } from '../testing/seat-store.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'
import { SharedSeats } from './shared-seats.ts'

const { id: planId, swapEventsPerPeriod } = PLANS[0]!
const CAP = swapEventsPerPeriod!

// Guards the limit that a capped plan is sold with.
describe('the cap of an account at two gateways of a deployment', () => {
  let one: TestGateway
  let two: TestGateway
  beforeEach(async () => {
    const [bus, accounts, clock] = [
      createInProcessBus({ maxBytes: 1_000_000 }),
      createFakeAccounts(),
      createManualClock(),
    ]
    const { seats } = accounts
    const open = () => {
      const gateway = { id: randomUUID(), name: 'one of two' }
      return openGateway({
        ...{ beside: { bus, accounts }, clock },
        openShared: (parts) =>
          new SharedSeats({
            ...{ ...parts, bus, gateway },
            accounts: createSeatStore(seats),
          }),
      })
    }
    one = await open()
    two = await open()
  })
  afterEach(() => Promise.all([one.close(), two.close()]))

  /** Publishes swaps, ten at a time; spending is shared after each ten. */
  const publish = async (count: number) => {
    for (let sent = 0; sent < count; sent += 10) {
      await one.publish(...Array.from({ length: 10 }, () => aSwap()))
      await one.clock.pass(DEFAULT_LIMITS.spentEveryMs)
    }
  }
  const swapsOf = (texts: readonly string[]) =>
    texts.filter((text) => text.includes('"swapNotification"')).length
  const subscribe = { id: 1, method: 'swapSubscribe' }

  it('does not start over for a connection that moves from one to the other', async () => {
    one.accounts.set('a1', { key: keyNumber(1), planId })
    const here = await one.connect(1)
    await here.ask(subscribe)
    await one.publish(...Array.from({ length: 600 }, () => aSwap()))
    while (swapsOf(here.texts) < 600) await here.next()

    here.socket.terminate()
    const there = await two.connect(1)
    await there.ask(subscribe)
    await publish(600)

    expect(swapsOf(there.texts)).toBe(CAP - 600)
    expect(JSON.parse(there.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
  })

  it('is one cap while both have connections', async () => {
    one.accounts.set('a1', { key: keyNumber(1), planId, connectionLimit: 2 })
    const clients = [await one.connect(1), await two.connect(1)]
    for (const client of clients) await client.ask(subscribe)

    await publish(CAP)

    const sent = clients.map(({ texts }) => swapsOf(texts)).reduce((sum, swaps) => sum + swaps)
    expect(sent).toBe(CAP)
    for (const { texts } of clients)
      expect(JSON.parse(texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
  })

  it('is exceeded by two seconds of swaps at most when what they tell each other is lost', async () => {
    one.accounts.set('a1', { key: keyNumber(1), planId, connectionLimit: 2 })
    Object.assign(one.bus, { sendControl: async () => {} })
    const clients = [await one.connect(1), await two.connect(1)]
    for (const client of clients) await client.ask(subscribe)

    await publish(CAP)

    const sent = clients.map(({ texts }) => swapsOf(texts)).reduce((sum, swaps) => sum + swaps)
    expect(sent).toBeGreaterThanOrEqual(CAP)
    expect(sent).toBeLessThanOrEqual(CAP + 2 * 40)
    for (const { texts } of clients)
      expect(JSON.parse(texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
  })
})
