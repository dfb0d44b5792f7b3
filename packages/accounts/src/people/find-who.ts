import { type Account, AppError, isApiKey } from '@pairwire/contract'
import { eq, sql } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { lockAccount } from '../database/lock-account.ts'
import type { Queries } from '../database/open-database.ts'
import { accounts, billingEvents, orders, subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { findEmail } from './emails.ts'
import { readAccount } from './read-account.ts'

/**
 * Finds the account that an operator means: by its email, its id, its API key, or the payment provider's id of its customer,
 * subscription or transaction.
 *
 * @throws ERR_NOT_FOUND
 */
export async function requireWho(store: Store, queries: Queries, who: string): Promise<string> {
  const found = await findWho(store, queries, who.trim())
  if (found !== undefined) return found
  const means = who.includes('@') ? 'this email' : 'this id, API key or payment'
  throw new AppError('ERR_NOT_FOUND', `There is no account with ${means}.`)
}

/** The same, of the store itself. */
export function findWhoId(store: Store, who: string): Promise<string> {
  return requireWho(store, store.db, who)
}

/** Finds it for a change: locks its row until the transaction ends. @throws ERR_NOT_FOUND */
export async function lockWho(store: Store, tx: Queries, who: string) {
  const accountId = await requireWho(store, tx, who)
  return { accountId, ...(await lockAccount(tx, accountId)) }
}

/** An account with the id that the other verbs take. */
export type FoundAccount = { accountId: string; account: Account }

/** Finds an account by what an operator has of it, see `requireWho`. @throws ERR_NOT_FOUND */
export async function findAccount(store: Store, who: string): Promise<FoundAccount> {
  const accountId = await requireWho(store, store.db, who)
  const account = await readAccount(store, store.db, accountId)
  if (!account) throw new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
  return { accountId, account }
}

/** The id that {@link requireWho} finds; undefined if there is none. */
export async function findWho(
  { secrets }: Store,
  queries: Queries,
  who: string,
): Promise<string | undefined> {
  // PostgreSQL refuses a text with a NUL, and no account has one.
  if (who.includes('\0')) return undefined
  if (who.includes('@')) return (await findEmail(queries, who))?.accountId
  if (isAccountId(who) || isApiKey(who)) {
    const isWanted = isApiKey(who) ? eq(accounts.keyHash, secrets.hashKey(who)) : eq(accounts.id, who)
    const [found] = await queries.select({ accountId: accounts.id }).from(accounts).where(isWanted)
    return found?.accountId
  }
  const { rows } = await queries.execute<{ accountId: string }>(sql`
    select ${subscriptions.accountId} as "accountId" from ${subscriptions}
      where ${subscriptions.providerSubscriptionId} = ${who} or ${subscriptions.providerCustomerId} = ${who}
    union all select ${billingEvents.accountId} from ${billingEvents}
      where ${billingEvents.transactionId} = ${who} and ${billingEvents.accountId} is not null
    union all select ${orders.accountId} from ${orders}
      where ${orders.transactionId} = ${who} and ${orders.accountId} is not null
    limit 1`)
  return rows[0]?.accountId
}
