import type { OrderWithFiles } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { anArchive, HALF_PAST } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { deliverWebhooks } from './sandbox.ts'

/** A signed-in person with an order of a day, and the browser's actions on its checkout. */
async function createCheckoutUnderTest() {
  const { archive } = anArchive(HALF_PAST, 24)
  const under = await createApiUnderTest({ archive })
  const { app, post } = under
  const token = await under.signIn()
  under.clock.now = HALF_PAST
  const { order, checkout } = (await post('/api/history/orders', { offer: 'day' }, token)).json()
  const press = (outcome: string) =>
    app.inject({
      method: 'POST',
      url: checkout.url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `outcome=${outcome}`,
    })
  const read = async (): Promise<OrderWithFiles> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await app.inject({ url: `/api/history/orders/${order.id}`, headers })).json()
  }
  return { ...under, token, order, url: checkout.url as string, press, read }
}

describe('the checkout of the sandbox for an order', () => {
  it('shows the hours and their price, and links back to the shop', async () => {
    const { app, url, email } = await createCheckoutUnderTest()

    const { statusCode, body } = await app.inject(url)

    expect(statusCode).toBe(200)
    for (const words of [
      'Test mode. No card is charged.',
      '1 day of history',
      'Pay $10.00',
      email,
      '/dashboard/historical"',
    ]) {
      expect(body).toContain(words)
    }
    expect(body).toMatch(/From<\/dt><dd>\d+ \w+ \d{4}, \d\d:00 UTC/)
    expect(body).not.toContain('Renews')
    expect(body).not.toContain('/month')
  })

  it('opens the order for 30 days once it is paid, by a webhook, and redirects to the orders', async () => {
    const { app, press, read, clock } = await createCheckoutUnderTest()

    const answer = await press('pay')

    expect((await app.inject(answer.headers.location!)).body).toContain(
      'data-continue="/dashboard/historical/orders"',
    )
    const { status, paidAt, expiresAt, downloadToken } = await read()
    expect(status).toBe('paid')
    expect(Date.parse(expiresAt!) - Date.parse(paidAt!)).toBe(30 * 86_400_000)
    expect(Date.parse(paidAt!)).toBe(clock.now)
    expect(downloadToken).toMatch(/^[A-Za-z0-9_-]{40,100}$/)
  })

  it.each([
    ['decline', 'The test card was declined.'],
    ['network', 'The connection failed before the payment was made.'],
    ['3ds', 'Confirm with your bank'],
  ])('charges nothing on %s, and says so', async (outcome, words) => {
    const { app, press, read } = await createCheckoutUnderTest()

    const answer = await press(outcome)

    expect((await app.inject(answer.headers.location!)).body).toContain(words)
    expect((await read()).status).toBe('awaiting_payment')
  })

  it('charges once, however often Pay is pressed, and gives no plan', async () => {
    const { app, url, press, accounts, order, email } = await createCheckoutUnderTest()

    await Promise.all([press('pay'), press('pay')])
    await press('pay')

    expect((await accounts.readKnownOrder(order.id))?.events).toHaveLength(1)
    expect((await app.inject(url)).body).toContain('This order is paid. Nothing more was charged.')
    expect((await accounts.findAccount(email)).account).not.toHaveProperty('activeSubscription')
  })

  it('is refunded at once by a report of the sandbox, and its pages say so', async () => {
    const { app, url, press, read, sandbox, accounts, order } = await createCheckoutUnderTest()
    const answer = await press('pay')
    const { email: _email, events: _events, ...paid } = (await accounts.readKnownOrder(order.id))!

    await deliverWebhooks(app, await sandbox.refundOrder(paid))

    expect(await read()).toMatchObject({ status: 'refunded', downloadToken: null })
    for (const path of [url, answer.headers.location!]) {
      const { body } = await app.inject(path)
      expect(body).toContain('This payment was refunded. Nothing more was charged.')
      expect(body).not.toMatch(/paid|is yours/i)
    }
  })

  it('expires after an hour', async () => {
    const { app, url, press, clock } = await createCheckoutUnderTest()
    clock.now += 61 * 60_000

    expect((await app.inject(url)).statusCode).toBe(410)
    expect((await press('pay')).statusCode).toBe(410)
  })
})
