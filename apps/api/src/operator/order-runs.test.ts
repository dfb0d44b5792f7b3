import { HOUR_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { anArchive, HALF_PAST } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { give } from '../testing/paddle-double.ts'
import { createPaddleUnderTest } from '../testing/paddle-under-test.ts'
import { orderRuns } from './order-runs.ts'
import type { CallParts } from './run.ts'

/** The verbs on orders with these parts, of which they need no more. */
function verbsWith(parts: Partial<CallParts>) {
  const by = { actor: 'root', via: 'tool', address: null, verb: 'order refund' } as const
  const callParts = { by, ...parts } as CallParts
  const only = async <Row>(rows: AsyncIterable<Row>): Promise<Row> => {
    for await (const row of rows) return row
    return expect.fail('the verb gave no row')
  }
  return {
    create: (who: string, wanted: { offer: 'hour' | 'day' | 'month' }) =>
      only(orderRuns['order create']({ who, ...wanted }, callParts)),
    list: async (state: 'paid' | 'lapsed') =>
      (await orderRuns['order list']({ state, limit: 100 }, callParts)).rows,
    show: (id: number) => only(orderRuns['order show']({ id }, callParts)),
    refund: (id: number) => only(orderRuns['order refund']({ id }, callParts)),
  }
}

/** The operator's verbs, an app with an archive of 30 hours, and an account. */
async function createUnderTest() {
  const kept = anArchive(HALF_PAST, 30)
  const under = await createApiUnderTest({ archive: kept.archive })
  under.clock.now = HALF_PAST
  const { accountId } = await under.accounts.createAccount(under.email)
  const operate = (over: Partial<CallParts> = {}) => {
    const log = (sentence: string) => void under.logged.push(sentence)
    return verbsWith({
      accounts: under.accounts,
      archive: kept.archive,
      billing: under.sandbox,
      bus: { sendControl: async () => {} },
      clock: () => under.clock.now,
      elapsed: () => under.clock.now,
      hasPlaces: true,
      log: { info: log, warn: log, error: log },
      simulated: true,
      sourceKind: 'simulator',
      ...over,
    })
  }
  /** An order of a day that is paid in the sandbox, unless it stays unpaid. */
  const buy = async (isPaid = true) => {
    const to = new Date(Math.floor(under.clock.now / HOUR_MS) * HOUR_MS)
    const order = await under.accounts.createOrder(accountId, { source: 'simulator', offer: 'day', to })
    const transaction = await under.sandbox.orders!.createTransaction(order)
    await under.accounts.noteOrderTransaction(order.id, transaction)
    const noted = await under.accounts.findOrder(accountId, order.id)
    if (!noted || noted.status === 'sample') return expect.fail('there is no such order')
    for (const { body, signature } of isPaid ? under.sandbox.payOrder(noted) : []) {
      const event = under.sandbox.readWebhook(Buffer.from(body), signature)
      if (event && !('subscriptionId' in event)) await under.accounts.applyOrderEvent(event)
    }
    return order.id
  }
  return { ...under, ...kept, accountId, operate, buy }
}

describe('the operator', () => {
  it('grants hours for free, to an account that can download them at once', async () => {
    const { operate, email, accounts, accountId } = await createUnderTest()

    const given = await operate().create(email, { offer: 'day' })

    expect(given).toMatchObject({ email, offer: 'day', usd: 0, status: 'paid', provider: null, events: [] })
    expect(await accounts.listOrders(accountId)).toMatchObject([{ id: given.id }])
    expect(JSON.stringify(given)).not.toMatch(/token/i)
  })

  it('names the missing hours, and refuses an unknown email', async () => {
    const { operate, email, hours } = await createUnderTest()
    const unavailable = { errorType: 'HISTORY_UNAVAILABLE' }

    await expect(operate().create(email, { offer: 'month' })).rejects.toMatchObject(unavailable)
    await expect(operate({ archive: undefined }).create(email, { offer: 'day' })).rejects.toMatchObject(
      unavailable,
    )
    await expect(operate().create('nobody@example.com', { offer: 'day' })).rejects.toMatchObject({
      errorType: 'ERR_NOT_FOUND',
    })
    expect(hours.size).toBe(30)
  })

  it('lists all orders, those of one state, and the details of one', async () => {
    const { operate, buy } = await createUnderTest()
    const id = await buy()

    const listed = await operate().list('paid')

    expect(listed).toContainEqual(expect.objectContaining({ id, status: 'paid' }))
    expect(await operate().list('lapsed')).not.toContainEqual(expect.objectContaining({ id }))
    const shown = await operate().show(id)
    expect(shown).toMatchObject({
      provider: 'sandbox',
      transactionId: `txn_order_${id}`,
      events: [{ type: 'charged', amount: '1000', currency: 'USD' }],
    })
    expect(JSON.parse(JSON.stringify(shown))).toMatchObject({ id })
    await expect(operate().show(7)).rejects.toThrow('There is no order 7.')
  })

  it('refunds at once in the sandbox, and only once', async () => {
    const { operate, buy, accounts, accountId } = await createUnderTest()
    const id = await buy()

    expect(await operate().refund(id)).toMatchObject({ status: 'refunded' })

    expect(await accounts.findOrder(accountId, id)).toMatchObject({ status: 'refunded', downloadToken: null })
    await expect(operate().refund(id)).rejects.toThrow(`Order ${id} is already refunded.`)
  })

  it('leaves an act before it asks the provider for a refund, and one that says how it ended', async () => {
    const { operate, buy, accounts, accountId, sandbox } = await createUnderTest()
    const outcomes = async () =>
      (await accounts.listActs({ accountId }, 10)).map(({ outcome, changes }) => [outcome, changes])
    const [first, second] = [await buy(), await buy()]
    const refundOrder = async () => {
      expect(await outcomes()).toEqual([['asked', { order: [first, 'refund'] }]])
      throw new Error('the provider is away')
    }

    await expect(operate({ billing: { ...sandbox, refundOrder } }).refund(first)).rejects.toThrow()
    await operate().refund(second)

    expect(await outcomes()).toEqual([
      ['done', { order: [second, 'refund'] }],
      ['asked', { order: [second, 'refund'] }],
      ['refused', { order: [first, 'refund'] }],
      ['asked', { order: [first, 'refund'] }],
    ])
  })

  it('explains why an order cannot be refunded', async () => {
    const { operate, buy, email } = await createUnderTest()
    const given = await operate().create(email, { offer: 'hour' })
    const unpaid = await buy(false)

    await expect(operate().refund(Number(given.id))).rejects.toThrow('was granted for free')
    await expect(operate().refund(unpaid)).rejects.toThrow(`Order ${unpaid} is not paid.`)
    const paid = await buy()
    await expect(operate({ billing: undefined }).refund(paid)).rejects.toThrow(
      `Order ${paid} was paid for with sandbox, which is not used here now.`,
    )
  })

  it('requests the refund from Paddle, and keeps the order until Paddle has approved it', async () => {
    const kept = anArchive(HALF_PAST, 24)
    const under = await createPaddleUnderTest({}, { archive: kept.archive })
    under.clock.now = HALF_PAST
    const { paddle, post, token, send, chargeOrder, refundOrder, accounts, accountId } = under
    paddle.answers['POST /transactions'] = give(
      { id: `txn_${accountId}`, details: { totals: { subtotal: '1000', currency_code: 'USD' } } },
      201,
    )
    const { order } = (await post('/api/history/orders', { offer: 'day' }, token)).json()
    await send(chargeOrder('paid'))
    paddle.answers['POST /adjustments'] = give({ status: 'pending_approval' }, 201)
    const operations = verbsWith({ ...under.parts, archive: kept.archive })

    expect(await operations.refund(order.id)).toMatchObject({ status: 'paid' })

    expect(paddle.asked.at(-1)?.body).toMatchObject({ type: 'full', transaction_id: `txn_${accountId}` })
    await send(refundOrder('refunded'))
    expect(await accounts.findOrder(accountId, order.id)).toMatchObject({ status: 'refunded' })
  })
})
