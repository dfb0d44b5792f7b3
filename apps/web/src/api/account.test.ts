import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAccount } from './account.ts'
import { ApiError } from './api-error.ts'

const user = { ID: 'u1', Email: 'mara@example.com', APIKey: 'pw_1', CreatedAt: '2026-03-14T09:00:00Z' }

describe('reading the account', () => {
  it("keeps the contract's fields and ignores the rest", () => {
    const account = readAccount({
      user: { ...user, Shoe: 43 },
      activeSubscription: {
        planName: 'Pro',
        isFreeTrial: false,
        willCancel: '',
        renewalDate: '2026-12-12T00:00:00Z',
        connectionLimit: 1,
        colour: 'green',
      },
      paidSubscription: { planName: 'Pro', forbidManageSubscription: true },
      hasHadFreeTrial: true,
      weather: 'fair',
    })

    expect(account).toEqual({
      user,
      activeSubscription: {
        planName: 'Pro',
        isFreeTrial: false,
        willCancel: '',
        renewalDate: '2026-12-12T00:00:00Z',
        connectionLimit: 1,
      },
      paidSubscription: { planName: 'Pro', forbidManageSubscription: true },
      hasHadFreeTrial: true,
    })
  })

  it.each([undefined, null, '', {}, { planName: '' }])('treats %j as no subscription', (nothing) => {
    const account = readAccount({ user, activeSubscription: nothing })

    expect(account.activeSubscription).toBeUndefined()
  })

  it.each([undefined, null, '', {}])('treats %j as no paid subscription', (nothing) => {
    expect(readAccount({ user, paidSubscription: nothing }).paidSubscription).toBeUndefined()
  })

  it.each([undefined, null, ''])('treats %j as a missing end date', (nothing) => {
    const account = readAccount({ user, activeSubscription: { planName: 'Pro', willCancel: nothing } })

    expect(account.activeSubscription?.willCancel).toBe('')
  })

  it.each([1_796_000_000, '1796000000', 1_796_000_000_000])('reads the date %j', (date) => {
    const account = readAccount({
      user: { ...user, CreatedAt: date },
      activeSubscription: { planName: 'Pro', willCancel: date, renewalDate: date, connectionLimit: '3' },
    })

    expect(account.user.CreatedAt).toBe('2026-11-30T00:53:20.000Z')
    expect(account.activeSubscription).toMatchObject({
      willCancel: '2026-11-30T00:53:20.000Z',
      renewalDate: '2026-11-30T00:53:20.000Z',
      connectionLimit: 3,
    })
  })

  it('treats words as no joined date', () => {
    expect(readAccount({ user: { ...user, CreatedAt: 'soon' } }).user.CreatedAt).toBe('')
  })

  it.each([0, '0', 1e300])('treats %j as no date', (date) => {
    const account = readAccount({ user, activeSubscription: { planName: 'Pro', willCancel: date } })

    expect(account.activeSubscription?.willCancel).toBe('')
  })

  it('returns an account or an ApiError, whatever it reads', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        try {
          expect(readAccount(answer).user).toBeDefined()
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
    )
  })
})
