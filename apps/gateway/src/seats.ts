import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type CloseReasonName, type Plan, planById } from '@pairwire/contract'
import type { Clock } from './clock.ts'
import { createDeadlines } from './deadlines.ts'
import { type DeliveryCounts, swapsIn, type Tally } from './delivery-counts.ts'
import type { GatewayLog } from './gateway-log.ts'
import type { GatewayLimits } from './limits.ts'
import type { Meter } from './subscription.ts'
import { withTimeout } from './with-timeout.ts'

/** A connection as its account's seat sees it. */
export type SeatedConnection = Readonly<{
  isOpen(): boolean
  /** Pings at once; resolves with whether there was a sign of life in time. */
  probe(): Promise<boolean>
  /** Cuts the socket without another word. */
  terminate(): void
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
  /** When the first of them comes, milliseconds of the clock that never steps back. */
  lookAt: number
  tally: Tally
  /** Swap events sent in the period, recorded or not. */
  swapsSent: number
  swapMeter: Meter | undefined
}

type Allowed = Extract<KeyAuthorization, { outcome: 'allowed' }>

/** The accounts that have connections here. */
export type Seats = Readonly<{
  /** The seat of an account whose key was just allowed. Without a connection that joins it, it has to be left. */
  admit(authorization: Allowed): Seat
  find(accountId: string): Seat | undefined
  /** Counts what was sent; `buys` of the swaps were buys. Metered swaps were taken from the allowance before. */
  count(seat: Seat, newPairs: number, swaps: number, buys: number): void
  /** Acts on plans and periods that have ended by now. */
  tick(): void
  /** Reads the account's plan again and acts on what has changed. */
  reauthorize(accountId: string): void
  join(seat: Seat, connection: SeatedConnection): void
  /** Takes the connection out, if it is there; the last one takes the seat with it. */
  leave(seat: Seat, connection?: SeatedConnection): void
  /** Forgets the seats that were kept only for counts which are recorded now. */
  sweep(): void
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
  /** Seats without connections that are kept while their counts are not recorded, since only they know them. */
  const gone = new Set<Seat>()
  /** When to look at each seat that has connections, by `elapsed`. */
  const deadlines = createDeadlines<Seat>()
  /** Accounts being read again; true when they have to be read once more afterwards. */
  const reading = new Map<string, boolean>()
  /** What the timer waits for. */
  let timerAt = Number.POSITIVE_INFINITY
  let cancelTimer: (() => void) | undefined
  /** By how much the clock of dates is ahead of the other one. */
  let offset = clock.now() - clock.elapsed()
  let closed = false

  const endAll = (seat: Seat, reason: CloseReasonName) => {
    for (const connection of [...seat.connections]) connection.end(reason)
  }

  const schedule = () => {
    const next = deadlines.next()
    if (closed || next >= timerAt) return
    cancelTimer?.()
    timerAt = next
    cancelTimer = clock.after(Math.min(Math.max(next - clock.elapsed(), 1), LONGEST_TIMER_MS), () => {
      timerAt = Number.POSITIVE_INFINITY
      tick()
      schedule()
    })
  }

  /** Looks at the seat in time, if it has connections. */
  const watch = (seat: Seat) => {
    if (seat.connections.size === 0 || seat.lookAt === Number.POSITIVE_INFINITY) return
    deadlines.set(seat, seat.lookAt)
    schedule()
  }

  const adopt = (seat: Seat, authorization: Allowed) => {
    const { planInForceId, period, periodEndsAt, planId, connectionLimit, endsAt } = authorization
    const { tally } = seat
    const isSamePlan = tally.planInForceId === planInForceId
    // What was sent up to now belongs to the plan and the period that were.
    if (!isSamePlan || tally.period !== period || seat.plan.id !== planId) settle()

    seat.plan = planOf(authorization)
    seat.connectionLimit = connectionLimit
    seat.endsAt = endsAt?.getTime() ?? Number.POSITIVE_INFINITY
    // The accounts' clock is behind ours: the period is over here, not there yet.
    const isBehind = periodEndsAt.getTime() <= clock.now()
    seat.periodEndsAt = isBehind ? Number.POSITIVE_INFINITY : periodEndsAt.getTime()
    if (!(isBehind && isSamePlan && tally.period > period)) adoptCounts(seat, authorization)
    seat.swapMeter = createMeter(seat)
    const endsInMs = Math.min(seat.endsAt, seat.periodEndsAt) - clock.now()
    seat.lookAt = clock.elapsed() + (isBehind ? Math.min(endsInMs, limits.retryAfterMs) : endsInMs)
    watch(seat)
  }

  const adoptCounts = (seat: Seat, { planInForceId, period, delivered }: Allowed) => {
    const isSame = seat.tally.planInForceId === planInForceId && seat.tally.period === period
    if (!isSame) seat.tally = counts.open(seat.accountId, planInForceId, period)
    const known = delivered.swap + swapsIn(seat.tally)
    // A batch in flight may or may not be in the figure already; ours is the higher one then.
    seat.swapsSent = isSame ? Math.max(seat.swapsSent, known) : known
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
    const period = new Date(seat.periodEndsAt).toISOString().slice(0, 10)
    seat.tally = counts.open(seat.accountId, seat.tally.planInForceId, period)
    seat.swapsSent = swapsIn(seat.tally)
    seat.periodEndsAt = Number.POSITIVE_INFINITY
  }

  /**
   * Ends come by dates, and are waited for by the clock that never steps back. Set forward, the dates come earlier;
   * set back, the moment stays, and the accounts are asked when it comes.
   */
  const followDates = () => {
    const ahead = clock.now() - clock.elapsed()
    const stepMs = ahead - offset
    if (Math.abs(stepMs) < CLOCK_STEP_MS) return
    offset = ahead
    if (stepMs < 0) return
    for (const seat of seats.values()) {
      seat.lookAt -= stepMs
      watch(seat)
    }
  }

  const tick = () => {
    followDates()
    const now = clock.elapsed()
    if (now < deadlines.next()) return
    settle()
    for (const seat of deadlines.takeDue(now)) {
      if (seat.periodEndsAt <= clock.now()) beginPeriod(seat)
      reauthorize(seat.accountId)
    }
    schedule()
  }

  const apply = (seat: Seat, authorization: KeyAuthorization) => {
    if (authorization.outcome === 'unknown_key') endAll(seat, 'keyUnknown')
    else if (authorization.outcome === 'no_plan' || isOver(authorization, clock)) endAll(seat, 'noPlan')
    else {
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

  const forget = (seat: Seat) => {
    gone.delete(seat)
    seats.delete(seat.accountId)
  }

  return {
    admit(authorization) {
      const { accountId, planInForceId, period } = authorization
      let seat = seats.get(accountId)
      if (!seat) {
        seat = {
          accountId,
          connections: new Set(),
          plan: planOf(authorization),
          connectionLimit: authorization.connectionLimit,
          endsAt: Number.POSITIVE_INFINITY,
          periodEndsAt: Number.POSITIVE_INFINITY,
          lookAt: Number.POSITIVE_INFINITY,
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
      gone.delete(seat)
      watch(seat)
    },

    leave(seat, connection) {
      if (connection) seat.connections.delete(connection)
      if (seat.connections.size > 0 || seats.get(seat.accountId) !== seat) return
      deadlines.delete(seat)
      if (counts.holds(seat.tally)) gone.add(seat)
      else forget(seat)
    },

    sweep() {
      for (const seat of gone) if (!counts.holds(seat.tally)) forget(seat)
    },

    close() {
      closed = true
      cancelTimer?.()
    },
  }
}

/** Milliseconds by which the two clocks may differ from before without a step: they are not read in one moment. */
const CLOCK_STEP_MS = 1_000

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
