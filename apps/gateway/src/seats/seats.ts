import type { AccountStanding, Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, withTimeout } from '@pairwire/basics'
import { createLoopLog } from '@pairwire/process'
import type { GatewayLimits } from '../limits.ts'
import type { SharedSpending } from '../rates/shared-spending.ts'
import { DeliveryCounts } from './delivery-counts.ts'
import { forwardClock } from './forward-clock.ts'
import { type Allowed, isOver, Seat, type SeatedConnection, type Successor } from './seat.ts'
import { StandingCheck } from './standing-check.ts'

/** What the register needs. */
type SeatsParts = Readonly<{
  accounts: Pick<Accounts, 'authorizeAccount' | 'readStandings' | 'recordDelivered'>
  clock: Clock
  limits: Pick<GatewayLimits, 'authorizeTimeoutMs' | 'retryAfterMs' | 'standingsEveryMs' | 'countEveryMs'>
  log: Log
  /** Called with draws on caps, which other gateways may share. */
  spending: Pick<SharedSpending, 'note' | 'tell'>
  /** Seats of an account at the gateways before this one, which stay if its limit is lowered. */
  seatsBefore(accountId: string): Promise<number>
}>

/** Milliseconds between two attempts to record the last counts. */
const RETRY_MS = 100

/** The accounts with connections here, and what was sent to them. */
export class Seats {
  readonly #parts: SeatsParts
  readonly #counts: DeliveryCounts
  readonly #standings: StandingCheck
  readonly #seats = new Map<string, Seat>()
  /** Seats without connections, kept until their counts are recorded. */
  readonly #gone = new Set<Seat>()
  /** Accounts being read again; true if they must be read once more afterwards. */
  readonly #reading = new Map<string, boolean>()
  /** When each seat's plan or period ends. Checked against the date, since the wall clock may be set back. */
  readonly #looks = new Map<Seat, number>()
  readonly #elapsed: () => number
  #isClosed = false

  /** An empty register. */
  constructor(parts: SeatsParts) {
    const { accounts, clock, limits, log, spending } = parts
    // Read for each account in turn, and again and again while the database is away.
    this.#parts = { ...parts, log: createLoopLog(log, () => clock.elapsed()) }
    this.#elapsed = forwardClock(clock)
    this.#counts = new DeliveryCounts({
      record(...counted) {
        spending.tell()
        return accounts.recordDelivered(...counted)
      },
      handedOver: (soFar) => {
        for (const each of soFar) this.find(each.accountId)?.noteRecorded(each)
        for (const seat of this.#gone) if (!seat.holdsCounts()) this.#forget(seat)
      },
      ...{ clock, log, everyMs: limits.countEveryMs },
    })
    this.#standings = new StandingCheck({
      ...{ accounts, clock, limits, log },
      seats: () => [...this.#seats.values()].filter(({ connections }) => connections.size > 0),
      found: (seat, standing) => this.#compare(seat, standing),
    })
  }

  /** Returns the seat of an account whose key was just allowed. If no connection joins it, the caller must leave it. */
  admit(authorization: Allowed): Seat {
    const { accountId } = authorization
    const { clock, spending } = this.#parts
    const seat =
      this.#seats.get(accountId) ?? new Seat(authorization, { counts: this.#counts, clock, spending })
    endOfOtherKey(seat, authorization.standing)
    this.#seats.set(accountId, seat) // which it has left if that were its last connections
    this.#adopt(seat, authorization)
    return seat
  }

  find(accountId: string): Seat | undefined {
    return this.#seats.get(accountId)
  }

  join(seat: Seat, connection: SeatedConnection): void {
    seat.connections.add(connection)
    this.#standings.wake()
    this.#gone.delete(seat)
  }

  /** Removes the connection, if it is here, and with the last one the seat. */
  leave(seat: Seat, connection?: SeatedConnection): void {
    if (connection) seat.connections.delete(connection)
    if (seat.connections.size > 0 || this.#seats.get(seat.accountId) !== seat) return
    this.#looks.delete(seat)
    if (seat.holdsCounts()) this.#gone.add(seat)
    else this.#forget(seat)
  }

  /** Acts on periods and plans that have ended: call it every second. */
  lookAtPlans(): void {
    const now = this.#elapsed()
    for (const [seat, at] of this.#looks) {
      if (at > now) continue
      this.#looks.delete(seat)
      seat.turnPeriod()
      this.rereadPlan(seat.accountId)
    }
  }

  /** Reads the account's plan again and applies changes. */
  rereadPlan(accountId: string): void {
    const seat = this.#seats.get(accountId)
    if (this.#isClosed || !seat || seat.connections.size === 0) return
    if (this.#reading.has(accountId)) this.#reading.set(accountId, true)
    else void this.#readPlan(seat)
  }

  /** Records all counts, again and again while the database is away. */
  async recordCounts(): Promise<void> {
    const { clock } = this.#parts
    while (!(await this.#counts.flush()) && !this.#isClosed)
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
  }

  /** Records the counts of accounts together with the seats that their connections left. @throws on failure */
  giveBack(accountIds: ReadonlySet<string>, connectionIds: readonly string[]): Promise<void> {
    return this.#counts.giveBack(accountIds, connectionIds)
  }

  /** Ends the account's dead connections, or the one that a newcomer continues; resolves with the number of open ones. */
  async probe(accountId: string, successor?: Successor): Promise<number> {
    const seat = this.find(accountId)
    await seat?.probe(successor)
    return seat?.openConnections.length ?? 0
  }

  /** Takes the account's seats at all gateways: those beyond its limit have to end. */
  counted(accountId: string, total: number): void {
    const seat = this.find(accountId)
    if (seat && total > seat.connectionLimit) seat.endExcess(total - seat.connectionLimit)
  }

  close(): void {
    this.#isClosed = true
    this.#standings.close()
  }

  #forget(seat: Seat): void {
    this.#gone.delete(seat)
    this.#seats.delete(seat.accountId)
  }

  /** Applies the account's current standing; undefined if the account is gone. */
  #compare(seat: Seat, standing: AccountStanding | undefined): void {
    if (!standing) {
      seat.endAll('keyUnknown')
      return
    }
    endOfOtherKey(seat, standing)
    if (seat.standing.plan !== standing.plan) this.rereadPlan(seat.accountId)
  }

  async #readPlan(seat: Seat): Promise<void> {
    const { accountId } = seat
    const { accounts, clock, log, limits, seatsBefore } = this.#parts
    this.#reading.set(accountId, false)
    // A plan that has ended does not continue because the database is slow.
    const hasEnded = seat.takeEnd()
    const timeoutMs = hasEnded ? limits.retryAfterMs : limits.authorizeTimeoutMs
    try {
      const asked = Promise.all([accounts.authorizeAccount(accountId), seatsBefore(accountId)])
      this.#apply(seat, ...(await withTimeout(asked, clock, timeoutMs)))
    } catch (error) {
      log.warn('A plan could not be read again.', { errorName: nameOf(error) })
      if (hasEnded) seat.endAll('noPlan')
      else clock.after(limits.retryAfterMs, () => this.rereadPlan(accountId))
    }
    const isToBeReadAgain = this.#reading.get(accountId)
    this.#reading.delete(accountId)
    if (isToBeReadAgain) this.rereadPlan(accountId)
  }

  #apply(seat: Seat, authorization: KeyAuthorization, seatsBefore: number): void {
    if (authorization.outcome === 'unknown_key') seat.endAll('keyUnknown')
    else if (authorization.outcome === 'suspended') seat.endAll('accountSuspended')
    else if (authorization.outcome === 'no_plan' || isOver(authorization, this.#parts.clock))
      seat.endAll('noPlan')
    else if (endOfOtherKey(seat, authorization.standing)) {
      this.#adopt(seat, authorization)
      seat.enforcePlan(seatsBefore)
    }
  }

  #adopt(seat: Seat, authorization: Allowed): void {
    this.#looks.set(seat, this.#elapsed() + seat.adopt(authorization, this.#parts.limits.retryAfterMs))
  }
}

/** Ends the connections under a key that is no longer the account's; returns whether any is left. */
function endOfOtherKey(seat: Seat, standing: AccountStanding): boolean {
  if (seat.standing.key !== standing.key) seat.endAll('keyUnknown')
  return seat.connections.size > 0
}
