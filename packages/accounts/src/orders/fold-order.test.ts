import { inCi } from '@pairwire/basics/testing/in-ci'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldReports, type TimedReport } from '../billing/fold-reports.ts'
import { foldOrder, type OrderFacts, type TimedOrderReport } from './fold-order.ts'
import { isPaidFor } from './order-state.ts'

const RUNS = inCi(10_000, 1_000)

const day = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 24 * 60 * 60_000)
const FACTS: OrderFacts = { priceId: 'pri_day', isOld: false, isShort: false }
const charged = (at: number, priceId: string | null = 'pri_day'): TimedOrderReport => ({
  occurredAt: day(at),
  report: { type: 'charged', priceId },
})
const back = (at: number, type: 'refunded' | 'charged_back' | 'restored'): TimedOrderReport => ({
  occurredAt: day(at),
  report: { type },
})
const stateOf = (events: TimedOrderReport[], facts: Partial<OrderFacts> = {}) =>
  foldOrder({ ...FACTS, ...facts }, events).state

describe('an order folded from its events', () => {
  it('waits for its payment for a day, and is also paid by a later one', () => {
    expect(stateOf([])).toBe('awaiting_payment')
    expect(stateOf([], { isOld: true })).toBe('lapsed')
    expect(foldOrder({ ...FACTS, isOld: true }, [charged(3), charged(2)])).toEqual({
      state: 'paid',
      paidAt: day(2),
    })
  })

  it('is not paid by another price', () => {
    expect(foldOrder(FACTS, [charged(1, 'pri_hour'), charged(1, null)])).toEqual({
      state: 'awaiting_payment',
      paidAt: null,
    })
    expect(stateOf([charged(1, null)], { priceId: null })).toBe('awaiting_payment')
  })

  it('ends once it is refunded, and revives only by a reversed chargeback', () => {
    expect(stateOf([charged(1), back(2, 'refunded')])).toBe('refunded')
    expect(stateOf([charged(1), back(2, 'charged_back')])).toBe('refunded')
    expect(stateOf([charged(1), back(2, 'charged_back'), back(3, 'restored')])).toBe('paid')
    expect(stateOf([charged(1), back(2, 'charged_back'), back(3, 'restored')], { isShort: true })).toBe(
      'failed',
    )
    expect(stateOf([charged(1), back(2, 'charged_back'), back(2, 'restored')])).toBe('paid')
    expect(stateOf([charged(1), back(2, 'refunded'), back(3, 'restored')])).toBe('refunded')
    const twice = [back(2, 'charged_back'), back(3, 'restored'), back(4, 'charged_back')] as const
    expect(stateOf([charged(1), ...twice])).toBe('refunded')
  })

  it('gains nothing from a reversed chargeback of another price', () => {
    const other = [charged(1, 'pri_hour'), back(2, 'charged_back'), back(3, 'restored')]

    expect(isPaidFor(stateOf(other))).toBe(false)
  })

  // Guards money: no file without payment, and every file with it.
  it('is paid exactly while we hold its money, whatever was reported', () => {
    fc.assert(
      fc.property(
        fc.array(anEvent, { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        (events, isOld, isShort) => {
          const { state } = foldOrder({ ...FACTS, isOld, isShort }, events)

          const came = events.some(({ report }) => report.type === 'charged' && report.priceId === 'pri_day')
          const moves = events.filter(
            ({ report: { type } }) => type === 'charged_back' || type === 'restored',
          )
          const newest = Math.max(...moves.map(({ occurredAt }) => occurredAt.getTime()))
          const last = moves.filter(({ occurredAt }) => occurredAt.getTime() === newest)
          const isTaken = moves.length > 0 && last.every(({ report }) => report.type === 'charged_back')
          const wentBack = isTaken || events.some(({ report }) => report.type === 'refunded')
          expect(isPaidFor(state)).toBe(came && !wentBack)
        },
      ),
      { numRuns: RUNS },
    )
  })

  // Guards money: providers deliver late, twice and in any order, plans and orders mixed.
  it(`ends in one state after each of ${RUNS} shuffles, and so does the plan beside it`, () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(anEvent, aPlanReport), { minLength: 1, maxLength: 20 })
          .chain((all) =>
            fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
          ),
        ([all, shuffled]) => {
          const end = (events: readonly (TimedOrderReport | TimedReport)[]) => [
            foldOrder(
              FACTS,
              events.filter((event): event is TimedOrderReport => !('id' in event)),
            ),
            foldReports(events.filter((event): event is TimedReport => 'id' in event)),
          ]

          expect(end([...shuffled, ...shuffled])).toEqual(end(all))
        },
      ),
      { numRuns: RUNS },
    )
  })
})

const aDay = fc.integer({ min: 0, max: 5 }).map(day)
const anEvent: fc.Arbitrary<TimedOrderReport> = fc.record({
  occurredAt: aDay,
  report: fc.oneof(
    fc.record({
      type: fc.constant('charged' as const),
      priceId: fc.constantFrom('pri_day', 'pri_day', 'pri_hour', null),
    }),
    fc.record({ type: fc.constantFrom('refunded' as const, 'charged_back' as const, 'restored' as const) }),
    fc.record({ type: fc.constantFrom('charged_back' as const, 'restored' as const) }),
  ),
})
const aPlanReport: fc.Arbitrary<TimedReport> = fc.record({
  id: fc.uuid(),
  occurredAt: aDay,
  report: fc.oneof(
    fc.record({
      type: fc.constant('paid' as const),
      planId: fc.constantFrom(1 as const, 2 as const),
      until: aDay,
    }),
    fc.record({ type: fc.constant('ended' as const) }),
    fc.record({ type: fc.constant('refunded' as const), transactionId: fc.constant('txn') }),
  ),
})
