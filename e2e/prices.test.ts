import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HOUR_MS } from '../packages/contract/src/time-units.ts'
import { archiveHour, call, signIn } from './buyers.ts'
import { makeAccount, pairwire } from './operator.ts'
import { PADDLE_SETTINGS, sendOrderReport, sendPaidReport, startPaddleApi } from './paddle-report.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

const METRIC = 'pairwire_billing_unknown_price_subscriptions'

describe('a price that no plan names', { timeout: STORY_MS }, () => {
  it('keeps the current plan, alarms the operator, and is applied at a start that knows it, with history on sale too', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
    const before = await startService(PADDLE_SETTINGS, { dataFolder })
    const { user } = await makeAccount(before, freshEmail())
    const plan = async () => {
      const { stdout } = await pairwire(dataFolder, 'account', 'show', user.Email)
      return (JSON.parse(stdout) as Account).activeSubscription?.planName
    }
    const alarm = async (service: Service) =>
      (await (await fetch(`${service.url}/metrics`)).text())
        .split('\n')
        .find((line) => line.startsWith(`${METRIC} `))
    const subscription = `sub_${user.ID}`

    await sendPaidReport(before.url, user.ID, { subscription, price: 'pri_1' })
    expect([await plan(), await alarm(before)]).toEqual(['NewPairs Only', `${METRIC} 0`])
    await sendPaidReport(before.url, user.ID, { subscription, price: 'pri_3_new' })
    expect([await plan(), await alarm(before)]).toEqual(['NewPairs Only', `${METRIC} 1`])
    expect(before.output()).toContain('pri_3_new')
    await before.stop()
    const to = Date.now() - (Date.now() % HOUR_MS)
    await archiveHour(dataFolder, to)

    const paddle = await startPaddleApi()
    onTestFinished(paddle.stop)
    const settings = { ...PADDLE_SETTINGS, PADDLE_PRICE_3: 'pri_3_new,pri_3', PADDLE_API_URL: paddle.url }
    const after = await startService(settings, { dataFolder })
    expect([await plan(), await alarm(after)]).toEqual(['Pro', `${METRIC} 0`])
    const { payment } = (await (await fetch(`${after.url}/api/config`)).json()) as {
      payment: { prices: unknown }
    }
    expect(payment.prices).toEqual({ 1: 'pri_1', 2: 'pri_2', 3: 'pri_3_new' })
    await buyAnHour(after, user.Email, to, paddle.asked)
    await after.kill()
  })
})

/** The payment that the service created at Paddle opens an hour of history, and no other does. */
async function buyAnHour(
  { url, output }: Service,
  email: string,
  to: number,
  asked: readonly unknown[],
): Promise<void> {
  const token = await signIn(url, email)
  const wanted = { offer: 'hour', to: new Date(to).toISOString() }
  const { order, checkout } = await call(url, 'POST', '/api/history/orders', token, wanted)
  const status = async () => (await call(url, 'GET', `/api/history/orders/${order.id}`, token)).status

  expect(checkout).toEqual({ provider: 'paddle', transactionId: 'txn_1' })
  expect(asked).toMatchObject([
    { items: [{ price_id: 'pri_hour', quantity: 1 }], custom_data: { orderID: order.id } },
  ])
  await sendOrderReport(url, 'txn_1', 'pri_day')
  await sendOrderReport(url, 'txn_2', 'pri_hour')
  expect(await status()).toBe('awaiting_payment')
  expect(output()).toContain('gives nobody history')
  await sendOrderReport(url, 'txn_1', 'pri_hour')
  expect(await status()).toBe('paid')
}
