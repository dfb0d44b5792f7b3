import type { Accounts, RunningGateway } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime, withTimeout } from '@pairwire/basics'
import { type Bus, NoAnswerError } from '@pairwire/bus'
import { AliveAnswer, ASKS, OfAccount } from '@pairwire/contract'
import type { GatewayLimits } from '../limits.ts'
import type { Seats } from './seats.ts'

/** What the seats are counted with. */
export type SharedSeatsParts = Readonly<{
  gateway: RunningGateway
  accounts: Pick<Accounts, 'noteGateway' | 'forgetGateway' | 'takeSeat' | 'listSeats' | 'restoreSeats'>
  bus: Pick<Bus, 'request' | 'answer'>
  clock: Clock
  log: Log
  limits: GatewayLimits
  seats: Pick<Seats, 'probe' | 'counted' | 'giveBack'>
}>

/** Milliseconds beyond the probe itself in which another gateway has to say what it found. */
const ANSWER_MS = 1_000

/** Seats that are given back in one statement, with the counts of their accounts. */
const LEFT_AT_ONCE = 100

/** Milliseconds between two lines about seats that cannot be given back, beyond the first. */
const TELL_EVERY_MS = 60_000

const NOBODY: ReadonlySet<string> = new Set()

/** Seats of accounts as all gateways count them together. */
export class SharedSeats {
  readonly #parts: SharedSeatsParts
  /** Seats that are taken or being taken here, by connection. */
  readonly #held = new Map<string, { readonly accountId: string; isTaken: boolean }>()
  /** Accounts of seats that were left, by connection. */
  readonly #leaving = new Map<string, string>()
  readonly #alone = oneAtATime()
  #countedAt = Number.NEGATIVE_INFINITY
  readonly #stopAnswering: () => void
  #cancelBeat = () => {}
  #cancelRetry: (() => void) | undefined
  /** Tries to give seats back that failed since that was said last, and when that was. */
  #failures = 0
  #toldAt = Number.NEGATIVE_INFINITY
  /** Said once: a database that is away for a night would fill the log. */
  #isSilent = false
  #isClosed = false

  /** Says from now on that this gateway runs; nobody has a seat before that was said. */
  constructor(parts: SharedSeatsParts) {
    this.#parts = parts
    this.#stopAnswering = parts.bus.answer(ASKS.alive(parts.gateway.id), async (body) => {
      const { accountId } = OfAccount.parse(body)
      return { open: await this.#look(accountId) }
    })
    void this.#beat()
  }

  /**
   * Takes one of the account's seats. Where all are taken, the gateways that hold them look whether their connections
   * are alive: `freed` when that made room. `unknown` when it cannot be counted: the database is away, or a gateway that
   * holds a seat.
   */
  async take(
    connectionId: string,
    accountId: string,
    limit: number,
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
        const answers = await Promise.all(first.gatewayIds.map((id) => this.#ask(id, accountId)))
        const second = await tryToTake()
        if (second.outcome === 'taken') return 'freed'
        if (second.outcome === 'full' && answers.every(Boolean)) {
          this.#held.delete(connectionId)
          return 'full'
        }
      }
    } catch (error) {
      log.error('A seat could not be counted.', { errorName: nameOf(error) })
    }
    // It may have been taken although nobody said so in time.
    this.leave(connectionId)
    return 'unknown'
  }

  /** The connection is ending: its seat is free. */
  leave(connectionId: string): void {
    const seat = this.#held.get(connectionId)
    if (!seat) return
    this.#held.delete(connectionId)
    this.#leaving.set(connectionId, seat.accountId)
    void this.#giveBackLeft()
  }

  /** Whether this gateway has said lately that it runs, so that its seats count. */
  isCounted(): boolean {
    const { clock, limits } = this.#parts
    return clock.elapsed() - this.#countedAt < limits.seatLeaseMs
  }

  /** Frees all that is left and says that this gateway is gone. */
  async close(): Promise<void> {
    const { gateway, accounts, clock, log, limits } = this.#parts
    this.#isClosed = true
    this.#cancelBeat()
    this.#cancelRetry?.()
    this.#stopAnswering()
    await withTimeout(accounts.forgetGateway(gateway.id), clock, limits.closeGraceMs).catch(() => {
      log.warn('This gateway could not report that it is stopping; its seats are freed in a few seconds.')
    })
  }

  #inTime<Answer>(asked: Promise<Answer>): Promise<Answer> {
    return withTimeout(asked, this.#parts.clock, this.#parts.limits.authorizeTimeoutMs)
  }

  /** Says that this gateway runs, again and again: a question that is lost leaves time for another before the lease ends. */
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
    if (!this.#isClosed) this.#cancelBeat = clock.after(restMs, () => void this.#beat())
  }

  async #say(): Promise<void> {
    const { gateway, accounts, clock, limits } = this.#parts
    const at = clock.elapsed()
    const { wasAway } = await withTimeout(accounts.noteGateway(gateway), clock, limits.seatAnswerMs)
    // The answer that said so may have come too late to be heard.
    if (wasAway || !this.isCounted()) {
      this.#countedAt = Number.NEGATIVE_INFINITY
      await this.#restore()
    }
    this.#countedAt = at
  }

  /** Says again which seats are taken, and hears of those that were given to others meanwhile. */
  async #restore(): Promise<void> {
    const { gateway, accounts, log, seats } = this.#parts
    const taken = [...this.#held].filter(([, { isTaken }]) => isTaken)
    if (taken.length === 0) return
    log.warn('This gateway could not report in time that it is running; its seats are counted again.', {
      connections: taken.length,
    })
    const rows = taken.map(([connectionId, { accountId }]) => ({
      ...{ connectionId, accountId, gatewayId: gateway.id },
    }))
    await this.#freeEmpty(await this.#inTime(accounts.listSeats(gateway.id)))
    const totals = await this.#inTime(accounts.restoreSeats(gateway.id, rows))
    for (const [accountId, total] of totals) seats.counted(accountId, total)
  }

  /** Gives back what was left up to now. */
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
   * Of these seats those on which nobody sits: what timed out may have been done later. They are named one by one, as a
   * seat that is being taken just now must stay.
   */
  async #freeEmpty(connectionIds: readonly string[]): Promise<void> {
    await this.#inTime(this.#giveBackLeft())
    const empty = connectionIds.filter((id) => !this.#held.has(id) && !this.#leaving.has(id))
    if (empty.length > 0) await this.#inTime(this.#parts.seats.giveBack(NOBODY, empty))
  }

  /** Ends what is dead, and gives back every seat on which nobody sits. */
  async #look(accountId: string): Promise<number> {
    const { gateway, accounts, seats } = this.#parts
    const open = await seats.probe(accountId)
    await this.#freeEmpty(await this.#inTime(accounts.listSeats(gateway.id, accountId)))
    return open
  }

  /** Whether the gateway said what it holds. */
  async #ask(gatewayId: string, accountId: string): Promise<boolean> {
    const { gateway, bus, log, limits } = this.#parts
    try {
      if (gatewayId === gateway.id) await this.#look(accountId)
      else {
        const body = { accountId } satisfies OfAccount
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
