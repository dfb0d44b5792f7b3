import type { AccountStanding, Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, withTimeout } from '@pairwire/process'
import { createDeliveryCounts } from './delivery-counts.ts'
import { forwardClock } from './forward-clock.ts'
import type { GatewayLimits } from './limits.ts'
import { type Allowed, isOver, Seat, type SeatedConnection } from './seat.ts'
import { createStandingCheck } from './standing-check.ts'

/** The accounts that have connections here, and what was sent to them. */
export type Seats = Readonly<{
  /** The seat of an account whose key was just allowed. Without a connection that joins it, it has to be left. */
  admit(authorization: Allowed): Seat
  find(accountId: string): Seat | undefined
  join(seat: Seat, connection: SeatedConnection): void
  /** Takes the connection out, if it is there; the last one takes the seat with it. */
  leave(seat: Seat, connection?: SeatedConnection): void
  /** Acts on days, periods and plans that have ended by now. */
  followClock(): void
  /** Reads the account's plan again and acts on what has changed. */
  rereadPlan(accountId: string): void
  /** Something was sent: it will be counted and recorded in time. */
  countSoon(): void
  /** Records all counts; resolves when that has succeeded or failed. What failed is kept for the next time. */
  recordCounts(): Promise<void>
  /** Records the counts of accounts together with the seats that connections of them have left. @throws when that fails */
  giveBack(accountIds: ReadonlySet<string>, connectionIds: readonly string[]): Promise<void>
  close(): void
}>

/** Accounts whose counts are brought up to date in one turn of the loop. */
const SETTLED_PER_TURN = 100

/** Makes the register. */
export function createSeats({
  accounts,
  clock,
  limits,
  log,
  onLeave = () => {},
  tellSwaps = () => {},
  beforeRecord = () => {},
}: {
  accounts: Pick<Accounts, 'authorizeAccount' | 'readStandings' | 'recordDelivered'>
  clock: Clock
  limits: Pick<GatewayLimits, 'authorizeTimeoutMs' | 'retryAfterMs' | 'standingsEveryMs' | 'countEveryMs'>
  log: Log
  /** A connection has left its seat. */
  onLeave?: (connection: SeatedConnection) => void
  /** So many swaps were drawn on the account's cap, which it may draw on elsewhere too. */
  tellSwaps?: (accountId: string, count: number) => void
  beforeRecord?: () => void
}): Seats {
  const seats = new Map<string, Seat>()
  /** Seats without connections that are kept while their counts are not recorded, since only they know them. */
  const gone = new Set<Seat>()
  /** Accounts being read again; true when they have to be read once more afterwards. */
  const reading = new Map<string, boolean>()
  /** When each seat's plan or period ends. Who is looked at goes by the date: the clock of dates may be set back. */
  const looks = new Map<Seat, number>()
  const elapsed = forwardClock(clock)
  /** The earliest of these moments, or an earlier one. */
  let nextLook = Number.POSITIVE_INFINITY
  let isClosed = false

  const counts = createDeliveryCounts({
    record(rows, leftSeats) {
      beforeRecord()
      return accounts.recordDelivered(rows, leftSeats)
    },
    *collect() {
      let settled = 0
      for (const seat of seats.values()) {
        seat.settle()
        settled++
        if (settled % SETTLED_PER_TURN === 0) yield
      }
    },
    handedOver() {
      for (const seat of gone) if (!seat.holdsCounts()) forget(seat)
    },
    clock,
    everyMs: limits.countEveryMs,
    log,
  })

  /** Connections under a key that is no longer the account's end, whoever finds that out. */
  const endOfOtherKey = (seat: Seat, standing: AccountStanding) => {
    if (seat.standing.key !== standing.key) seat.endAll('keyUnknown')
  }

  const standings = createStandingCheck({
    accounts,
    seats: () => [...seats.values()].filter(({ connections }) => connections.size > 0),
    found(seat, standing) {
      if (!standing) {
        seat.endAll('keyUnknown')
        return
      }
      const isSamePlan = seat.standing.plan === standing.plan
      endOfOtherKey(seat, standing)
      if (!isSamePlan) rereadPlan(seat.accountId)
    },
    clock,
    limits,
    log,
  })

  const adopt = (seat: Seat, authorization: Allowed) => {
    const at = elapsed() + seat.adopt(authorization, limits.retryAfterMs)
    looks.set(seat, at)
    nextLook = Math.min(nextLook, at)
  }

  /** Looks at the seats whose moment has come. */
  const lookAtDue = () => {
    const now = elapsed()
    if (now < nextLook) return
    nextLook = Number.POSITIVE_INFINITY
    for (const [seat, at] of looks) {
      if (at > now) {
        nextLook = Math.min(nextLook, at)
        continue
      }
      looks.delete(seat)
      seat.settle()
      seat.turnPeriod()
      rereadPlan(seat.accountId)
    }
  }

  const rereadPlan = (accountId: string) => {
    const seat = seats.get(accountId)
    if (isClosed || !seat || seat.connections.size === 0) return
    if (reading.has(accountId)) reading.set(accountId, true)
    else void readPlan(seat)
  }

  const readPlan = async (seat: Seat): Promise<void> => {
    const { accountId } = seat
    reading.set(accountId, false)
    // A plan that has ended does not go on because the database is slow.
    const hasEnded = seat.takeEnd()
    const timeoutMs = hasEnded ? limits.retryAfterMs : limits.authorizeTimeoutMs
    try {
      apply(seat, await withTimeout(accounts.authorizeAccount(accountId), clock, timeoutMs))
    } catch (error) {
      log.warn('A plan could not be read again.', { accountId, errorName: nameOf(error) })
      if (hasEnded) seat.endAll('noPlan')
      else clock.after(limits.retryAfterMs, () => rereadPlan(accountId))
    }
    const isToBeReadAgain = reading.get(accountId)
    reading.delete(accountId)
    if (isToBeReadAgain) rereadPlan(accountId)
  }

  const apply = (seat: Seat, authorization: KeyAuthorization) => {
    if (authorization.outcome === 'unknown_key') seat.endAll('keyUnknown')
    else if (authorization.outcome === 'no_plan' || isOver(authorization, clock)) seat.endAll('noPlan')
    else if (seat.connections.size > 0) {
      endOfOtherKey(seat, authorization.standing)
      adopt(seat, authorization)
      seat.enforcePlan()
    }
  }

  const forget = (seat: Seat) => {
    gone.delete(seat)
    seats.delete(seat.accountId)
  }

  return {
    admit(authorization) {
      const { accountId } = authorization
      const seat = seats.get(accountId) ?? new Seat(authorization, counts, clock, tellSwaps)
      seats.set(accountId, seat)
      endOfOtherKey(seat, authorization.standing)
      adopt(seat, authorization)
      return seat
    },

    find: (accountId) => seats.get(accountId),

    join(seat, connection) {
      seat.connections.add(connection)
      standings.wake()
      gone.delete(seat)
    },

    leave(seat, connection) {
      if (connection && seat.connections.delete(connection)) onLeave(connection)
      if (seat.connections.size > 0 || seats.get(seat.accountId) !== seat) return
      looks.delete(seat)
      if (seat.holdsCounts()) gone.add(seat)
      else forget(seat)
    },

    followClock() {
      counts.turnDay()
      lookAtDue()
    },

    rereadPlan,
    countSoon: counts.wake,
    recordCounts: counts.flush,
    giveBack: counts.giveBack,

    close() {
      isClosed = true
      standings.close()
    },
  }
}
