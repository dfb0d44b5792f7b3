import { randomUUID } from 'node:crypto'
import type { Accounts, LeasedWork } from '@pairwire/accounts'

/** Work that one process of a deployment does at a time. */
export type Leases = Readonly<{
  /** Does the work unless another process has the lease; the holder keeps it while it works and as long as it keeps calling. */
  have(work: LeasedWork, action: () => Promise<void>): Promise<void>
  /** Frees all leases at once. */
  free(): Promise<void>
}>

/** Milliseconds for which a lease lasts: two pauses between the checks of loops. */
const LEASE_MS = 60_000

/** Creates the leases of one process, under a name chosen at each start. */
export function createLeases(accounts: Pick<Accounts, 'takeLease' | 'freeLease'>): Leases {
  const owner = randomUUID()
  const taken = new Set<LeasedWork>()
  return {
    async have(work, action) {
      const take = () => accounts.takeLease(work, owner, LEASE_MS)
      if (!(await take())) return
      taken.add(work)
      const renewing = setInterval(() => void take().catch(() => {}), LEASE_MS / 3)
      await action().finally(() => clearInterval(renewing))
    },
    async free() {
      await Promise.all([...taken].map((work) => accounts.freeLease(work, owner)))
    },
  }
}
