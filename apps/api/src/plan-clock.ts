import type { Accounts, PaidSubscription } from '@pairwire/accounts'
import { type Clock, type Looking, lookAgain, nameOf } from '@pairwire/basics'
import type { ControlMessage } from '@pairwire/contract'
import type { Leases } from './leases.ts'

/** Most milliseconds between two checks: a new end is later than that, or announced by the process that set it. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds to the next check of an ended plan while another process ends it. */
const LEAST_WAIT_MS = 100

/** Milliseconds until the next attempt after the database was away. */
const RETRY_MS = 1_000

/**
 * Marks trials and cancelled plans as ended on time and tells the gateways, even if they ended before the process started;
 * also renews due plans if the payment provider is the built-in one.
 */
export function createPlanClock(parts: {
  accounts: Pick<Accounts, 'nextPlanEnd' | 'endDuePlans' | 'listDueRenewals'>
  /** Of several processes one does each kind of work. */
  leases: Pick<Leases, 'have'>
  tell(message: ControlMessage): Promise<void>
  /** The provider whose plans are renewed here, and how; undefined for providers that renew by themselves. */
  renewals: Readonly<{ provider: string; renew(subscription: PaidSubscription): Promise<void> }> | undefined
  clock: Pick<Clock, 'now' | 'after'>
  warn(sentence: string, fields: Readonly<Record<string, unknown>>): void
}): Looking {
  const { accounts, leases, tell, renewals, clock, warn } = parts

  const renewDue = async () => {
    if (!renewals) return
    for (const subscription of await accounts.listDueRenewals(renewals.provider)) {
      await renewals.renew(subscription)
    }
  }

  const look = async (): Promise<number> => {
    try {
      await leases.have('trials', async () => {
        for (const accountId of await accounts.endDuePlans()) await tell({ type: 'planChanged', accountId })
      })
      if (renewals) await leases.have('renewals', renewDue)
      const next = await accounts.nextPlanEnd()
      return next
        ? Math.min(Math.max(next.getTime() - clock.now(), LEAST_WAIT_MS), LOOK_EVERY_MS)
        : LOOK_EVERY_MS
    } catch (error) {
      warn('Plans could not be checked; trying again.', { error: nameOf(error) })
      return RETRY_MS
    }
  }

  return lookAgain(clock, look)
}
