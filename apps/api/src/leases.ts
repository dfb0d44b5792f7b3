import { randomUUID } from 'node:crypto'
import type { Accounts, LeasedWork } from '@pairwire/accounts'

/** Work that one process of a deployment does at a time. */
export type Leases = Readonly<{
  /** Does the work unless another process has the lease; the holder keeps it as long as it keeps asking. */
  have(work: LeasedWork, action: () => Promise<void>): Promise<void>
  /** Frees all leases at once. */
  free(): Promise<void>
}>

/** Milliseconds for which work is this process's after it asked: two of the pauses in which loops look. */
const LEASE_MS = 60_000

/** Makes the leases of one process, under a name that it takes at each start. */
export function createLeases(accounts: Pick<Accounts, 'takeLease' | 'freeLease'>): Leases {
  const owner = randomUUID()
  const taken = new Set<LeasedWork>()
  return {
    async have(work, action) {
      if (!(await accounts.takeLease(work, owner, LEASE_MS))) return
      taken.add(work)
      await action()
    },
    async free() {
      await Promise.all([...taken].map((work) => accounts.freeLease(work, owner)))
    },
  }
}
