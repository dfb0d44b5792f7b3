import type { DeliveredCount, KeyAuthorization } from '@pairwire/accounts'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { type CloseReasonName, HOUR_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { ALONE } from '../rates/shared-spending.ts'
import type { SeatedConnection } from './seat.ts'
import { Seats } from './seats.ts'

type Allowed = Extract<KeyAuthorization, { outcome: 'allowed' }>

function openSeats() {
  const clock = createManualClock()
  const warnings: string[] = []
  const database = { isAway: false }
  const log = { info: () => {}, warn: (sentence: string) => void warnings.push(sentence), error: () => {} }
  const answers = new Map<string, KeyAuthorization>()
  const asked: string[] = []
  const recorded: DeliveredCount[] = []
  const seats = new Seats({
    accounts: {
      readStandings: async () => new Map(),
      recordDelivered: async (rows) => {
        recorded.push(...rows)
        return []
      },
      authorizeAccount: async (accountId) => {
        asked.push(accountId)
        if (database.isAway) throw new Error('away')
        return answers.get(accountId) ?? { outcome: 'unknown_key' }
      },
    },
    clock,
    limits: DEFAULT_LIMITS,
    log,
    spending: ALONE,
    seatsBefore: async () => 0,
  })
  /** The work of the sweep, once a second. */
  const looked = () => {
    seats.lookAtPlans()
    return new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, seats, looked, answers, asked, recorded, warnings, database }
}

const anAuthorization = (change: Partial<Allowed> = {}): Allowed => ({
  outcome: 'allowed',
  accountId: 'a1',
  planId: 3,
  connectionLimit: 1,
  endsAt: null,
  planInForceId: 'paid',
  period: '2026-11-01',
  periodEndsAt: new Date('2026-12-01T00:00:00Z'),
  standing: { key: 'a', plan: 'a' },
  delivered: { newPair: 0, swap: 0 },
  ...change,
})

/** A connection that records why it was ended. */
function aConnection() {
  const ended: CloseReasonName[] = []
  const connection: SeatedConnection = {
    id: 'connection',
    isOpen: () => ended.length === 0,
    probe: async () => true,
    isContinuedBy: async () => false,
    end: (reason) => ended.push(reason),
    planChanged: () => {},
    swapsUsedUp: () => {},
  }
  return { connection, ended }
}

describe('seats', () => {
  it('cost little when 20,000 accounts connect, leave and return, each with its own end of plan', async () => {
    const { clock, seats } = openSeats()
    const { connection } = aConnection()
    const authorizations = Array.from({ length: 20_000 }, (_, number) =>
      anAuthorization({
        accountId: `account ${number}`,
        endsAt: new Date(clock.now() + HOUR_MS + number),
      }),
    )

    const before = process.cpuUsage()
    for (let round = 1; round <= 3; round++) {
      for (const authorization of authorizations) {
        const old = seats.find(authorization.accountId)
        if (old) seats.leave(old, connection)
        const seat = seats.admit(authorization)
        seats.join(seat, connection)
        seat.count(1, 0, 0)
      }
      await seats.recordCounts()
    }
    const { user, system } = process.cpuUsage(before)

    // From 0.3 to 3 s by machine; it took more than 20 on the fastest when each account scanned all others.
    expect((user + system) / 1e6).toBeLessThan(10)
    expect(seats.find('account 0')!.holdsCounts()).toBe(false)
  })

  it('are forgotten with their last connection, once their counts are recorded', async () => {
    const { seats } = openSeats()
    const [counted, silent] = [aConnection(), aConnection()]
    const first = seats.admit(anAuthorization())
    seats.join(first, counted.connection)
    first.count(1, 0, 0)
    const second = seats.admit(anAuthorization({ accountId: 'a2' }))
    seats.join(second, silent.connection)

    seats.leave(first, counted.connection)
    seats.leave(second, silent.connection)
    expect([seats.find('a1'), seats.find('a2')]).toEqual([first, undefined])
    await seats.recordCounts()

    expect(seats.find('a1')).toBeUndefined()
  })

  describe('when the clock is set', () => {
    const until = (clock: { now(): number }, ms: number) => new Date(clock.now() + ms)

    it('back: an ending plan is checked within a second, and ends', async () => {
      const { clock, seats, looked, answers, asked } = openSeats()
      const { connection, ended } = aConnection()
      seats.join(seats.admit(anAuthorization({ endsAt: until(clock, 60_000) })), connection)
      answers.set('a1', { outcome: 'no_plan', accountId: 'a1' })

      clock.step(-HOUR_MS)
      clock.advance(59_999)
      await looked()
      expect(asked).toEqual([])
      clock.advance(1)
      await looked()

      expect(ended).toEqual(['noPlan'])
    })

    it('back: a period changes when the accounts say so, and they are asked without end', async () => {
      const { clock, seats, looked, answers, asked, recorded } = openSeats()
      const now = anAuthorization({ periodEndsAt: until(clock, 60_000) })
      const next = anAuthorization({ period: '2026-11-20', periodEndsAt: until(clock, 31 * 24 * HOUR_MS) })
      const seat = seats.admit(now)
      seats.join(seat, aConnection().connection)
      answers.set('a1', now)
      const periods = async () => {
        await looked()
        seat.count(1, 0, 0)
        await seats.recordCounts()
        return recorded.map(({ period }) => period)
      }

      clock.step(-30_000)
      clock.advance(60_000)
      expect([await periods(), asked.length]).toEqual([['2026-11-01'], 1])
      answers.set('a1', next)
      clock.advance(30_000)

      expect([await periods(), asked.length]).toEqual([['2026-11-01', '2026-11-20'], 2])
    })

    it('forward: a plan that has ended by then ends at the next check', async () => {
      const { clock, seats, looked } = openSeats()
      const { connection, ended } = aConnection()
      seats.join(seats.admit(anAuthorization({ endsAt: until(clock, 2 * HOUR_MS) })), connection)

      clock.step(3 * HOUR_MS)
      await looked()

      expect(ended).toEqual(['keyUnknown'])
    })

    it('forward by a year and back: counts go to the correct day', async () => {
      const { clock, seats, recorded } = openSeats()
      const seat = seats.admit(anAuthorization())
      seats.join(seat, aConnection().connection)

      clock.step(365 * 24 * HOUR_MS)
      seat.count(1, 0, 0)
      clock.step(-365 * 24 * HOUR_MS)
      seat.count(1, 0, 0)

      await seats.recordCounts()
      expect(recorded.map(({ day }) => day)).toEqual(['2027-11-20', '2026-11-20'])
    })
  })

  it('say once that plans cannot be read, however many accounts and attempts there are', async () => {
    const { clock, seats, looked, warnings, database } = openSeats()
    for (const accountId of ['a1', 'a2', 'a3']) {
      const seat = seats.admit(anAuthorization({ accountId }))
      seats.join(seat, aConnection().connection)
    }
    database.isAway = true

    for (const accountId of ['a1', 'a2', 'a3']) seats.rereadPlan(accountId)
    for (let attempt = 1; attempt <= 3; attempt++) {
      await looked()
      clock.advance(DEFAULT_LIMITS.retryAfterMs)
    }

    expect(warnings).toEqual(['A plan could not be read again.'])
  })

  it('with accounts whose clock is behind: continue in the new period, and check once a second', async () => {
    const { clock, seats, looked, answers, asked } = openSeats()
    const behind = anAuthorization({
      planId: 1,
      periodEndsAt: new Date(clock.now() - 1),
      delivered: { newPair: 0, swap: 1_000 },
    })
    answers.set('a1', behind)

    const seat = seats.admit(behind)
    seats.join(seat, aConnection().connection)
    expect(seat.areSwapsUsedUp()).toBe(true)
    for (let second = 1; second <= 3; second++) {
      clock.advance(1_000)
      await looked()
    }

    expect(asked).toHaveLength(3)
  })
})
