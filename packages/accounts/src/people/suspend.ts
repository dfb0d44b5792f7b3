import { AppError, CLOSE_REASONS } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import type { Queries } from '../database/open-database.ts'
import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { type FoundAccount, findAccount, lockWho } from './find-who.ts'

/** Why an account is suspended: `reason` for operators, `message` for its owner. */
type Suspension = Readonly<{ reason: string; message?: string | undefined }>

/** Suspends an account, or changes why it is. @throws ERR_NOT_FOUND */
export function suspend(store: Store, who: string, why: Suspension, by: Actor): Promise<FoundAccount> {
  return change(store, who, why, by)
}

/** Frees a suspended account again. @throws ERR_NOT_FOUND */
export function unsuspend(store: Store, who: string, by: Actor): Promise<FoundAccount> {
  return change(store, who, undefined, by)
}

async function change(
  store: Store,
  who: string,
  why: Suspension | undefined,
  by: Actor,
): Promise<FoundAccount> {
  const accountId = await withAct(store, by, async (tx, note) => {
    const { accountId } = await lockWho(store, tx, who)
    const isOfAccount = eq(accounts.id, accountId)
    const [before] = await tx.select({ at: accounts.suspendedAt }).from(accounts).where(isOfAccount)
    const since = before?.at ?? null
    if (since === null && !why) return accountId
    await tx
      .update(accounts)
      .set({
        suspendedAt: why ? (since ?? store.now()) : null,
        suspensionReason: why?.reason ?? null,
        suspensionMessage: why?.message ?? null,
      })
      .where(isOfAccount)
    note({ accountId, reason: why?.reason, changes: { suspended: [since !== null, why !== undefined] } })
    return accountId
  })
  return findAccount(store, accountId)
}

/** Refuses what a suspended account may not do. @returns whether the account is there @throws ACCOUNT_SUSPENDED */
export async function insistNotSuspended(queries: Queries, accountId: string): Promise<boolean> {
  const [account] = await queries
    .select({ at: accounts.suspendedAt })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account?.at) throw new AppError('ACCOUNT_SUSPENDED', CLOSE_REASONS.accountSuspended.sentence)
  return account !== undefined
}

/** The same, for a signed-in account. */
export async function checkNotSuspended({ db }: Store, accountId: string): Promise<void> {
  await insistNotSuspended(db, accountId)
}
