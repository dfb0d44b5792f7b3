import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Accounts, createAccounts, openDatabase } from '@pairwire/accounts'
import { deriveKeySecrets } from '../../packages/process/src/secrets.ts'
import { root } from '../service.ts'

/** Settings of a deployment that its processes and a test beside them share. */
export const SECRET = 'a secret of thirty-two characters or more'

/** The accounts of a deployment, beside its own processes. */
export async function openStore(databaseUrl: string): Promise<{
  accounts: Accounts
  ask(query: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}> {
  const migrationsFolder = join(root, 'packages/accounts/migrations')
  const database = await openDatabase({ url: databaseUrl }, { migrationsFolder, log: { warn: () => {} } })
  const { db, barrier } = database
  const secrets = deriveKeySecrets(SECRET)
  return {
    accounts: createAccounts({ db, barrier, clock: Date.now, secrets }),
    ask: async (query) => (await db.execute(query)).rows,
    close: () => database.close(),
  }
}

/** Creates an account with a plan, by default Pro, and this many connections, like the operator. */
export async function createAccount(
  accounts: Accounts,
  connections: number,
  planId: 1 | 2 | 3 = 3,
): Promise<{ key: string; accountId: string; email: string }> {
  const email = `${randomUUID()}@example.org`
  const { accountId } = await accounts.createAccount(email)
  const { account } = await accounts.grantPlan(email, planId, connections)
  return { key: account.user.APIKey, accountId, email }
}

/** Milliseconds in which all gateways have written their counts: a write that hung is tried again. */
export const COUNTS_MS = 20_000

/** Waits for `least` swaps of an account to be counted, or for a time. @returns how many are counted */
export async function untilCounted(
  accounts: Accounts,
  accountId: string,
  least: () => number,
  until = performance.now() + COUNTS_MS,
): Promise<number> {
  for (;;) {
    // The database may be away.
    const usage = await accounts.getUsage(accountId).catch(() => [])
    const counted = usage.reduce((sum, { buys, sells }) => sum + buys + sells, 0)
    if (counted >= least() || performance.now() > until) return counted
    await wait(250)
  }
}
