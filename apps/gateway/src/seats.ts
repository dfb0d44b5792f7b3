import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type CloseReasonName, type Plan, planById } from '@pairwire/contract'
import type { Clock } from './clock.ts'
import { type DeliveryCounts, swapsIn, type Tally } from './delivery-counts.ts'
import type { GatewayLog } from './gateway-log.ts'
import type { GatewayLimits } from './limits.ts'
import type { Meter } from './subscription.ts'
import { withTimeout } from './with-timeout.ts'

/** A connection as its account's seat sees it. */
export type SeatedConnection = Readonly<{
  isOpen(): boolean
  end(reason: CloseReasonName): void
  /** The plan has changed: what it does not allow any more has to end. */
  planChanged(): void
  /** The plan's swap events are used up: the subscription has to end. */
  swapsUsedUp(): void
}>

/** An account with open connections: what its plan allows, and what it has had. */
export type Seat = {
  readonly accountId: string
  readonly connections: Set<SeatedConnection>
  plan: Plan
  connectionLimit: number
  /** Unix milliseconds at which the plan stops being in force; infinite without an end. */
  endsAt: number
  /** Unix milliseconds at which the next billing period begins. */
  periodEndsAt: number
  tally: Tally
  /** Swap events sent in the period, recorded or not. */
  swapsSent: number
  swapMeter: Meter | undefined
}

type Allowed = Extract<KeyAuthorization, { outcome: 'allowed' }>

/** The accounts that have connections here. */
export type Seats = Readonly<{
  /** The seat of an account whose key was just allowed. */
  admit(authorization: Allowed): Seat
  find(accountId: string): Seat | undefined
  /** Counts what was sent; `buys` of the swaps were buys. Metered swaps were taken from the allowance before. */
  count(seat: Seat, newPairs: number, swaps: number, buys: number): void
  /** Acts on plans and periods that have ended by now. */
  tick(): void
  /** Reads the account's plan again and acts on what has changed. */
  reauthorize(accountId: string): void
  join(seat: Seat, connection: SeatedConnection): void
  leave(seat: Seat, connection: SeatedConnection): void
  close(): void
}>

/** Makes the register. */
export function createSeats({
  accounts,
  counts,
  settle,
  clock,
  limits,
  log,
}: {
  accounts: Pick<Accounts, 'authorizeAccount'>
  counts: DeliveryCounts
  /** Has everything counted that was sent up to now. */
  settle: () => void
  clock: Clock
  limits: Pick<GatewayLimits, 'authorizeTimeoutMs' | 'retryAfterMs'>
  log: GatewayLog
}): Seats {
  const seats = new Map<string, Seat>()
  /** Accounts being read again; true when they have to be read once more afterwards. */
  const reading = new Map<string, boolean>()
  let deadline = Number.POSITIVE_INFINITY
  let cancelTimer: (() => void) | undefined
  let closed = false

  const endAll = (seat: Seat, reason: CloseReasonName) => {
    for (const connection of [...seat.connections]) connection.end(reason)
  }

  const schedule = () => {
    cancelTimer?.()
    cancelTimer = undefined
    deadline = Number.POSITIVE_INFINITY
    for (const seat of seats.values()) {
      if (seat.connections.size > 0) deadline = Math.min(deadline, seat.endsAt, seat.periodEndsAt)
    }
    if (closed || deadline === Number.POSITIVE_INFINITY) return
    cancelTimer = clock.after(Math.min(Math.max(deadline - clock.now(), 1), LONGEST_TIMER_MS), () => {
      tick()
      schedule()
    })
  }

  const adopt = (seat: Seat, authorization: Allowed) => {
    seat.plan = planOf(authorization)
    seat.connectionLimit = authorization.connectionLimit
    seat.endsAt = authorization.endsAt?.getTime() ?? Number.POSITIVE_INFINITY
    adoptPeriod(seat, authorization)
    seat.swapMeter = createMeter(seat)
    schedule()
  }

  const adoptPeriod = (seat: Seat, { planInForceId, period, periodEndsAt, delivered }: Allowed) => {
    if (periodEndsAt.getTime() <= clock.now()) {
      // The accounts' clock is behind ours: the period is over here, not there yet.
      clock.after(limits.retryAfterMs, () => reauthorize(seat.accountId))
      return
    }
    const isSame = seat.tally.planInForceId === planInForceId && seat.tally.period === period
    if (!isSame) {
      settle()
      seat.tally = counts.open(seat.accountId, planInForceId, period)
    }
    const known = delivered.swap + swapsIn(seat.tally)
    // A batch in flight may or may not be in the figure already; ours is the higher one then.
    seat.swapsSent = isSame ? Math.max(seat.swapsSent, known) : known
    seat.periodEndsAt = periodEndsAt.getTime()
  }

  const createMeter = (seat: Seat): Meter | undefined => {
    const cap = seat.plan.swapEventsPerPeriod
    if (cap === null) return undefined
    return {
      take() {
        if (seat.swapsSent >= cap) return false
        seat.swapsSent++
        if (seat.swapsSent >= cap) for (const connection of [...seat.connections]) connection.swapsUsedUp()
        return true
      },
      giveBack(count) {
        seat.swapsSent -= count
      },
    }
  }

  const beginPeriod = (seat: Seat) => {
    settle()
    const period = new Date(seat.periodEndsAt).toISOString().slice(0, 10)
    seat.tally = counts.open(seat.accountId, seat.tally.planInForceId, period)
    seat.swapsSent = swapsIn(seat.tally)
    seat.periodEndsAt = Number.POSITIVE_INFINITY
    reauthorize(seat.accountId)
  }

  const tick = () => {
    const now = clock.now()
    if (now < deadline) return
    for (const seat of seats.values()) {
      if (seat.connections.size === 0) continue
      if (seat.periodEndsAt <= now) beginPeriod(seat)
      if (seat.endsAt <= now) reauthorize(seat.accountId)
    }
    schedule()
  }

  const apply = (seat: Seat, authorization: KeyAuthorization) => {
    if (authorization.outcome === 'unknown_key') endAll(seat, 'keyUnknown')
    else if (authorization.outcome === 'no_plan' || isOver(authorization, clock)) endAll(seat, 'noPlan')
    else {
      settle()
      adopt(seat, authorization)
      const surplus = [...seat.connections].filter((connection) => connection.isOpen())
      for (const connection of surplus.slice(seat.connectionLimit)) connection.end('connectionLimit')
      for (const connection of [...seat.connections]) connection.planChanged()
    }
  }

  const read = async (seat: Seat): Promise<void> => {
    const { accountId } = seat
    reading.set(accountId, false)
    // A plan that has ended does not go on because the database is slow.
    const wasOver = seat.endsAt <= clock.now()
    seat.endsAt = wasOver ? Number.POSITIVE_INFINITY : seat.endsAt
    const timeoutMs = wasOver ? limits.retryAfterMs : limits.authorizeTimeoutMs
    try {
      apply(seat, await withTimeout(accounts.authorizeAccount(accountId), clock, timeoutMs))
    } catch (error) {
      const errorName = error instanceof Error ? error.name : typeof error
      log.warn('A plan could not be read again.', { accountId, errorName })
      if (wasOver) endAll(seat, 'noPlan')
      else clock.after(limits.retryAfterMs, () => reauthorize(accountId))
    }
    const again = reading.get(accountId)
    reading.delete(accountId)
    if (again) reauthorize(accountId)
  }

  const reauthorize = (accountId: string) => {
    const seat = seats.get(accountId)
    if (closed || !seat || seat.connections.size === 0) return
    if (reading.has(accountId)) reading.set(accountId, true)
    else void read(seat)
  }

  /** Seats without connections are kept while their counts are not recorded, since only they know them. */
  const sweep = () => {
    for (const [accountId, seat] of seats) {
      if (seat.connections.size === 0 && !counts.holds(seat.tally)) seats.delete(accountId)
    }
  }

  return {
    admit(authorization) {
      const { accountId, planInForceId, period } = authorization
      let seat = seats.get(accountId)
      if (!seat) {
        sweep()
        seat = {
          accountId,
          connections: new Set(),
          plan: planOf(authorization),
          connectionLimit: authorization.connectionLimit,
          endsAt: Number.POSITIVE_INFINITY,
          periodEndsAt: Number.POSITIVE_INFINITY,
          tally: counts.open(accountId, planInForceId, period),
          swapsSent: 0,
          swapMeter: undefined,
        }
        seats.set(accountId, seat)
      }
      adopt(seat, authorization)
      return seat
    },

    find: (accountId) => seats.get(accountId),

    count(seat, newPairs, swaps, buys) {
      if (!seat.swapMeter) seat.swapsSent += swaps
      if (newPairs + swaps > 0) counts.add(seat.tally, newPairs, buys, swaps - buys)
    },

    tick,
    reauthorize,

    join(seat, connection) {
      seat.connections.add(connection)
      if (Math.min(seat.endsAt, seat.periodEndsAt) < deadline) schedule()
    },

    leave(seat, connection) {
      seat.connections.delete(connection)
    },

    close() {
      closed = true
      cancelTimer?.()
    },
  }
}

/** The longest that a timer can wait: 2^31 - 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Whether the plan has ended by the gateway's own clock. */
export function isOver({ endsAt }: Allowed, clock: Clock): boolean {
  return endsAt !== null && endsAt.getTime() <= clock.now()
}

function planOf({ planId }: Allowed): Plan {
  const plan = planById(planId)
  if (!plan) throw new Error(`There is no plan ${planId}.`)
  return plan
}
