import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../acts/acts.suite.ts'
import { anEvent, at, cancelled, charged, paid, refunded } from '../testing/a-billing-event.ts'
import {
  type AccountsUnderTest,
  aConnection,
  DAY_MS,
  expectRefusal,
  START,
} from '../testing/accounts-under-test.ts'
import { SUM_PARTS } from './refresh-sums.ts'

/** The operator's view of people: what every database must answer. */
export function describePeopleList(under: AccountsUnderTest): void {
  const { accounts, clock, register, aPerson, aPaidPlan } = under
  const emailsOf = async (wanted: Partial<Parameters<typeof accounts.listAccounts>[0]>) =>
    (await accounts.listAccounts({ sort: 'email', limit: 50, ...wanted })).people.map(({ email }) => email)

  describe('the list of people', () => {
    it('shows of each the plan that counts, its end, and what was used', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId, { state: 'past_due' })
      await accounts.recordConnections([aConnection(accountId, { faults: { NOT_JSON: 2 } })])

      const { people, next } = await accounts.listAccounts({ sort: 'joined', limit: 10 })

      expect(next).toBeUndefined()
      expect(people).toEqual([
        {
          id: accountId,
          email: 'ann@example.org',
          state: 'past_due',
          plan: 'Basic',
          planEndsAt: new Date(START + 30 * DAY_MS).toISOString(),
          connections: 1,
          connectionLimit: 1,
          events30d: 0,
          capShare: null,
          seenAt: null,
          faults24h: 0,
          joinedAt: new Date(START).toISOString(),
        },
      ])
    })

    it('shows how much of a cap is used up', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      const allowed = await accounts.authorizeKey(key)
      if (allowed.outcome !== 'allowed') return expect.unreachable()
      const { planInForceId, period } = allowed
      const day = new Date(START).toISOString().slice(0, 10)
      await accounts.recordDelivered([{ accountId, planInForceId, period, day, kind: 'buy', count: 250 }])

      expect(await accounts.listAccounts({ sort: 'joined', limit: 1 })).toMatchObject({
        people: [{ state: 'trial', plan: 'NewPairs Only', capShare: 0.25 }],
      })
    })

    it('can be filtered by state and by plan, where the strongest plan counts', async () => {
      const people = {
        tom: 'trial',
        pat: 'active',
        pia: 'past_due',
        cal: 'cancelled',
        gus: 'granted',
        ned: 'none',
      }
      for (const [name, state] of Object.entries(people)) {
        const { accountId } = await aPerson(`${name}@example.org`)
        if (state === 'trial' || state === 'granted') await accounts.startTrial(accountId, 1)
        if (state === 'granted') await accounts.grantPlan(accountId, 3)
        if (state === 'active' || state === 'past_due' || state === 'cancelled')
          await aPaidPlan(accountId, { state })
      }

      for (const [name, state] of Object.entries(people)) {
        expect(await emailsOf({ state: state as 'none' })).toEqual([`${name}@example.org`])
      }
      expect(await emailsOf({ plan: 3 })).toEqual(['gus@example.org'])
      expect(await emailsOf({ plan: 1 })).toEqual(['tom@example.org'])
      expect(await emailsOf({ plan: 2, state: 'cancelled' })).toEqual(['cal@example.org'])
    })

    it('is filtered by the later one of two paid plans, which is the one that it shows', async () => {
      const { accountId } = await aPerson()
      await aPaidPlan(accountId, { state: 'cancelled', planId: 1 })
      clock.now += DAY_MS
      await aPaidPlan(accountId, { state: 'active', planId: 2, id: randomUUID() })

      expect(await emailsOf({ state: 'active', plan: 2 })).toEqual(['ann@example.org'])
      expect(await emailsOf({ state: 'cancelled' })).toEqual([])
      expect(await emailsOf({ plan: 1 })).toEqual([])
    })

    it('is searched by part of an email, an id, a key, or the provider’s ids', async () => {
      const { accountId, key } = await aPerson('Ann.Lee@example.org')
      await register('bob_1@example.org')
      await aPaidPlan(accountId, {
        provider: 'paddle',
        providerSubscriptionId: 'sub_1',
        providerCustomerId: 'ctm_1',
      })

      for (const search of ['ANN', 'lee@', accountId, key, 'sub_1', 'ctm_1', ' ann.lee@example.org ']) {
        expect(await emailsOf({ search })).toEqual(['Ann.Lee@example.org'])
      }
      expect(await emailsOf({ search: 'b_1' })).toEqual(['bob_1@example.org'])
      expect(await emailsOf({ search: 'b%1' })).toEqual([])
      expect(await emailsOf({ search: '' })).toHaveLength(2)
    })

    it('goes on page by page in every order, each person once', async () => {
      for (let person = 0; person < 7; person++) {
        const { accountId } = await aPerson(`p${person}@example.org`)
        clock.now += person % 2 === 0 ? 1_000 : 0
        await accounts.recordRefusedUpgrades([
          { accountId, hour: new Date(START), refusal: 'noPlan', count: person % 3 },
        ])
      }
      for (let part = 0; part < SUM_PARTS; part++) await accounts.refreshSums(part)

      for (const sort of ['seen', 'joined', 'events', 'faults', 'email'] as const) {
        const seen: string[] = []
        const faults: number[] = []
        let after: Parameters<typeof accounts.listAccounts>[0]['after']
        do {
          const page = await accounts.listAccounts({ sort, limit: 3, after })
          seen.push(...page.people.map(({ email }) => email))
          faults.push(...page.people.map(({ faults24h }) => faults24h))
          after = page.next
        } while (after)
        expect(new Set(seen).size, sort).toBe(7)
        if (sort === 'email') expect(seen).toEqual([...seen].sort())
        if (sort === 'faults') expect(faults).toEqual([...faults].sort((left, right) => right - left))
      }
    })
  })

  describe('the sums of the list', () => {
    it('count events of 30 days, and refused requests, refused upgrades and faulty ends of a day', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 3)
      const allowed = await accounts.authorizeKey(key)
      if (allowed.outcome !== 'allowed') return expect.unreachable()
      const { planInForceId, period } = allowed
      const day = new Date(START).toISOString().slice(0, 10)
      for (const kind of ['buy', 'sell', 'newPair'] as const) {
        await accounts.recordDelivered([{ accountId, planInForceId, period, day, kind, count: 5 }])
      }
      await accounts.recordConnections([
        aConnection(accountId, {
          faults: { NOT_JSON: 2, BATCH: 1 },
          closedAt: new Date(START),
          ended: 'slowConsumer',
        }),
        aConnection(accountId, { closedAt: new Date(START), ended: 'client' }),
      ])
      await accounts.recordRefusedUpgrades([
        { accountId, hour: new Date(START), refusal: 'connectionLimit', count: 4 },
      ])

      for (let part = 0; part < SUM_PARTS; part++) await accounts.refreshSums(part)

      const { people } = await accounts.listAccounts({ sort: 'faults', limit: 1 })
      expect(people).toMatchObject([{ events30d: 15, faults24h: 8 }])
      clock.now += 40 * DAY_MS
      for (let part = 0; part < SUM_PARTS; part++) await accounts.refreshSums(part)
      expect((await accounts.listAccounts({ sort: 'faults', limit: 1 })).people).toMatchObject([
        { events30d: 0, faults24h: 0 },
      ])
    })
  })

  describe('an account that an operator names', () => {
    it('is found by email, id, key and the provider’s ids, and else refused with a sentence', async () => {
      const { accountId, key } = await aPerson()
      await aPaidPlan(accountId, {
        provider: 'paddle',
        providerSubscriptionId: 'sub_1',
        providerCustomerId: 'ctm_1',
      })

      for (const who of [' ANN@example.org', accountId, key, 'sub_1', 'ctm_1']) {
        expect((await accounts.findAccount(who)).accountId).toBe(accountId)
      }
      for (const who of [
        'bob@example.org',
        'sub_2',
        '0'.repeat(32),
        accountId.replace(/^./, 'x'),
        '',
        'a\0@b',
      ]) {
        await expectRefusal('ERR_NOT_FOUND', accounts.findAccount(who))
      }
    })

    it('gets notes, newest first, which go with it', async () => {
      const { accountId } = await aPerson()
      await accounts.addNote(accountId, 'Pays by invoice.', OPERATOR)
      clock.now += 1_000
      await accounts.addNote('ann@example.org', 'Called.', OPERATOR)

      expect(await accounts.listNotes(accountId)).toEqual([
        { at: new Date(START + 1_000), author: 'root', note: 'Called.' },
        { at: new Date(START), author: 'root', note: 'Pays by invoice.' },
      ])
      for (const note of ['', ' ', 'x'.repeat(4_001)]) {
        await expectRefusal('ERR_VALIDATION', accounts.addNote(accountId, note, OPERATOR))
      }
      await accounts.deleteAccount(accountId)
    })
  })

  describe('a suspended account', () => {
    const to = new Date(START)
    const why = { reason: 'Resells the stream.', message: 'You resell the stream.' }

    it('is refused by its key, and gateways learn it by their own look too', async () => {
      const { accountId, key } = await aPerson()
      await accounts.grantPlan(accountId, 3)
      const before = (await accounts.readStandings([accountId])).get(accountId)

      await accounts.suspend('ann@example.org', why, OPERATOR)

      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'suspended', accountId })
      expect(await accounts.authorizeAccount(accountId)).toEqual({ outcome: 'suspended', accountId })
      const standing = (await accounts.readStandings([accountId])).get(accountId)
      expect(standing).toMatchObject({ key: before!.key })
      expect(standing!.plan).not.toBe(before!.plan)
      await accounts.unsuspend(accountId, OPERATOR)
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 3 })
      expect((await accounts.readStandings([accountId])).get(accountId)).toEqual(before)
    })

    it('tells its owner the message and not the reason, which stays among the acts', async () => {
      const { accountId } = await aPerson()

      await accounts.suspend(accountId, why, OPERATOR)

      const account = await accounts.getAccount(accountId)
      expect(account.suspension).toEqual({ since: new Date(START).toISOString(), message: why.message })
      expect(JSON.stringify(account)).not.toContain(why.reason)
      expect(await accounts.listActs({ accountId }, 1)).toMatchObject([
        { reason: why.reason, changes: { suspended: [false, true] } },
      ])
      clock.now += DAY_MS
      await accounts.suspend(accountId, { reason: 'Again.' }, OPERATOR)
      expect((await accounts.getAccount(accountId)).suspension).toEqual({
        since: new Date(START).toISOString(),
        message: '',
      })
      expect(
        (await accounts.listAccounts({ sort: 'joined', state: 'suspended', limit: 1 })).people,
      ).toMatchObject([{ state: 'suspended' }])
      await accounts.unsuspend(accountId, OPERATOR)
      expect((await accounts.getAccount(accountId)).suspension).toBeUndefined()
    })

    it('starts no trial, orders nothing and fetches no order, but is signed in to and deleted', async () => {
      const { accountId, key } = await aPerson()
      const { id } = await accounts.grantOrder(accountId, { source: 'chain', offer: 'hour', to })
      const order = await accounts.findOrder(accountId, id)
      await accounts.suspend(accountId, why, OPERATOR)

      await expectRefusal('ACCOUNT_SUSPENDED', accounts.startTrial(accountId, 1))
      await expectRefusal(
        'ACCOUNT_SUSPENDED',
        accounts.createOrder(accountId, { source: 'chain', offer: 'day', to }),
      )
      await expectRefusal('ACCOUNT_SUSPENDED', accounts.findOrderOfKey(key, id))
      await expectRefusal('ACCOUNT_SUSPENDED', accounts.findOrderByToken(order!.downloadToken!))
      await expectRefusal('ACCOUNT_SUSPENDED', accounts.checkNotSuspended(accountId))

      const { token } = await accounts.requestLogin('ann@example.org')
      await accounts.exchangeLoginToken(token)
      await accounts.deleteAccount(accountId)
    })
  })

  describe('a grant with an end', () => {
    it('ends by itself, and the plan beneath it goes on', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      const until = new Date(START + 2 * DAY_MS)

      const { account } = await accounts.grantPlan(accountId, 3, undefined, { until })

      expect(account.activeSubscription).toMatchObject({
        planName: 'Pro',
        willCancel: until.toISOString(),
        renewalDate: '',
      })
      expect(await accounts.nextPlanEnd()).toEqual(until)
      clock.now = until.getTime()
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 1 })
      expect(await accounts.endDuePlans()).toEqual([accountId])
      await accounts.grantPlan(accountId, 2)
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 2, endsAt: null })
    })

    it('may be granted again after its end, before that was written down', async () => {
      const { accountId, key } = await aPerson()
      await accounts.grantPlan(accountId, 3, undefined, { until: new Date(START + DAY_MS) })
      clock.now += 2 * DAY_MS

      await accounts.grantPlan(accountId, 2)

      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 2 })
    })

    it('lies in the future', async () => {
      const { accountId } = await aPerson()
      await expectRefusal(
        'ERR_VALIDATION',
        accounts.grantPlan(accountId, 3, undefined, { until: new Date(START) }),
      )
    })
  })

  describe('a trial that the operator gives', () => {
    it('begins now, is prolonged while it runs, and is opened again after its end', async () => {
      const { accountId, key } = await aPerson()
      const endOf = async () => {
        const allowed = await accounts.authorizeKey(key)
        return allowed.outcome === 'allowed' ? (allowed.endsAt!.getTime() - START) / DAY_MS : undefined
      }

      await accounts.giveTrial(accountId, { days: 3, planId: 2 }, OPERATOR)
      expect(await endOf()).toBe(3)
      clock.now += DAY_MS
      await accounts.giveTrial(accountId, { days: 10 }, OPERATOR)
      expect(await endOf()).toBe(13)
      clock.now = START + 20 * DAY_MS
      await accounts.endDuePlans()
      expect(await endOf()).toBeUndefined()
      const { account } = await accounts.giveTrial(accountId, { days: 1 }, OPERATOR)
      expect(await endOf()).toBe(21)
      expect(account).toMatchObject({
        activeSubscription: { planName: 'Basic', isFreeTrial: true },
        hasHadFreeTrial: true,
      })
    })

    it('is ended by no report on a plan from before it was opened', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 3)
      for (const report of [paid(31), charged('txn_1', 31), cancelled(31)]) {
        await accounts.applyBillingEvent(anEvent(accountId, 1, report))
      }
      clock.now = at(2).getTime()
      await accounts.giveTrial(accountId, { days: 10 }, OPERATOR)

      await accounts.applyBillingEvent(anEvent(accountId, 3, refunded('txn_1')))
      await accounts.applyBillingEvent(anEvent(accountId, 3, { type: 'ended' }))

      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed', endsAt: at(12) })
      await accounts.applyBillingEvent(anEvent(accountId, 4, paid(35), { subscriptionId: 'sub_2' }))
      await accounts.applyBillingEvent(anEvent(accountId, 5, { type: 'ended' }, { subscriptionId: 'sub_2' }))
      expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'no_plan' })
    })

    it('does not end in years', async () => {
      const { accountId } = await aPerson()
      for (let time = 0; time < 4; time++) await accounts.giveTrial(accountId, { days: 90 }, OPERATOR)
      await expectRefusal('ERR_VALIDATION', accounts.giveTrial(accountId, { days: 90 }, OPERATOR))
    })
  })
}
