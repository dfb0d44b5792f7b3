import type { AccountStanding, Accounts } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, withTimeout } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import type { Seat } from './seat.ts'

/** What the check needs. */
type StandingCheckParts = Readonly<{
  accounts: Pick<Accounts, 'readStandings'>
  /** Those with connections. */
  seats(): readonly Seat[]
  /** Told what each of them has now; undefined of an account that is gone. */
  found(seat: Seat, standing: AccountStanding | undefined): void
  clock: Clock
  limits: Pick<GatewayLimits, 'authorizeTimeoutMs' | 'standingsEveryMs'>
  log: Log
}>

/** Looks by itself, from time to time, whether connected accounts still have the key and the plan that they had. */
export class StandingCheck {
  readonly #parts: StandingCheckParts
  #cancel: (() => void) | undefined
  /** Whether the check before failed: said once, not at every try. */
  #isAway = false
  #isClosed = false

  /** A check that sleeps. */
  constructor(parts: StandingCheckParts) {
    this.#parts = parts
  }

  /** Somebody is connected: it goes on until nobody is. */
  wake(): void {
    const { clock, limits } = this.#parts
    if (!this.#isClosed) this.#cancel ??= clock.after(limits.standingsEveryMs, () => void this.#check())
  }

  close(): void {
    this.#isClosed = true
    this.#cancel?.()
  }

  async #check(): Promise<void> {
    const { seats, log } = this.#parts
    try {
      await this.#compare(seats())
      this.#isAway = false
    } catch (error) {
      // Nobody is thrown out because the database is away.
      if (!this.#isAway)
        log.warn('Keys and plans of the connected accounts could not be checked again.', {
          errorName: nameOf(error),
        })
      this.#isAway = true
    }
    this.#cancel = undefined
    if (seats().length > 0) this.wake()
  }

  async #compare(seats: readonly Seat[]): Promise<void> {
    const { accounts, found, clock, limits } = this.#parts
    if (seats.length === 0) return
    const asked = seats.map((seat) => ({ seat, standing: seat.standing }))
    const ids = seats.map(({ accountId }) => accountId)
    const standings = await withTimeout(accounts.readStandings(ids), clock, limits.authorizeTimeoutMs)
    for (const { seat, standing } of asked) {
      // Read anew meanwhile, and so later than this.
      if (!this.#isClosed && seat.standing === standing) found(seat, standings.get(seat.accountId))
    }
  }
}
