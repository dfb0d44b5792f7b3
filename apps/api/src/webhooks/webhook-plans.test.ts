import { DAY_MS, planById, setPlanFigures } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addEndpoints } from '../testing/add-endpoints.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

describe('the plan of an account', () => {
  it('that is used up keeps its endpoint waiting until its next period; then all goes on from its place, and counts equal what came', async () => {
    const under = await createWebhooksUnderTest({ plan: 1 })
    const { anEndpoint, swaps, accounts, accountId, bus, show, wall } = under
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 90 })
    const sent = await swaps(1_300)
    await until(async () => (await show(id)).counters.events === 1_000)
    expect(receiver.cursors()).toEqual(sent.slice(0, 1_000))
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 1_000 } })

    wall.now += 32 * DAY_MS
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id)).counters.events === 1_300)
    expect(receiver.cursors()).toEqual(sent)
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 300 } })
  })

  it('that is used up elsewhere while a message fails is not exceeded by that: it comes as it was in the next period', async () => {
    const under = await createWebhooksUnderTest({ plan: 1 })
    const { anEndpoint, swaps, accounts, accountId, bus, show, wall } = under
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => 503
    await swaps(1)
    await until(async () => (await show(id)).state === 'failing')
    const standing = await accounts.authorizeAccount(accountId)
    if (standing.outcome !== 'allowed') throw new Error(standing.outcome)
    const { planInForceId, period } = standing
    await accounts.recordDelivered([
      { accountId, planInForceId, period, day: period, kind: 'buy', count: 1_000 },
    ])
    receiver.answer = () => 200
    wall.now += 60_000
    await bus.sendControl({ type: 'planChanged', accountId })
    await deliverElsewhere(under)
    expect(receiver.got).toHaveLength(1)
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 1_000 } })

    wall.now += 32 * DAY_MS
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id)).counters.events === 2)
    const [first, again] = receiver.got
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text])
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 2 } })
  })

  it('that becomes one with fewer swaps than the message in hand still gets that, once nothing else is used', async () => {
    const { anEndpoint, swaps, accounts, email, accountId, bus, show, wall, call } =
      await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 60 })
    receiver.answer = () => 503
    await call('POST', `/${id}/pause`)
    await swaps(60)
    await call('POST', `/${id}/resume`)
    await until(async () => (await show(id)).state === 'failing')
    const { swapEventsPerPeriod } = planById(1)!
    setPlanFigures({ 1: { swapEventsPerPeriod: 50 } })
    onTestFinished(() => setPlanFigures({ 1: { swapEventsPerPeriod } }))
    await accounts.grantPlan(email, 1)
    receiver.answer = () => 200
    wall.now += 60_000
    await bus.sendControl({ type: 'planChanged', accountId })

    await until(async () => (await show(id)).counters.events === 60)
    expect(receiver.got.at(-1)!.id).toBe(receiver.got[0]!.id)
  })

  it('that becomes a smaller one lets the oldest go on; the others go on from their place in a larger one', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, accounts, email, accountId, bus, show, wall } = under
    await swaps(1)
    const made: Awaited<ReturnType<typeof anEndpoint>>[] = []
    for (let at = 0; at < 5; at++) {
      made.push(await anEndpoint({ params: { include: { usdValue: 1 } } }))
      wall.now += 1_000
    }
    const became = async (plan: 2 | 3) => {
      await accounts.grantPlan(email, plan)
      await bus.sendControl({ type: 'planChanged', accountId })
    }
    const sent = await swaps(1)
    await until(() => made.every(({ receiver }) => receiver.cursors().length === 1))
    await became(2)
    sent.push(...(await swaps(3)))
    await until(() => made.slice(0, 3).every(({ receiver }) => receiver.cursors().length === 4))
    expect(made.map(({ receiver }) => receiver.cursors().length)).toEqual([4, 4, 4, 1, 1])
    await became(3)
    await until(() => made.every(({ receiver }) => receiver.cursors().length === 4))

    for (const { receiver, id } of made) {
      expect(receiver.cursors()).toEqual(sent)
      await until(async () => (await show(id)).counters.events === 4)
    }
  })

  it('of a suspended account sends nothing, not even what is in hand; freed, it goes on with that', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, accounts, email, accountId, bus, show, wall } = under
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => 503
    const sent = await swaps(1)
    await until(async () => (await show(id)).state === 'failing')
    const by = { actor: 'root', via: 'tool', address: null, verb: 'account suspend' } as const
    await accounts.suspend(email, { reason: 'Abuse.' }, by)
    wall.now += 2 * DAY_MS
    await bus.sendControl({ type: 'planChanged', accountId })
    sent.push(...(await swaps(2)))
    receiver.answer = () => 200
    await deliverElsewhere(under)
    expect(receiver.got).toHaveLength(1)
    await accounts.unsuspend(email, by)
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id)).counters.events === 4)

    const [first, again] = receiver.got
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text])
    expect(receiver.cursors().slice(1, 4)).toEqual(sent)
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 4 } })
  })
})

/** Delivers a swap to a further endpoint: what was told before it has been read then. */
async function deliverElsewhere(under: Awaited<ReturnType<typeof createWebhooksUnderTest>>): Promise<void> {
  const other = await startReceiver()
  await addEndpoints(under, other.url)
  await under.swaps(1)
  await until(() => other.got.length > 0)
  await other.stop()
}
