import { and, eq, inArray } from 'drizzle-orm'
import { isAccountId } from './account-id.ts'
import type { AccountStanding } from './accounts.ts'
import { isInForce, type PlanInForce, toPlansInForce } from './plan-in-force.ts'
import { accounts, subscriptions } from './schema.ts'
import type { Store } from './store.ts'

/** Characters of the keyed hash that tell one key of an account from the next. */
const KEY_NAME_LENGTH = 16

/** Accounts in one question to the database: the rows of a thousand would hold up the stream for 20 ms. */
const ACCOUNTS_PER_QUESTION = 100

/** See `Accounts.readStandings`. */
export async function readStandings(
  { db, now: readClock }: Store,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, AccountStanding>> {
  const standings = new Map<string, AccountStanding>()
  const wanted = accountIds.filter(isAccountId)
  for (let at = 0; at < wanted.length; at += ACCOUNTS_PER_QUESTION) {
    const rows = await db
      .select({ accountId: accounts.id, keyHash: accounts.keyHash, subscription: subscriptions })
      .from(accounts)
      .leftJoin(subscriptions, and(eq(subscriptions.accountId, accounts.id), isInForce(readClock())))
      .where(inArray(accounts.id, wanted.slice(at, at + ACCOUNTS_PER_QUESTION)))
    const byAccount = new Map<string, typeof rows>()
    for (const row of rows) byAccount.set(row.accountId, [...(byAccount.get(row.accountId) ?? []), row])
    for (const [accountId, own] of byAccount) {
      const [active] = toPlansInForce(own.flatMap(({ subscription }) => subscription ?? []))
      standings.set(accountId, standingOf(own[0]!.keyHash, active))
    }
  }
  return standings
}

/** The standing of an account with this key's hash and this plan. */
export function standingOf(keyHash: string, active: PlanInForce | undefined): AccountStanding {
  const plan = active
    ? [active.id, active.plan.id, active.connectionLimit, active.endsAt?.getTime() ?? 'open'].join(' ')
    : 'none'
  return { key: keyHash.slice(0, KEY_NAME_LENGTH), plan }
}
