import { describe, expect, it } from 'vitest'
import type { Account } from '../../api/account.ts'
import { readPlanState } from './plan-state.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

describe('the plan’s state', () => {
  it('offers only an upgrade without a subscription', () => {
    expect(readPlanState(anAccount({}), NOW)).toMatchObject({
      name: 'No plan',
      badge: undefined,
      end: undefined,
      action: 'upgrade',
      lead: 'You need a plan to open a stream. You have used your free trial.',
    })
  })

  it('offers the free trial to a user who never had one', () => {
    expect(readPlanState({ ...anAccount({}), hasHadFreeTrial: false }, NOW)).toMatchObject({
      action: 'start trial',
      lead: 'You need a plan to open a stream. The first 5 days are free.',
    })
  })

  it('renews when it is active', () => {
    const account = anAccount({ planName: 'Pro', renewalDate: '2026-12-12T09:00:00Z' })

    expect(readPlanState(account, NOW)).toMatchObject({
      badge: 'Active',
      end: { label: 'Renews', date: new Date('2026-12-12T09:00:00Z') },
      usdPerMonth: 199,
      period: { kind: 'month', start: new Date('2026-11-12T09:00:00Z'), days: 30, left: 22 },
      action: 'upgrade',
    })
  })

  it('expires at the end date when it is cancelled', () => {
    const account = anAccount({
      planName: 'Basic',
      willCancel: '2026-11-29T00:00:00Z',
      renewalDate: '2026-12-29T00:00:00Z',
    })

    expect(readPlanState(account, NOW)).toMatchObject({
      badge: 'Cancelled',
      end: { label: 'Expires', date: new Date('2026-11-29T00:00:00Z') },
    })
  })

  it('is a trial that expires at willCancel, else at renewalDate', () => {
    const trial = { planName: 'Pro', isFreeTrial: true, renewalDate: '2026-11-24T00:00:00Z' }

    expect(readPlanState(anAccount(trial), NOW)).toMatchObject({
      badge: 'Free Trial',
      end: { label: 'Expires', date: new Date('2026-11-24T00:00:00Z') },
      usdPerMonth: undefined,
      period: { kind: 'trial', days: 5, left: 4 },
      action: 'subscribe',
    })
    expect(readPlanState(anAccount({ ...trial, willCancel: '2026-11-23T00:00:00Z' }), NOW)).toMatchObject({
      badge: 'Free Trial',
      end: { label: 'Expires', date: new Date('2026-11-23T00:00:00Z') },
    })
  })

  it('is managed, not upgraded, when it is paid for', () => {
    const account: Account = {
      ...anAccount({ planName: 'Pro', isFreeTrial: true }),
      paidSubscription: { planName: 'Pro', forbidManageSubscription: false },
    }

    expect(readPlanState(account, NOW).action).toBe('manage')
  })

  it('has neither button nor price when support granted it', () => {
    const account: Account = {
      ...anAccount({ planName: 'Pro' }),
      paidSubscription: { planName: 'Pro', forbidManageSubscription: true },
    }

    expect(readPlanState(account, NOW)).toMatchObject({
      action: 'managed by support',
      end: undefined,
      usdPerMonth: undefined,
      period: undefined,
    })
  })

  it('has an end but no month when support granted it until a day: nobody knows when it began', () => {
    const account: Account = {
      ...anAccount({ planName: 'Pro', willCancel: '2026-11-29T00:00:00Z' }),
      paidSubscription: { planName: 'Pro', forbidManageSubscription: true },
    }

    expect(readPlanState(account, NOW)).toMatchObject({
      end: { label: 'Expires', date: new Date('2026-11-29T00:00:00Z') },
      period: undefined,
    })
  })

  it('shows no period when today is outside it', () => {
    const account = anAccount({ planName: 'Pro', renewalDate: '2027-06-01T00:00:00Z' })

    expect(readPlanState(account, NOW).period).toBeUndefined()
  })

  it('starts a month that ends on a 31st on the last day of a shorter one', () => {
    const account = anAccount({ planName: 'Pro', renewalDate: '2027-03-31T00:00:00Z' })

    const { period } = readPlanState(account, Date.parse('2027-03-15T00:00:00Z'))

    expect(period?.start).toEqual(new Date('2027-02-28T00:00:00Z'))
  })
})

function anAccount(plan: Partial<NonNullable<Account['activeSubscription']>>): Account {
  return {
    user: { ID: 'u1', Email: 'mara@example.com', APIKey: 'pw_1', CreatedAt: '' },
    activeSubscription: plan.planName
      ? { planName: '', isFreeTrial: false, willCancel: '', renewalDate: '', connectionLimit: 1, ...plan }
      : undefined,
    hasHadFreeTrial: true,
  }
}
