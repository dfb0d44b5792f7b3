import type { Accounts, RunningGateway } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime, withTimeout } from '@pairwire/basics'
import { type Bus, NoAnswerError } from '@pairwire/bus'
import { AliveAnswer, AliveAsk, ASKS } from '@pairwire/contract'
import type { GatewayLimits } from '../limits.ts'
import type { Successor } from './seat.ts'
import type { Seats } from './seats.ts'

/** The parts that counting seats needs. */
export type SharedSeatsParts = Readonly<{
  gateway: RunningGateway
  accounts: Pick<Accounts, 'noteGateway' | 'forgetGateway' | 'takeSeat' | 'listSeats' | 'restoreSeats'>
  bus: Pick<Bus, 'request' | 'answer'>
  clock: Clock
  log: Log
  limits: GatewayLimits
  seats: Pick<Seats, 'probe' | 'counted' | 'giveBack'>
}>

/** Milliseconds beyond the probe itself that another gateway has to report its result. */
const ANSWER_MS = 1_000

/** Seats given back in one statement, with the counts of their accounts. */
const LEFT_AT_ONCE = 100

/** Milliseconds between two log lines about seats that cannot be given back, after the first. */
const TELL_EVERY_MS = 60_000

const NOBODY: ReadonlySet<string> = new Set()

/** Seats of accounts, counted across all gateways. */
export class SharedSeats {
  readonly #parts: SharedSeatsParts
  /** Seats taken, or being taken, here, by connection. */
  readonly #held = new Map<string, { readonly accountId: string; isTaken: boolean }>()
  /** Accounts of seats that were left, by connection. */
  readonly #leaving = new Map<string, string>()
  readonly #alone = oneAtATime()
  #countedAt = Number.NEGATIVE_INFINITY
  readonly #stopAnswering: () => void
  #cancelBeat = () => {}
  #beating = Promise.resolve()
  #cancelRetry: (() => void) | undefined
  /** Failed attempts to give seats back since the last log line, and the time of that line. */
  #failures = 0
  #toldAt = Number.NEGATIVE_INFINITY
  /** Logged once per outage: a night without the database would fill the log. */
  #isSilent = false
  #isClosed = false

  /** Starts to report that this gateway runs; no seat counts before that. */
  constructor(parts: SharedSeatsParts) {
    this.#parts = parts
    this.#stopAnswering = parts.bus.answer(ASKS.alive(parts.gateway.id), async (body) => {
      const { accountId, successor } = AliveAsk.parse(body)
      return { open: await this.#look(accountId, successor) }
    })
    this.#beating = this.#beat()
  }

  /**
   * Takes one of the account's seats. If all are taken, the gateways that hold them probe their connections: `freed`
   * when that made room. `unknown` when it cannot be counted because the database, or a gateway that holds a seat, is
   * unavailable.
   */
  async take(
    connectionId: string,
    accountId: string,
    limit: number,
    successor?: Successor,
  ): Promise<'taken' | 'freed' | 'full' | 'unknown'> {
    const { gateway, accounts, log } = this.#parts
    const seat = { connectionId, accountId, gatewayId: gateway.id }
    const own = { accountId, isTaken: false }
    this.#held.set(connectionId, own)
    const tryToTake = async () => {
      const outcome = await this.#inTime(accounts.takeSeat(seat, limit))
      own.isTaken = outcome.outcome === 'taken'
      return outcome
    }
    try {
      const first = await tryToTake()
      if (first.outcome === 'taken') return 'taken'
      if (first.outcome === 'full') {
        // Asked all at once, each gateway would give up a connection for the same newcomer.
        let isCertain = true
        for (const ids of successor ? first.gatewayIds.map((id) => [id]) : [first.gatewayIds]) {
          const answers = await Promise.all(ids.map((id) => this.#ask(id, accountId, successor)))
          const { outcome } = await tryToTake()
          if (outcome === 'taken') return 'freed'
          isCertain &&= outcome === 'full' && answers.every(Boolean)
        }
        if (isCertain) {
          this.#held.delete(connectionId)
          return 'full'
        }
      }
    } catch (error) {
      log.error('A seat could not be counted.', { errorName: nameOf(error) })
    }
    // It may have been taken even without an answer in time.
    this.leave(connectionId)
    return 'unknown'
  }

  /** The connection is ending, so its seat is free. */
  leave(connectionId: string): void {
    const seat = this.#held.get(connectionId)
    if (!seat) return
    this.#held.delete(connectionId)
    this.#leaving.set(connectionId, seat.accountId)
    void this.#giveBackLeft()
  }

  /** Whether this gateway has recently reported that it runs, so that its seats count. */
  isCounted(): boolean {
    const { clock, limits } = this.#parts
    return clock.elapsed() - this.#countedAt < limits.seatLeaseMs
  }

  /** Gives back all seats that were left and reports that this gateway is gone. */
  async close(): Promise<void> {
    const { gateway, accounts, clock, log, limits } = this.#parts
    this.#isClosed = true
    this.#cancelBeat()
    this.#cancelRetry?.()
    this.#stopAnswering()
    // A report on its way would come after it.
    const gone = this.#beating.then(() => accounts.forgetGateway(gateway.id))
    await withTimeout(gone, clock, limits.closeGraceMs).catch(() => {
      log.warn('This gateway could not report that it is stopping; its seats are freed in a few seconds.')
    })
  }

  #inTime<Answer>(asked: Promise<Answer>): Promise<Answer> {
    return withTimeout(asked, this.#parts.clock, this.#parts.limits.authorizeTimeoutMs)
  }

  /** Reports at intervals that this gateway runs: a lost request leaves time for another before the lease ends. */
  async #beat(): Promise<void> {
    const { clock, log, limits } = this.#parts
    const at = clock.elapsed()
    try {
      await this.#say()
      this.#isSilent = false
    } catch (error) {
      if (!this.#isSilent)
        log.warn('This gateway cannot report that it is running.', { errorName: nameOf(error) })
      this.#isSilent = true
    }
    const restMs = Math.max(0, limits.seatBeatMs - (clock.elapsed() - at))
    if (this.#isClosed) return
    this.#cancelBeat = clock.after(restMs, () => {
      this.#beating = this.#beat()
    })
  }

  async #say(): Promise<void> {
    const { gateway, accounts, clock, limits } = this.#parts
    const at = clock.elapsed()
    const { wasAway } = await withTimeout(accounts.noteGateway(gateway), clock, limits.seatAnswerMs)
    // The answer that reported it may have come too late.
    if (wasAway || !this.isCounted()) {
      this.#countedAt = Number.NEGATIVE_INFINITY
      await this.#restore()
    }
    this.#countedAt = at
  }

  /** Reports the taken seats again, and learns which were given to others in the meantime. */
  async #restore(): Promise<void> {
    const { gateway, accounts, log, seats } = this.#parts
    const taken = () =>
      [...this.#held].flatMap(([connectionId, { accountId, isTaken }]) =>
        isTaken ? [{ connectionId, accountId, gatewayId: gateway.id }] : [],
      )
    const connections = taken().length
    if (connections === 0) return
    log.warn('This gateway could not report in time that it is running; its seats are counted again.', {
      connections,
    })
    await this.#freeEmpty(await this.#inTime(accounts.listSeats(gateway.id)))
    // One that is left meanwhile is given back afterwards.
    const restored = this.#alone(() => accounts.restoreSeats(gateway.id, taken()))
    const totals = await this.#inTime(restored)
    for (const [accountId, total] of totals) seats.counted(accountId, total)
  }

  /** Gives back the seats left so far. */
  #giveBackLeft(): Promise<void> {
    return this.#alone(async () => {
      const { seats, clock, log, limits } = this.#parts
      try {
        while (this.#leaving.size > 0) {
          const left = [...this.#leaving].slice(0, LEFT_AT_ONCE)
          const ids = left.map(([id]) => id)
          await seats.giveBack(new Set(left.map(([, accountId]) => accountId)), ids)
          for (const id of ids) this.#leaving.delete(id)
        }
        this.#failures = 0
        this.#toldAt = Number.NEGATIVE_INFINITY
      } catch (error) {
        this.#failures++
        if (clock.elapsed() - this.#toldAt >= TELL_EVERY_MS) {
          const failures = this.#failures
          log.warn('Seats could not be given back; retrying.', { errorName: nameOf(error), failures })
          this.#failures = 0
          this.#toldAt = clock.elapsed()
        }
        this.#cancelRetry ??= clock.after(limits.retryAfterMs, () => {
          this.#cancelRetry = undefined
          void this.#giveBackLeft()
        })
      }
    })
  }

  /**
   * Frees those of these seats that no connection uses: a request that timed out may have been executed later. They are
   * named one by one, so that a seat being taken right now stays.
   */
  async #freeEmpty(connectionIds: readonly string[]): Promise<void> {
    await this.#inTime(this.#giveBackLeft())
    const empty = connectionIds.filter((id) => !this.#held.has(id) && !this.#leaving.has(id))
    if (empty.length > 0) await this.#inTime(this.#parts.seats.giveBack(NOBODY, empty))
  }

  /** Ends dead connections, and gives back every unused seat. */
  async #look(accountId: string, successor?: Successor): Promise<number> {
    const { gateway, accounts, seats } = this.#parts
    const open = await seats.probe(accountId, successor)
    await this.#freeEmpty(await this.#inTime(accounts.listSeats(gateway.id, accountId)))
    return open
  }

  /** Asks another gateway to probe; returns whether it answered. */
  async #ask(gatewayId: string, accountId: string, successor: Successor | undefined): Promise<boolean> {
    const { gateway, bus, log, limits } = this.#parts
    try {
      if (gatewayId === gateway.id) await this.#look(accountId, successor)
      else {
        const body = { accountId, successor } satisfies AliveAsk
        AliveAnswer.parse(await bus.request(ASKS.alive(gatewayId), body, limits.probeMs + ANSWER_MS))
      }
      return true
    } catch (error) {
      if (!(error instanceof NoAnswerError))
        log.warn('A message from another gateway could not be read.', { errorName: nameOf(error) })
      return false
    }
  }
}
