import { AppError, DAY_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'

import {
  accessOf,
  GRACE_MS,
  nextState,
  type SubscriptionInput,
  type SubscriptionKind,
  type SubscriptionState,
} from './subscription-state.ts'

const day = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * DAY_MS)

const PAID = { planId: 2, startedAt: day(0), paidUntil: day(31), refundedUntil: undefined } as const

/** One state of each kind; the paid ones began on day 0 and are paid until day 31. */
const STATES: { readonly [Kind in SubscriptionKind]: Extract<SubscriptionState, { kind: Kind }> } = {
  none: { kind: 'none' },
  trial: { kind: 'trial', planId: 1, startedAt: day(0), endsAt: day(5) },
  active: { kind: 'active', ...PAID },
  past_due: { kind: 'past_due', ...PAID, failedAt: day(31) },
  cancelled: { kind: 'cancelled', ...PAID, cancelledAt: day(10), endsAt: day(31) },
  ended: { kind: 'ended', ...PAID, endedAt: day(12), isFinal: false },
}

/** One input of each kind, on day 33; it pays for plan 3 until day 62. */
const INPUTS: {
  readonly [Type in SubscriptionInput['type']]: Extract<SubscriptionInput, { type: Type }>
} = {
  trial_started: { type: 'trial_started', at: day(33), planId: 3, endsAt: day(38) },
  paid: { type: 'paid', at: day(33), planId: 3, until: day(62) },
  payment_failed: { type: 'payment_failed', at: day(33), planId: 3 },
  cancelled: { type: 'cancelled', at: day(33), planId: 3, until: day(62) },
  refunded: { type: 'refunded', at: day(33), until: day(31) },
  ended: { type: 'ended', at: day(33) },
  end_reached: { type: 'end_reached', at: day(33) },
}

const TRIAL = { kind: 'trial', planId: 3, startedAt: day(33), endsAt: day(38) } as const
const NEW_PAID = { planId: 3, startedAt: day(33), refundedUntil: undefined } as const
const BEGUN = { kind: 'active', ...NEW_PAID, paidUntil: day(62) } as const
const BEGUN_UNPAID = { kind: 'past_due', ...NEW_PAID, paidUntil: day(33), failedAt: day(33) } as const
const BEGUN_CANCELLED = {
  kind: 'cancelled',
  ...NEW_PAID,
  paidUntil: day(62),
  cancelledAt: day(33),
  endsAt: day(62),
} as const
const RENEWED = { kind: 'active', ...PAID, planId: 3, paidUntil: day(62) } as const
const FAILED = { kind: 'past_due', ...PAID, planId: 3, failedAt: day(33) } as const
const GIVEN_BACK = {
  kind: 'ended',
  ...PAID,
  endedAt: day(33),
  isFinal: false,
  refundedUntil: day(31),
} as const
const OVER = { kind: 'ended', ...PAID, endedAt: day(33), isFinal: true } as const

/** The expected state of each cell of the table; `stays` for no change. */
const CELLS: {
  readonly [Kind in SubscriptionKind]: {
    readonly [Type in SubscriptionInput['type']]: SubscriptionState | AppError | 'stays'
  }
} = {
  none: {
    trial_started: TRIAL,
    paid: BEGUN,
    payment_failed: BEGUN_UNPAID,
    cancelled: BEGUN_CANCELLED,
    refunded: 'stays',
    ended: 'stays',
    end_reached: 'stays',
  },
  trial: {
    trial_started: new AppError('TRIAL_USED'),
    paid: BEGUN,
    payment_failed: BEGUN_UNPAID,
    cancelled: BEGUN_CANCELLED,
    refunded: 'stays',
    ended: 'stays',
    end_reached: { kind: 'none' },
  },
  active: {
    trial_started: new AppError('SUBSCRIPTION_EXISTS'),
    paid: RENEWED,
    payment_failed: FAILED,
    cancelled: { kind: 'cancelled', ...PAID, planId: 3, cancelledAt: day(33), endsAt: day(62) },
    refunded: GIVEN_BACK,
    ended: OVER,
    end_reached: 'stays',
  },
  past_due: {
    trial_started: new AppError('SUBSCRIPTION_EXISTS'),
    paid: RENEWED,
    payment_failed: { ...STATES.past_due, planId: 3 },
    cancelled: { kind: 'cancelled', ...PAID, planId: 3, cancelledAt: day(33), endsAt: day(38) },
    refunded: GIVEN_BACK,
    ended: OVER,
    end_reached: 'stays',
  },
  cancelled: {
    trial_started: new AppError('SUBSCRIPTION_EXISTS'),
    paid: RENEWED,
    payment_failed: FAILED,
    cancelled: { ...STATES.cancelled, planId: 3, endsAt: day(62) },
    refunded: GIVEN_BACK,
    ended: { ...OVER, endedAt: day(31) },
    end_reached: { kind: 'ended', ...PAID, endedAt: day(31), isFinal: false },
  },
  ended: {
    trial_started: TRIAL,
    paid: RENEWED,
    payment_failed: 'stays',
    cancelled: 'stays',
    refunded: 'stays',
    ended: { ...STATES.ended, isFinal: true },
    end_reached: 'stays',
  },
}

describe('the table of subscription states', () => {
  for (const kind of Object.keys(CELLS) as SubscriptionKind[]) {
    for (const type of Object.keys(CELLS[kind]) as SubscriptionInput['type'][]) {
      const wanted = CELLS[kind][type]
      const words =
        wanted instanceof AppError
          ? `is refused as ${wanted.errorType}`
          : `leads to ${wanted === 'stays' ? kind : wanted.kind}`

      it(`${kind} with ${type} ${words}`, () => {
        const step = () => nextState(STATES[kind], INPUTS[type])

        if (wanted instanceof AppError) expect(step).toThrow(wanted)
        else expect(step()).toEqual(wanted === 'stays' ? STATES[kind] : wanted)
      })
    }
  }

  it('counts the grace from the first of several failed payments', () => {
    const again = nextState(STATES.past_due, { type: 'payment_failed', at: day(36), planId: 2 })

    expect(accessOf(again)?.endsAt).toEqual(day(38))
  })

  it('keeps the paid time in force even if a payment failed within it', () => {
    const failed = nextState(STATES.active, { type: 'payment_failed', at: day(5), planId: 2 })

    expect(accessOf(failed)?.endsAt).toEqual(day(31))
    expect(accessOf(nextState(failed, { ...INPUTS.cancelled, at: day(6) }))?.endsAt).toEqual(day(31))
  })

  it('continues a plan whose earlier month was refunded', () => {
    const given = nextState(STATES.active, { type: 'refunded', at: day(33), until: day(0) })

    expect(given).toBe(STATES.active)
  })

  it('revives a refunded plan only by a payment for later time', () => {
    const given = nextState(STATES.active, INPUTS.refunded)

    expect(nextState(given, { ...INPUTS.paid, until: day(31) })).toBe(given)
    expect(nextState(given, { ...INPUTS.paid, until: day(62) }).kind).toBe('active')
  })

  it('revives no plan that the provider has ended', () => {
    const over = nextState(STATES.active, INPUTS.ended)

    expect(nextState(over, { ...INPUTS.paid, until: day(400) })).toBe(over)
  })
})

describe('access by state', () => {
  it('is given for the paid time and a grace of seven days, unless the plan is cancelled', () => {
    expect(accessOf(STATES.active)).toEqual({ endsAt: day(38), renewsAt: day(31), cancelledAt: null })
    expect(accessOf(STATES.past_due)).toEqual({ endsAt: day(38), renewsAt: day(38), cancelledAt: null })
    expect(accessOf(STATES.cancelled)).toEqual({ endsAt: day(31), renewsAt: null, cancelledAt: day(10) })
    expect(accessOf(STATES.trial)).toEqual({ endsAt: day(5), renewsAt: null, cancelledAt: null })
    expect(accessOf(STATES.none)).toBeNull()
    expect(accessOf(STATES.ended)).toBeNull()
    expect(GRACE_MS).toBe(7 * DAY_MS)
  })
})
