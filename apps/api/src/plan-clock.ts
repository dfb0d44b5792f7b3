import type { Accounts, PaidSubscription } from '@pairwire/accounts'
import { type Clock, type Looking, lookAgain, nameOf } from '@pairwire/basics'
import type { ControlMessage } from '@pairwire/contract'
import type { Leases } from './leases.ts'

/** Milliseconds between two looks at most: a new end is later than that, or announced by the process that set it. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds to the next look at a plan that is over while another process ends it. */
const LEAST_WAIT_MS = 100

/** Milliseconds until the next try when the database was away. */
const RETRY_MS = 1_000

/**
 * Records trials and cancelled plans as ended at their moment and tells the gateways, even if they ended before the
 * process began; where the payment provider is our own, has due plans renewed too.
 */
export function createPlanClock(parts: {
  accounts: Pick<Accounts, 'nextPlanEnd' | 'endDuePlans' | 'listDueRenewals'>
  /** Of several processes one does each kind of work. */
  leases: Pick<Leases, 'have'>
  tell(message: ControlMessage): Promise<void>
  /** Provider whose plans are renewed here, and how; undefined for providers that do it themselves. */
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
