import { sql } from 'drizzle-orm'
import { isAccountId } from '../database/account-id.ts'
import { accounts, subscriptions } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { isInForce, type PlanInForce, type RunningSubscription, toPlansInForce } from './plan-in-force.ts'

/** Ids of an account's current key and plan: a new key or plan has a new id. Neither reveals anything about the key. */
export type AccountStanding = Readonly<{ key: string; plan: string }>

/** Characters of the keyed hash that distinguish the keys of an account. */
const KEY_NAME_LENGTH = 16

/** Accounts per query: a thousand at once would delay the stream. */
const ACCOUNTS_PER_QUESTION = 100

/** An account with one of its subscriptions in force, as JSON: times are texts, and all are null if it has none. */
type Found = Readonly<{ accountId: string; keyHash: string; isSuspended: boolean }> &
  (
    | Readonly<{ id: null }>
    | (Omit<RunningSubscription, 'startedAt' | 'endsAt'> &
        Readonly<{ startedAt: string; endsAt: string | null }>)
  )

/**
 * Reads the current key and plan of these accounts, by account; deleted ones are omitted. A gateway calls it for all of its
 * accounts at once, to find those that it must read again.
 */
export async function readStandings(
  store: Store,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, AccountStanding>> {
  const standings = new Map<string, AccountStanding>()
  const wanted = accountIds.filter(isAccountId)
  for (let at = 0; at < wanted.length; at += ACCOUNTS_PER_QUESTION) {
    const byAccount = new Map<string, Found[]>()
    for (const found of await find(store, wanted.slice(at, at + ACCOUNTS_PER_QUESTION))) {
      const own = byAccount.get(found.accountId)
      if (own) own.push(found)
      else byAccount.set(found.accountId, [found])
    }
    for (const [accountId, own] of byAccount) {
      const [active] = toPlansInForce(own.flatMap(toSubscription))
      const { keyHash, isSuspended } = own[0]!
      const standing = standingOf(keyHash, active)
      // Not the plan that it was: the gateway reads the account again, and learns why.
      standings.set(accountId, isSuspended ? { ...standing, plan: 'suspended' } : standing)
    }
  }
  return standings
}

/** Sends and reads one text each, which the runtime parses natively: row by row it blocked the event loop. */
async function find({ db, now }: Store, accountIds: readonly string[]): Promise<readonly Found[]> {
  const { rows } = await db.execute<{ found: Found[] | null }>(sql`
    select json_agg(json_build_object(
      'accountId', ${accounts.id}, 'keyHash', ${accounts.keyHash},
      'isSuspended', ${accounts.suspendedAt} is not null, 'id', ${subscriptions.id},
      'kind', ${subscriptions.kind}, 'planId', ${subscriptions.planId},
      'connectionLimit', ${subscriptions.connectionLimit},
      'startedAt', ${subscriptions.startedAt}, 'endsAt', ${subscriptions.endsAt}
    )) as found
    from ${accounts}
    left join ${subscriptions} on ${subscriptions.accountId} = ${accounts.id} and ${isInForce(now())}
    where ${accounts.id} = any(string_to_array(${accountIds.join(',')}, ',')::uuid[])
  `)
  return rows[0]?.found ?? []
}

function toSubscription(found: Found): RunningSubscription[] {
  if (found.id === null) return []
  const { startedAt, endsAt } = found
  return [{ ...found, startedAt: new Date(startedAt), endsAt: endsAt === null ? null : new Date(endsAt) }]
}

/** The standing of an account with this key's hash and this plan. */
export function standingOf(
  keyHash: string,
  active: Pick<PlanInForce, 'id' | 'plan' | 'connectionLimit' | 'endsAt'> | undefined,
): AccountStanding {
  const plan = active
    ? [active.id, active.plan.id, active.connectionLimit, active.endsAt?.getTime() ?? 'open'].join(' ')
    : 'none'
  return { key: keyHash.slice(0, KEY_NAME_LENGTH), plan }
}
