import { VERBS } from '@pairwire/contract/operator'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { deliverWebhooks } from '../routes/sandbox.ts'
import { createOperatorUnderTest, ROOM } from '../testing/operator-under-test.ts'
import { answerCall, answerTool } from './run-verb.ts'

/** An operator of a service with one paying customer. */
async function createShopUnderTest(subscriptionId = 'sub_1') {
  const under = await createOperatorUnderTest()
  const accountId = decodeJwt(await under.signIn()).sub!
  const pay = () => under.sandbox.pay({ accountId, planId: 2, subscriptionId })
  return { ...under, accountId, pay: () => deliverWebhooks(under.app, pay()) }
}

describe('money show', () => {
  it('gives twelve months by currency, or as many as asked for, the sums as text', async () => {
    const { call, pay } = await createShopUnderTest()
    expect((await call('money show', { months: 1 })).rows).toMatchObject([
      { currency: '', mrr: '0', paying: 0 },
    ])
    await pay()

    const { rows } = await call('money show')

    expect(rows).toHaveLength(12)
    for (const row of rows) VERBS['money show'].row.parse(row)
    expect(rows.at(-1)).toMatchObject({
      currency: 'USD',
      isSoFar: true,
      ...{ start: '0', new: '7900', mrr: '7900', gross: '7900', tax: '0', fees: '445', orderGross: '0' },
      ...{ payingAtStart: 0, paying: 1, churnShare: null, conversionShare: null },
      plans: { 2: 1 },
    })
    await expect(call('money show', { months: 121 })).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
  })

  it('comes in pages, which are the whole', async () => {
    const { call, tool, pay } = await createShopUnderTest()
    await pay()

    const first = await call('money show', { months: 5, limit: 3 })
    const second = await call('money show', { months: 5, limit: 3, cursor: first.next })

    expect([...first.rows, ...second.rows]).toEqual(await tool('money show', { months: 5 }))
    expect([first.rows.length, second.rows.length, second.next]).toEqual([3, 2, null])
  })

  it('is given as CSV', async () => {
    const { operatorParts, pay } = await createShopUnderTest()
    await pay()
    const request = { verb: 'money show', input: { months: 1 }, as: 'csv', actor: 'root' } as const

    const pieces: string[] = []
    for await (const said of answerTool(request, operatorParts)) if ('csv' in said) pieces.push(said.csv)

    const [names, figures] = pieces.join('').split('\r\n')
    expect(names).toMatch(/^month,currency,isSoFar,start,new,/)
    expect(figures).toMatch(/^\d{4}-\d\d,USD,1,0,7900,/)
    expect(figures).toContain('"{""2"":1}"')
  })
})

describe('payments list', () => {
  it('gives charges with their people, in pages, as CSV, and links to the page that the provider has', async () => {
    const pageOf = (kind: string, id: string) => `https://provider.example/${kind}/${id}`
    const { call, email, operatorParts, pay, accountId, sandbox } = await createShopUnderTest('sub_listed')
    await pay()
    const withPages = { ...operatorParts, billing: { ...sandbox, pageOf } }

    const { rows, next } = await answerCall(
      { name: 'payments list', input: { account: email } },
      ROOM,
      withPages,
    )
    const request = { verb: 'payments list', input: {}, as: 'csv', actor: 'root' } as const
    let csv = ''
    for await (const said of answerTool(request, operatorParts)) if ('csv' in said) csv += said.csv

    const row = VERBS['payments list'].row.parse(rows[0])
    expect(row).toMatchObject({
      ...{ accountId, email, plan: 'Basic', orderId: null, amount: '7900', currency: 'USD', refunded: 'no' },
      ...{ subscriptionId: 'sub_listed', url: `https://provider.example/transaction/${row.transactionId}` },
    })
    expect([rows.length, next]).toEqual([1, null])
    expect(csv).toMatch(/^id,paidAt,accountId,email,/)
    expect(csv).toContain(email)
    const page = await call('payments list', { account: email, limit: 1 })
    expect((await call('payments list', { account: email, limit: 1, cursor: page.next })).rows).toEqual([])
    await expect(call('payments list', { cursor: 'x' })).rejects.toMatchObject({
      errorType: 'ERR_VALIDATION',
    })
  })
})
