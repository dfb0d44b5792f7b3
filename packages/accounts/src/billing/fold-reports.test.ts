import { DAY_MS } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldOverTrial, foldReports, inOrder, isChargedOn, type TimedReport } from './fold-reports.ts'

const day = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * DAY_MS)

/** A report on a day after the first. */
const at = (number: number, report: TimedReport['report'], id = `event-${number}`): TimedReport => ({
  id,
  occurredAt: day(number),
  report,
})
const paid = (until: number, planId: 1 | 2 | 3 | null = 2) =>
  ({ type: 'paid', planId, until: day(until) }) as const
const charged = (transactionId: string, until: number) =>
  ({ type: 'charged', transactionId, until: day(until), origin: null }) as const
const refunded = (transactionId: string, adjustmentId?: string) =>
  ({ type: 'refunded', transactionId, adjustmentId }) as const
const restored = (transactionId: string, adjustmentId?: string) =>
  ({ type: 'restored', transactionId, adjustmentId }) as const

describe('a subscription folded from its events', () => {
  it('knows which month a refund was for, even when the charge is reported later', () => {
    const first = [at(0, paid(31)), at(0, charged('first', 31), 'charge')]
    const renewed = [...first, at(31, paid(59)), at(31, charged('second', 59), 'renewal')]
    const told = [at(0, paid(31)), at(3, refunded('first'))]

    expect(foldReports([...first, at(3, refunded('first'))]).kind).toBe('ended')
    expect(foldReports([...renewed, at(40, refunded('first'))]).kind).toBe('active')
    expect(foldReports(told).kind).toBe('active')
    expect(foldReports([...told, at(0, charged('first', 31), 'charge')]).kind).toBe('ended')
  })

  // Guards paid plans: an adjustment names its subscription, and may be for a single sale beside it.
  it('continues when another payment is refunded', () => {
    const running = [at(0, paid(31)), at(0, charged('own', 31), 'charge')]

    const refund = at(3, refunded('of something else'))

    expect(foldReports([...running, refund])).toEqual(foldReports(running))
  })

  // Guards paid plans: the operator gives back what a change cost, and the month stays paid for.
  it('continues when only what a change of its plan cost is refunded', () => {
    const change = { ...charged('change', 31), origin: 'subscription_update' }
    const changed = [
      at(0, paid(31)),
      at(0, { ...charged('month', 31), origin: 'web' }, 'charge'),
      at(10, paid(31, 3)),
      at(10, change, 'change'),
    ]

    expect(foldReports([...changed, at(12, refunded('change'))])).toEqual(foldReports(changed))
    expect(foldReports([...changed, at(12, refunded('month'))]).kind).toBe('ended')
    const [, , ...longer] = changed
    expect(foldReports([...longer, at(12, refunded('change'))]).kind).toBe('ended')
  })

  // Guards what people paid for: the bank took the money, and gave it back.
  it('is as it was once its chargeback is reversed, told by either id or both', () => {
    const before = [at(0, paid(31)), at(0, charged('own', 31), 'charge')]
    const taken = [...before, at(3, refunded('own', 'adj_1')), at(4, refunded('own', 'adj_1'))]
    const changed = at(5, paid(31, 3))

    for (const ids of [['adj_1'], ['adj_2'], ['adj_1', 'adj_2']]) {
      const back = ids.map((id, n) => at(8 + n, restored('own', id)))
      expect(foldReports([...taken, ...back])).toEqual(foldReports(before))
      expect(foldReports([...taken, changed, ...back])).toMatchObject({ kind: 'active', planId: 3 })
    }
    expect(foldReports([...taken, at(8, restored('of something else', 'adj_2'))]).kind).toBe('ended')
    expect(foldReports([...taken, at(6, { type: 'ended' }), at(8, restored('own', 'adj_1'))]).kind).toBe(
      'ended',
    )
  })

  it('stays over if we refunded the payment ourselves, or it was charged back again', () => {
    const before = [at(0, paid(31)), at(0, charged('own', 31), 'charge'), at(3, refunded('own', 'adj_1'))]
    const back = [at(8, restored('own', 'adj_1')), at(8, restored('own', 'adj_2'), 'reversal')]

    for (const day of [2, 9]) {
      expect(foldReports([...before, ...back, at(day, refunded('own', 'adj_3'))]).kind).toBe('ended')
    }
  })

  it('keeps its plan, and is paid for, if its price is no plan here', () => {
    const changed = [
      at(0, paid(31)),
      at(31, paid(59, null)),
      at(40, { type: 'payment_failed', planId: null }),
    ]

    expect(foldReports(changed.slice(0, 2))).toMatchObject({ kind: 'active', planId: 2, paidUntil: day(59) })
    expect(foldReports(changed)).toMatchObject({ kind: 'past_due', planId: 2, paidUntil: day(59) })
  })

  it('begins with the first price that is a plan here', () => {
    const reports = [at(0, paid(31, null)), at(31, paid(59, 3))]

    expect(foldReports(reports.slice(0, 1))).toEqual({ kind: 'none' })
    expect(foldReports(reports)).toMatchObject({ kind: 'active', planId: 3, startedAt: day(31) })
  })

  it('puts an end after a beginning of the same moment', () => {
    const both = [at(3, { type: 'ended' }, 'a'), at(3, { type: 'paid', planId: 1, until: day(34) }, 'b')]

    expect(foldReports(both).kind).toBe('ended')
    expect(inOrder(both).map(({ id }) => id)).toEqual(['b', 'a'])
  })

  // Guards what people paid for: providers deliver late, twice and in any order.
  it('is the same for every order and number of deliveries', () => {
    fc.assert(
      fc.property(
        fc
          .array(aReport, { maxLength: 40 })
          .chain((reports) =>
            fc.tuple(fc.constant(reports), fc.shuffledSubarray([...reports], { minLength: reports.length })),
          ),
        ([reports, shuffled]) => {
          expect(foldReports(shuffled)).toEqual(foldReports(reports))
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('a trial beside a subscription', () => {
  const TRIAL = { kind: 'trial', planId: 1, startedAt: day(10), endsAt: day(15) } as const

  it('is over once the plan is paid for', () => {
    expect(foldOverTrial(TRIAL, [at(10, paid(41))])).toMatchObject({ kind: 'active', planId: 2 })
    expect(foldOverTrial(TRIAL, [at(11, paid(41)), at(12, { type: 'ended' })]).kind).not.toBe('trial')
  })

  // Guards trials: a report can arrive days after its event.
  it('is not changed by a report older than itself', () => {
    const old = [at(0, paid(31)), at(9, { type: 'cancelled', planId: 2, until: day(31) })]

    expect(foldOverTrial(TRIAL, old)).toBe(TRIAL)
  })

  it('is not changed by reports on a plan that was refunded earlier', () => {
    const over = [at(0, paid(31)), at(0, charged('first', 31), 'charge'), at(5, refunded('first'))]

    for (const report of [
      { type: 'cancelled', planId: 2, until: day(31) },
      { type: 'payment_failed', planId: 2 },
      { type: 'ended' },
    ] as const) {
      expect(foldOverTrial(TRIAL, [...over, at(12, report)])).toBe(TRIAL)
    }
    expect(foldOverTrial(TRIAL, [...over, at(12, paid(43))]).kind).toBe('active')
  })
})

describe('a provider', () => {
  it('counts as charging until it reports an end or a cancellation, even after a refund', () => {
    const given = [at(0, paid(31)), at(0, charged('first', 31), 'charge'), at(5, refunded('first'))]

    expect(isChargedOn(given)).toBe(true)
    expect(isChargedOn([at(0, charged('first', 31))])).toBe(true)
    expect(isChargedOn([...given, at(6, { type: 'payment_failed', planId: null })])).toBe(true)
    expect(isChargedOn([...given, at(6, { type: 'ended' })])).toBe(false)
    expect(isChargedOn([...given, at(6, { type: 'cancelled', planId: 2, until: day(31) })])).toBe(false)
  })
})

const aPlan = fc.constantFrom(1 as const, 2 as const, 3 as const, null)
const aDay = fc.integer({ min: 0, max: 90 }).map(day)
const aTransaction = fc.constantFrom('first', 'second')

const aReport: fc.Arbitrary<TimedReport> = fc.record({
  id: fc.uuid(),
  occurredAt: aDay,
  report: fc.oneof(
    fc.record({ type: fc.constant('paid' as const), planId: aPlan, until: aDay }),
    fc.record({ type: fc.constant('payment_failed' as const), planId: aPlan }),
    fc.record({ type: fc.constant('cancelled' as const), planId: aPlan, until: aDay }),
    fc.record({
      type: fc.constant('charged' as const),
      transactionId: aTransaction,
      until: fc.constantFrom(day(31), day(59)),
      origin: fc.constantFrom(null, 'web', 'subscription_update'),
    }),
    fc.record({
      type: fc.constantFrom('refunded' as const, 'refunded_in_part' as const, 'restored' as const),
      transactionId: aTransaction,
      adjustmentId: fc.constantFrom('adj_1', 'adj_2'),
    }),
    fc.record({ type: fc.constant('ended' as const) }),
  ),
})
