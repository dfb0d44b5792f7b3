import type { AccountStanding, Accounts } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, withTimeout } from '@pairwire/process'
import type { GatewayLimits } from './limits.ts'
import type { Seat } from './seat.ts'

/** Looks by itself, from time to time, whether connected accounts still have the key and the plan that they had. */
type StandingCheck = Readonly<{
  /** Somebody is connected: it goes on until nobody is. */
  wake(): void
  close(): void
}>

/** What {@link createStandingCheck} needs. */
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

/** Makes the check, which sleeps. */
export function createStandingCheck(parts: StandingCheckParts): StandingCheck {
  const { accounts, found, clock, limits, log } = parts
  let cancel: (() => void) | undefined
  /** Whether the check before failed: said once, not at every try. */
  let isAway = false
  let isClosed = false

  const wake = () => {
    if (!isClosed) cancel ??= clock.after(limits.standingsEveryMs, () => void check())
  }

  const check = async () => {
    const seats = parts.seats()
    if (seats.length > 0) {
      try {
        const asked = seats.map((seat) => ({ seat, standing: seat.standing }))
        const ids = seats.map(({ accountId }) => accountId)
        const standings = await withTimeout(accounts.readStandings(ids), clock, limits.authorizeTimeoutMs)
        isAway = false
        for (const { seat, standing } of asked) {
          // Read anew meanwhile, and so later than this.
          if (!isClosed && seat.standing === standing) found(seat, standings.get(seat.accountId))
        }
      } catch (error) {
        // Nobody is thrown out because the database is away.
        if (!isAway)
          log.warn('Keys and plans of the connected accounts could not be checked again.', {
            errorName: nameOf(error),
          })
        isAway = true
      }
    }
    cancel = undefined
    if (parts.seats().length > 0) wake()
  }

  return {
    wake,
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
