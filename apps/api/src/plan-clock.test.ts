import type { PaidSubscription } from '@pairwire/accounts'
import type { ControlMessage } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createPlanClock } from './plan-clock.ts'

/** A clock that a test moves; it runs due timers and awaits everything that follows from them. */
function createManualClock() {
  let now = 0
  const due = new Map<symbol, { at: number; action: () => void }>()
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return {
    now: () => now,
    after(milliseconds: number, action: () => void) {
      const id = Symbol('timer')
      due.set(id, { at: now + milliseconds, action })
      return () => void due.delete(id)
    },
    waiting: () => due.size,
    async moveTo(moment: number) {
      await settle()
      for (;;) {
        const [first] = [...due].sort(([, left], [, right]) => left.at - right.at)
        if (!first || first[1].at > moment) break
        due.delete(first[0])
        now = Math.max(now, first[1].at)
        first[1].action()
        await settle()
      }
      now = moment
    },
  }
}

/** Plans by account and end; `away` makes the database fail. */
function createUnderTest(ends: Record<string, number>) {
  const clock = createManualClock()
  const told: string[] = []
  const renewed: string[] = []
  const database = { away: false, due: [] as PaidSubscription[] }
  const warnings: string[] = []
  const planClock = createPlanClock({
    leases: { have: (_work, action) => action() },
    accounts: {
      async nextPlanEnd() {
        const times = Object.values(ends)
        return times.length > 0 ? new Date(Math.min(...times)) : null
      },
      async endDuePlans() {
        if (database.away) throw new Error('away')
        const over = Object.keys(ends).filter((account) => ends[account]! <= clock.now())
        for (const account of over) delete ends[account]
        return over
      },
      listDueRenewals: async () => database.due.splice(0),
    },
    tell: async (message: ControlMessage) => {
      if ('accountId' in message) told.push(`${message.type} ${message.accountId} at ${clock.now()}`)
    },
    renewals: {
      provider: 'sandbox',
      renew: async ({ accountId }) => void renewed.push(accountId),
    },
    clock,
    warn: (sentence) => void warnings.push(sentence),
  })
  return { clock, told, renewed, database, warnings, planClock, ends }
}

describe('the clock of plans', () => {
  it('ends each plan on time and tells the gateways', async () => {
    const { clock, told, planClock } = createUnderTest({ ann: 12_345, bob: 95_000 })
    planClock.start()

    await clock.moveTo(100_000)

    expect(told).toEqual(['planChanged ann at 12345', 'planChanged bob at 95000'])
  })

  it('tells the gateways at once of plans that ended while no process ran', async () => {
    const { clock, told, planClock } = createUnderTest({ ann: -86_400_000 })
    planClock.start()

    await clock.moveTo(0)

    expect(told).toEqual(['planChanged ann at 0'])
  })

  it('finds a plan that began after its last check', async () => {
    const { clock, told, planClock, ends } = createUnderTest({})
    planClock.start()
    await clock.moveTo(10_000)
    ends.ann = 400_000

    await clock.moveTo(500_000)

    expect(told).toEqual(['planChanged ann at 400000'])
  })

  it('continues after the database was away', async () => {
    const { clock, told, database, warnings, planClock } = createUnderTest({ ann: 5_000 })
    database.away = true
    planClock.start()
    await clock.moveTo(5_500)
    database.away = false

    await clock.moveTo(7_000)

    expect(told).toEqual(['planChanged ann at 6000'])
    expect(warnings.length).toBeGreaterThan(0)
  })

  it('renews due plans of the built-in provider', async () => {
    const { clock, renewed, database, planClock } = createUnderTest({})
    planClock.start()
    await clock.moveTo(1)
    database.due.push({ accountId: 'ann' } as PaidSubscription) // only the account is read

    await clock.moveTo(30_000)

    expect(renewed).toEqual(['ann'])
  })

  it('does nothing once it is stopped', async () => {
    const { clock, told, planClock } = createUnderTest({ ann: 40_000 })
    planClock.start()
    await clock.moveTo(10)

    await planClock.stop()

    expect(clock.waiting()).toBe(0)
    await clock.moveTo(90_000)
    expect(told).toEqual([])
  })
})
