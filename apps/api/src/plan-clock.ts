import type { Accounts, PaidSubscription } from '@pairwire/accounts'
import type { ControlMessage } from '@pairwire/contract'
import type { Clock } from '@pairwire/process'
import type { Leases } from './leases.ts'

/** Ends plans on time. */
type PlanClock = Readonly<{
  /** Looks at once for what ended while nothing ran, and goes on from there. */
  start(): void
  /** Settles when nothing more is being done. */
  stop(): Promise<void>
}>

/** Milliseconds between two looks at most: ends that came meanwhile are later than that, or told by who set them. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds to the next look at a plan that is over while another process ends it. */
const LEAST_WAIT_MS = 100

/** Milliseconds before it is tried again when the database was away. */
const RETRY_MS = 1_000

/**
 * Notes trials and cancelled plans as ended at their moment and tells the gateways, also of what ended before the
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
}): PlanClock {
  const { accounts, leases, tell, renewals, clock, warn } = parts
  let stopped = false
  let callOff = () => {}
  let looking = Promise.resolve()

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
      warn('Plans could not be checked; trying again.', {
        error: error instanceof Error ? error.name : typeof error,
      })
      return RETRY_MS
    }
  }

  const run = () => {
    looking = look().then((waitMs) => {
      if (!stopped) callOff = clock.after(waitMs, run)
    })
  }

  return {
    start: run,
    async stop() {
      stopped = true
      callOff()
      await looking
    },
  }
}
