import { inCi } from '@pairwire/basics/testing/in-ci'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BillingReport } from '../billing/billing-event.ts'
import { anEvent, at, cancelled, charged, paid, refunded, someMoney } from '../testing/a-billing-event.ts'
import type { AccountsUnderTest } from '../testing/accounts-under-test.ts'
import { anOrderEvent, bought } from '../testing/an-order-event.ts'
import { aHistory, insertHistories, plainMonths } from '../testing/money-histories.ts'
import type { MoneyMonth } from './read-money.ts'

/** Random histories that the figures are compared for; `PAIRWIRE_HISTORIES=1000` for the whole. */
const HISTORIES = Number(process.env.PAIRWIRE_HISTORIES ?? inCi(250, 50))

/** Histories that are stored at once: more than one question reads. */
const AT_ONCE = inCi(250, 50)

/** What every database must guarantee for figures of money. */
export function describeMoney({ accounts, db, clock, aPerson }: AccountsUnderTest): void {
  const day = (date: string) => new Date(`${date}T00:00:00Z`)
  const read = (until: string | Date, months = 1) => accounts.readMoney({ until: new Date(until), months })
  const tell = (
    accountId: string | null,
    subscriptionId: string,
    date: string | Date,
    report: BillingReport,
  ) => {
    clock.now = Math.max(clock.now, new Date(date).getTime())
    return accounts.applyBillingEvent(
      anEvent(accountId, 0, report, { subscriptionId, occurredAt: new Date(date) }),
    )
  }
  const aCharge = (name: string, from: string, until: string, usd: number): BillingReport => ({
    ...{ type: 'charged', transactionId: name, origin: 'web', from: day(from), until: day(until) },
    ...someMoney(BigInt(usd * 100)),
  })
  const tables = async (...names: string[]) =>
    (await Promise.all(names.map((name) => db.execute(sql`select * from ${sql.identifier(name)}`)))).map(
      ({ rows }) => rows,
    )
  const leave = (accountId: string) => accounts.deleteAccount(accountId, async () => {})

  /** Three people of January and February, as the specification tells of them. */
  async function theExample(): Promise<string[]> {
    clock.now = day('2026-01-01').getTime()
    const [a, b, c] = [
      await aPerson('a@example.org'),
      await aPerson('b@example.org'),
      await aPerson('c@example.org'),
    ]
    await accounts.startTrial(c.accountId, 1)
    await tell(a.accountId, 'a', '2026-01-02', { ...paid(0), until: day('2026-02-02') })
    await tell(a.accountId, 'a', '2026-01-02', aCharge('a1', '2026-01-02', '2026-02-02', 79))
    await tell(c.accountId, 'c', '2026-01-06', { ...paid(0, 1), until: day('2026-02-06') })
    await tell(c.accountId, 'c', '2026-01-06', aCharge('c1', '2026-01-06', '2026-02-06', 29))
    await tell(b.accountId, 'b', '2026-01-15', { ...paid(0, 3), until: day('2026-02-15') })
    await tell(b.accountId, 'b', '2026-01-15', aCharge('b1', '2026-01-15', '2026-02-15', 199))
    await tell(b.accountId, 'b', '2026-01-20', refunded('b1'))
    await tell(a.accountId, 'a', '2026-02-02', { ...paid(0), until: day('2026-03-02') })
    await tell(a.accountId, 'a', '2026-02-02', aCharge('a2', '2026-02-02', '2026-03-02', 79))
    await tell(c.accountId, 'c', '2026-02-06', { type: 'payment_failed', planId: 1 })
    await tell(a.accountId, 'a', '2026-02-10', { ...cancelled(0), until: day('2026-03-02') })
    clock.now = day('2026-04-01').getTime()
    return [a.accountId, b.accountId, c.accountId]
  }

  const usd = (month: MoneyMonth | undefined) =>
    Object.fromEntries(
      Object.entries(month?.currencies.USD ?? {}).flatMap(([figure, sum]) =>
        sum === 0n ? [] : [[figure, Number(sum) / 100]],
      ),
    )

  describe('figures of money', () => {
    it('are those of the specification’s example, to the cent', async () => {
      await theExample()

      const mrr = async (until: string) => usd((await read(until))[0]).mrr ?? 0
      expect(await Promise.all(['2026-01-16', '2026-02-01', '2026-03-01', '2026-04-01'].map(mrr))).toEqual([
        307, 108, 79, 0,
      ])
      const months = await read('2026-03-31T12:00Z', 3)
      expect(months.map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03'])
      expect(months.map(usd)).toEqual([
        { new: 108, mrr: 108, gross: 307, refunds: 199 },
        { start: 108, churn: 29, mrr: 79, leaving: 79, gross: 79 },
        { start: 79, churn: 79 },
      ])
      const [january, february, march] = months.map(({ counts }) => counts)
      expect(january).toMatchObject({
        trialsBegun: 1,
        trialsPaid: 1,
        trialsOpen: 0,
        payingAtStart: 0,
        paying: 2,
      })
      expect(february).toMatchObject({ payingAtStart: 2, churned: 1, paying: 1, failed: 1, recovered: 0 })
      expect(march).toMatchObject({ payingAtStart: 1, churned: 1, paying: 0 })
      expect(months[0]?.plans).toEqual({ 1: 1, 2: 1 })
      expect((await read('2026-02-08'))[0]).toMatchObject({
        counts: { pastDue: 1 },
        currencies: { USD: { atRisk: 2_900n } },
      })
      expect((await read('2026-01-03'))[0]).toMatchObject({ counts: { trials: 1, trialsOpen: 1 } })
    })

    it('do not change when those people delete their accounts', async () => {
      const people = await theExample()
      const before = await read('2026-04-01', 4)

      for (const accountId of people) await leave(accountId)

      expect(await read('2026-04-01', 4)).toEqual(before)
    })

    it('take the payout’s currency where a charge names it, and never add two', async () => {
      const { accountId } = await aPerson()
      const payout = { currency: 'EUR', amount: 7_000n, net: 6_000n, tax: 1_000n, fee: 400n }
      await tell(accountId, 'sub_1', at(0), { ...charged('txn_1', 31), payout })
      await tell(accountId, 'sub_2', at(0), charged('txn_2', 31))

      const [month] = await read(at(1))

      expect(month?.currencies).toMatchObject({
        EUR: { mrr: 6_000n, gross: 0n },
        USD: { mrr: 7_900n },
      })
      expect((await read(at(0)))[0]?.currencies.EUR).toMatchObject({ gross: 7_000n, tax: 1_000n, fees: 400n })
      expect(month?.counts.paying).toBe(1)
    })

    it('count a year by its months, a part of a refund as money alone, and no single charge as recurring', async () => {
      const { accountId } = await aPerson()
      const refund = { type: 'refunded_in_part', adjustmentId: 'adj_1', money: someMoney(500n) } as const
      await tell(accountId, 'year', at(0), { ...charged('txn_1', 365), from: at(0), ...someMoney(100_000n) })
      await tell(accountId, 'year', at(0), { ...charged('txn_2', 31), origin: 'subscription_charge' })
      for (const _ of [1, 2]) await tell(null, 'year', at(0), { ...refund, transactionId: 'txn_1' })

      const [month] = await read(at(0))

      expect(month?.currencies.USD).toMatchObject({ mrr: 8_333n, gross: 107_900n, refunds: 500n })
      expect(await accounts.listPayments(accountId)).toHaveLength(2)
    })

    it('have orders of history beside them, in none of the others', async () => {
      const { accountId } = await aPerson()
      const { id } = await accounts.createOrder(accountId, { source: 'simulator', offer: 'day', to: at(0) })
      await accounts.noteOrderTransaction(id, {
        provider: 'paddle',
        transactionId: 'txn_1',
        priceId: 'pri_day',
      })
      const part = { type: 'refunded_in_part', adjustmentId: 'adj_1', money: someMoney(300n) } as const
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, bought()))
      await accounts.applyOrderEvent(anOrderEvent('txn_1', 0, part))
      expect((await accounts.readKnownOrder(id))?.state).toBe('paid')

      const before = await read(at(1), 2)
      await leave(accountId)

      expect(before[0]).toMatchObject({ counts: { orders: 1, paying: 0 } })
      expect(usd(before[0])).toEqual({ orderGross: 10, orderRefunds: 3 })
      expect(await read(at(1), 2)).toEqual(before)
    })
  })

  describe('figures of months that are over', () => {
    const charge = aCharge('txn_1', '2026-01-02', '2026-03-02', 79)
    const readAll = () => read('2026-03-05', 3)
    const keptMonths = async () => (await tables('money_months'))[0]!.length
    /** The same, with nothing kept. */
    const readAfresh = async () => {
      await db.execute(sql`delete from money_months`)
      return readAll()
    }

    it('are kept, also when something happens in the month that runs or an account is deleted', async () => {
      const { accountId } = await aPerson()
      await tell(accountId, 'a', '2026-01-02', charge)
      const before = await readAll()
      expect(await keptMonths()).toBe(2)

      await tell(accountId, 'a', '2026-03-02', aCharge('txn_2', '2026-03-02', '2026-04-02', 79))
      await leave(accountId)

      expect(await keptMonths()).toBe(2)
      expect((await readAll()).slice(0, 2)).toEqual(before.slice(0, 2))
    })

    it('are read again from the month on in which a late report counts', async () => {
      const { accountId } = await aPerson()
      await tell(accountId, 'a', '2026-01-02', charge)
      await readAll()

      await tell(accountId, 'a', '2026-02-20', refunded('txn_1'))

      expect(await keptMonths()).toBe(1)
      const months = await readAll()
      expect(months.map((month) => usd(month).mrr)).toEqual([39.5, undefined, undefined])
      expect(await readAfresh()).toEqual(months)
    })

    it('are read again when a refund gets its charge, a report its owner or its plan, or one is removed', async () => {
      const { accountId } = await aPerson()
      await tell(accountId, 'a', '2026-01-20', refunded('txn_1'))
      await tell(null, 'b', '2026-01-03', aCharge('txn_2', '2026-01-03', '2026-03-03', 29))
      const changes = [
        () => tell(accountId, 'a', '2026-02-02', { ...charge, from: day('2026-02-02') } as BillingReport),
        () => tell(accountId, 'b', '2026-02-03', { ...paid(0, null), until: day('2026-03-03') }),
        () => db.execute(sql`update billing_events set plan_id = 3 where type = 'paid'`),
        () => db.execute(sql`delete from billing_events where transaction_id = 'txn_2'`),
      ]
      for (const change of changes) {
        const before = await readAll()

        await change()

        const months = await readAll()
        expect(months.slice(0, 2)).not.toEqual(before.slice(0, 2))
        expect(await readAfresh()).toEqual(months)
      }
    })
  })

  describe('a deleted account', () => {
    it('leaves what was paid and its trial for ten years, under one number and without its person', async () => {
      const { accountId } = await aPerson()
      await accounts.startTrial(accountId, 1)
      for (const name of ['sub_1', 'sub_2']) await tell(accountId, name, at(1), charged(name, 31))
      await tell(accountId, 'sub_1', at(2), cancelled(31))
      await tell(accountId, 'sub_2', at(2), { type: 'ended' })

      await leave(accountId)

      const [people, events] = await tables('former_people', 'billing_events')
      expect(people).toEqual([
        {
          person: expect.not.stringMatching(accountId),
          left_at: '2026-02-02 12:00:00+00',
          trial_started_at: '2026-01-31 12:00:00+00',
          trial_ended_at: '2026-02-02 12:00:00+00',
        },
      ])
      expect(events).toHaveLength(4)
      for (const event of events!) {
        const nobody = { account_id: null, person: people![0]!.person, customer_id: null, raw: null }
        expect(event).toMatchObject({ ...nobody, account_gone: false })
        expect(Object.values(event)).not.toContain(accountId)
      }
      for (const [years, left] of [
        [9.9, 4],
        [10.1, 0],
      ] as const) {
        clock.now = at(years * 365.25).getTime()
        await accounts.sweep()
        expect((await tables('billing_events'))[0]).toHaveLength(left)
      }
      expect(await tables('former_people')).toEqual([[]])
    })

    it('leaves nothing without payments and trial', async () => {
      const { accountId } = await aPerson()

      await leave(accountId)

      expect(await tables('former_people', 'billing_events')).toEqual([[], []])
    })

    it('raises an alarm by money that comes after, not by what is kept, and has refunds kept under its number', async () => {
      const { accountId } = await aPerson()
      await tell(accountId, 'sub_1', at(0), { ...paid(31, null) })
      await tell(accountId, 'sub_1', at(0), charged('txn_1', 31))
      await tell(accountId, 'sub_1', at(1), { ...cancelled(31, null) })
      await leave(accountId)
      const alarms = () => accounts.countBillingAlarms()
      expect(await alarms()).toEqual({ unknownPrices: 0, goneAccounts: 0 })

      const late = [await tell(accountId, 'sub_1', at(31), charged('txn_2', 59))]
      expect(await alarms()).toMatchObject({ goneAccounts: 1 })
      late.push(
        await tell(null, 'sub_1', at(32), refunded('txn_2')),
        await tell(null, 'sub_1', at(32), refunded('txn_1')),
      )

      expect(late.map(({ outcome }) => outcome)).toEqual(Array(3).fill('unknown_account'))
      expect(await alarms()).toEqual({ unknownPrices: 0, goneAccounts: 0 })
      const [events, people] = await tables('billing_events', 'former_people')
      expect(events).toHaveLength(6)
      expect(new Set(events!.map(({ person }) => person))).toEqual(new Set([people![0]!.person]))
      expect(events!.map(({ raw, customer_id }) => raw ?? customer_id)).toEqual(Array(6).fill(null))
      expect(usd((await read(at(32)))[0])).toMatchObject({ gross: 79, refunds: 158 })
    })

    it('keeps its past if somebody else is named for its subscription', async () => {
      const [gone, next] = [await aPerson('gone@example.org'), await aPerson('next@example.org')]
      await tell(gone.accountId, 'sub_1', at(0), charged('txn_1', 31))
      await leave(gone.accountId)

      await tell(next.accountId, 'sub_1', at(31), paid(59))

      const [events] = await tables('billing_events')
      expect(events!.map(({ type, account_id }) => [type, account_id])).toEqual([
        ['charged', null],
        ['paid', next.accountId],
      ])
      expect((await accounts.getAccount(next.accountId)).activeSubscription?.planName).toBe('Basic')
    })
  })

  // Guards every figure that an operator decides by: each is computed twice, by a question and by reading like a person.
  it(
    `gives figures that a plain reading of ${HISTORIES} random histories gives, before and after people leave`,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          // A seed, since no failure is told in thousands of lines.
          fc.integer(),
          fc.array(fc.nat(AT_ONCE - 1), { minLength: 5, maxLength: 5 }),
          async (seed, leavers) => {
            const histories = fc.sample(aHistory, { numRuns: AT_ONCE, seed })
            await db.execute(sql`delete from accounts`)
            await db.execute(sql`delete from former_people`)
            const until = day('2026-06-17')
            clock.now = until.getTime()
            const readAll = () => accounts.readMoney({ until, months: 5 })
            const ids = await insertHistories(db, histories, readAll)

            const months = await readAll()

            expect(months).toEqual(
              plainMonths(
                histories,
                months.map(({ month }) => month),
                until,
              ),
            )
            for (const { start, reactivated, expansion, contraction, churn, mrr, ...sums } of months.flatMap(
              ({ currencies }) => Object.values(currencies),
            )) {
              expect(start + sums.new + reactivated + expansion - contraction - churn).toBe(mrr)
            }
            clock.now += 1
            for (const leaver of new Set(leavers)) await leave(ids[leaver]!)
            expect(await readAll()).toEqual(months)
          },
        ),
        { numRuns: HISTORIES / AT_ONCE, endOnFailure: true },
      )
    }, // A second for 100 of them, on a busy machine.
    30_000 + HISTORIES * 150,
  )
}
