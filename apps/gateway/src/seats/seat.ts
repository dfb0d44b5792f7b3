import type { AccountStanding, DeliveredCount, KeyAuthorization, SwapsSoFar } from '@pairwire/accounts'
import type { Clock } from '@pairwire/basics'
import { type CloseReasonName, type Plan, planById } from '@pairwire/contract'
import type { Meter } from '../protocol/subscription.ts'
import type { SharedSpending } from '../rates/shared-spending.ts'
import { type DeliveryCounts, swapsIn, type Tally } from './delivery-counts.ts'

/** What a newcomer continues: a stream with these params that sent it this cursor. */
export type Successor = Readonly<{ stream: string; cursor: string }>

/** A connection as its account's seat sees it. */
export type SeatedConnection = Readonly<{
  id: string
  isOpen(): boolean
  /** Pings at once; resolves with whether there was a sign of life in time. */
  probe(): Promise<boolean>
  /** Whether this newcomer continues it, so that it may give way. */
  isContinuedBy(successor: Successor): Promise<boolean>
  end(reason: CloseReasonName): void
  /** The plan has changed: subscriptions that it no longer allows have to end. */
  planChanged(): void
  /** The plan's swap events are used up: the subscription has to end. */
  swapsUsedUp(): void
}>

/** The accounts' answer for a key that may connect. */
export type Allowed = Extract<KeyAuthorization, { outcome: 'allowed' }>

/** The parts that a seat needs. */
type SeatParts = Readonly<{
  counts: DeliveryCounts
  clock: Clock
  /** Called with what its connections draw on a cap. */
  spending: Pick<SharedSpending, 'note'>
}>

/** An account with open connections: what its plan allows, and what it has used. */
export class Seat {
  readonly accountId: string
  readonly connections = new Set<SeatedConnection>()
  readonly #counts: DeliveryCounts
  readonly #clock: Clock
  readonly #spending: SeatParts['spending']
  /** The accounts' answer, as last read. */
  #allowed: Allowed
  #plan: Plan
  #tally: Tally
  /** Unix milliseconds at which the plan ends, and at which the next period begins. */
  #endsAt = Number.POSITIVE_INFINITY
  #periodEndsAt = Number.POSITIVE_INFINITY
  /** Swap events sent in the period, recorded or not. */
  #swapsSent = 0
  #swapMeter: Meter | undefined
  #probing: Promise<void> | undefined

  /** A new seat, which has yet to {@link adopt} its authorization. */
  constructor(authorization: Allowed, { counts, clock, spending }: SeatParts) {
    const { accountId, planInForceId, period } = authorization
    this.accountId = accountId
    this.#counts = counts
    this.#clock = clock
    this.#spending = spending
    this.#allowed = authorization
    this.#plan = planOf(authorization)
    this.#tally = counts.open(accountId, planInForceId, period)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** The account's key and plan as last read. */
  get standing(): AccountStanding {
    return this.#allowed.standing
  }

  /** The allowance that swaps draw on; undefined without a cap. */
  get swapMeter(): Meter | undefined {
    return this.#swapMeter
  }

  get connectionLimit(): number {
    return this.#allowed.connectionLimit
  }

  get openConnections(): SeatedConnection[] {
    return [...this.connections].filter((connection) => connection.isOpen())
  }

  /** Whether the plan's swap events of the period are used up. */
  areSwapsUsedUp(): boolean {
    const cap = this.#plan.swapEventsPerPeriod
    return cap !== null && this.#swapsSent >= cap
  }

  /** Whether any count is unrecorded. */
  holdsCounts(): boolean {
    return this.#counts.holds(this.#tally)
  }

  /** Counts what was sent; `buys` of the swaps were buys. Metered swaps were already taken from the allowance. */
  count(newPairs: number, swaps: number, buys: number, face?: DeliveredCount['face']): void {
    if (!this.#swapMeter) this.#swapsSent += swaps
    if (newPairs + swaps > 0) this.#counts.add(this.#tally, newPairs, buys, swaps - buys, face)
  }

  /** Takes that many swaps from a cap, sent here or by another gateway. */
  drawSwaps(count: number): void {
    this.#swapsSent += count
    if (this.areSwapsUsedUp()) for (const connection of [...this.connections]) connection.swapsUsedUp()
  }

  /** Takes what all gateways have recorded for a period: word of what another one sent may have been lost. */
  noteRecorded({ planInForceId, period, count }: Omit<SwapsSoFar, 'accountId'>): void {
    const tally = this.#tally
    if (tally.planInForceId !== planInForceId || tally.period !== period) return
    // The figure may or may not include a batch in flight; if not, ours is higher.
    this.drawSwaps(Math.max(0, count + swapsIn(tally) - this.#swapsSent))
  }

  endAll(reason: CloseReasonName): void {
    for (const connection of [...this.connections]) connection.end(reason)
  }

  /**
   * Adopts the account's plan.
   *
   * @returns milliseconds after which to check it again
   */
  adopt(authorization: Allowed, retryAfterMs: number): number {
    const { planInForceId, period, periodEndsAt, endsAt } = authorization
    const tally = this.#tally
    const isSamePlan = tally.planInForceId === planInForceId

    const now = this.#clock.now()
    this.#allowed = authorization
    this.#plan = planOf(authorization)
    this.#endsAt = endsAt?.getTime() ?? Number.POSITIVE_INFINITY
    // The accounts' clock is behind ours: the period is over here but not there.
    const isBehind = periodEndsAt.getTime() <= now
    this.#periodEndsAt = isBehind ? Number.POSITIVE_INFINITY : periodEndsAt.getTime()
    if (!(isBehind && isSamePlan && tally.period > period)) this.#adoptCounts(authorization)
    this.#swapMeter = this.#createMeter()
    const endsInMs = Math.min(this.#endsAt, this.#periodEndsAt) - now
    return isBehind ? Math.min(endsInMs, retryAfterMs) : endsInMs
  }

  /** Applies a plan that was read again: ends connections beyond what others leave of its limit, and adjusts the rest. */
  enforcePlan(seatsBefore: number): void {
    for (const connection of this.openConnections.slice(Math.max(0, this.connectionLimit - seatsBefore)))
      connection.end('connectionLimit')
    for (const connection of [...this.connections]) connection.planChanged()
  }

  /** Ends the newest of its connections, as many as all gateways together have beyond the limit. */
  endExcess(count: number): void {
    for (const connection of this.openConnections.slice(-count)) connection.end('connectionLimit')
  }

  /** Begins the next billing period once the current one is over by our clock. */
  turnPeriod(): void {
    if (this.#periodEndsAt > this.#clock.now()) return
    const period = new Date(this.#periodEndsAt).toISOString().slice(0, 10)
    this.#tally = this.#counts.open(this.accountId, this.#tally.planInForceId, period)
    this.#swapsSent = swapsIn(this.#tally)
    this.#periodEndsAt = Number.POSITIVE_INFINITY
  }

  /** Whether the plan has ended by our clock; true once for each end. */
  takeEnd(): boolean {
    const isOver = this.#endsAt <= this.#clock.now()
    if (isOver) this.#endsAt = Number.POSITIVE_INFINITY
    return isOver
  }

  /**
   * Probes its connections, and ends the dead ones, so that a dropped network locks nobody out; or only the one that
   * the newcomer continues. Concurrent callers share the same probe.
   */
  async probe(successor?: Successor): Promise<void> {
    if (successor && (await this.#giveWay(successor))) return
    this.#probing ??= this.#endDead().finally(() => {
      this.#probing = undefined
    })
    await this.#probing
  }

  async #giveWay(successor: Successor): Promise<boolean> {
    for (const connection of this.openConnections) {
      if (!(await connection.isContinuedBy(successor)) || !connection.isOpen()) continue
      connection.end('connectionLimit')
      return true
    }
    return false
  }

  async #endDead(): Promise<void> {
    await Promise.all(
      this.openConnections.map(async (connection) => {
        // It leaves its seat at once; its closing frames follow as its socket takes them.
        if (!(await connection.probe())) connection.end('connectionLimit')
      }),
    )
  }

  /** Only an account with several connections can have some elsewhere. */
  #tell(swaps: number): void {
    if (this.connectionLimit > 1) this.#spending.note(this.accountId, { swaps })
  }

  #adoptCounts({ planInForceId, period, delivered }: Allowed): void {
    const isSame = this.#tally.planInForceId === planInForceId && this.#tally.period === period
    if (!isSame) {
      this.#tally = this.#counts.open(this.accountId, planInForceId, period)
      this.#swapsSent = 0
    }
    this.noteRecorded({ planInForceId, period, count: delivered.swap })
  }

  #createMeter(): Meter | undefined {
    if (this.#plan.swapEventsPerPeriod === null) return undefined
    return {
      take: () => {
        if (this.areSwapsUsedUp()) return false
        this.drawSwaps(1)
        this.#tell(1)
        return true
      },
      giveBack: (count) => {
        this.#swapsSent -= count
        this.#tell(-count)
      },
    }
  }
}

/** Whether the plan has ended by the gateway's own clock. */
export function isOver({ endsAt }: Allowed, clock: Clock): boolean {
  return endsAt !== null && endsAt.getTime() <= clock.now()
}

function planOf({ planId }: Allowed): Plan {
  const plan = planById(planId)
  if (!plan) throw new Error(`There is no plan ${planId}.`)
  return plan
}
