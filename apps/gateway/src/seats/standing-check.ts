import type { AccountStanding, Accounts } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, withTimeout } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import type { Seat } from './seat.ts'

/** What the check needs. */
type StandingCheckParts = Readonly<{
  accounts: Pick<Accounts, 'readStandings'>
  /** The seats with connections. */
  seats(): readonly Seat[]
  /** Called with the current standing of each; undefined if the account is gone. */
  found(seat: Seat, standing: AccountStanding | undefined): void
  clock: Clock
  limits: Pick<GatewayLimits, 'authorizeTimeoutMs' | 'standingsEveryMs'>
  log: Log
}>

/** Checks periodically whether connected accounts still have the same key and plan. */
export class StandingCheck {
  readonly #parts: StandingCheckParts
  #cancel: (() => void) | undefined
  /** Whether the last check failed: logged once, not at every attempt. */
  #isAway = false
  #isClosed = false

  /** A check that sleeps. */
  constructor(parts: StandingCheckParts) {
    this.#parts = parts
  }

  /** A client is connected: checks until none is. */
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
      // No connection ends because the database is unavailable.
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
      // Unless it was read again in the meantime, more recently than this.
      if (!this.#isClosed && seat.standing === standing) found(seat, standings.get(seat.accountId))
    }
  }
}
