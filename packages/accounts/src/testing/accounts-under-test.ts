import { randomUUID } from 'node:crypto'
import type { AppError, ErrorType } from '@pairwire/contract'
import { eq, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Accounts } from '../create-accounts.ts'
import { type AccountsParts, createAccounts } from '../create-accounts.ts'
import type { Database } from '../database/open-database.ts'
import { accounts as accountRows, subscriptions } from '../database/schema.ts'
import type { ConnectionNote } from '../seats/stream-connections.ts'
import { createSecrets } from '../secrets.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS

/** Noon, so that UTC days and moments cannot be confused unnoticed. */
export const START = Date.UTC(2026, 0, 31, 12)

/** Accounts over a real database, with a clock for the test, and what their tests have in common. */
export type AccountsUnderTest = Readonly<{
  accounts: Accounts
  db: Database['db']
  /** The parts of `accounts`, for a second instance beside it. */
  parts: AccountsParts
  clock: { now: number }
  register(email?: string): ReturnType<Accounts['register']>
  /** A registered and signed-in person. */
  aPerson(email?: string): Promise<{ accountId: string; key: string }>
  /** A subscription as a payment provider's part would write it. */
  aPaidPlan(accountId: string, over?: Partial<typeof subscriptions.$inferInsert>): Promise<void>
  /** Empties the database and sets the clock to {@link START}. */
  reset(): Promise<void>
}>

/** Tables that a test may have written to; deleting is faster than truncating tables this small. */
const TABLES = [
  'acts',
  'alarms',
  'accounts',
  'orders',
  'order_events',
  'billing_events',
  'former_people',
  'used_trials',
  'delivered_counts',
  'delivered_days',
  'counted_batches',
  'stream_connections',
  'refused_upgrades',
  'status_items',
  'used_captchas',
  'leases',
  'gateways',
  'operators',
  'operator_tokens',
  'mails',
]

/** Accounts over `database`. */
export function createAccountsUnderTest({ db, barrier }: Database): AccountsUnderTest {
  const clock = { now: START }
  const parts: AccountsParts = {
    db,
    barrier,
    clock: () => clock.now,
    secrets: { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) },
  }
  const accounts = createAccounts(parts)
  const { keys } = createSecrets(parts.secrets)
  const { id, keySealed } = accountRows
  const register = (email = 'ann@example.org') =>
    accounts.register({ email, origin: 'friend', enableMarketingEmails: false })

  return {
    accounts,
    db,
    parts,
    clock,
    register,
    aPerson: async (email) => {
      const { token } = await register(email)
      const { accountId } = await accounts.exchangeLoginToken(token)
      // Not by the verb that reads the whole account: hundreds of tests begin here, and few need the key.
      const [row] = await db.select({ sealed: keySealed }).from(accountRows).where(eq(id, accountId))
      return { accountId, key: keys.open(row!.sealed, accountId) }
    },
    aPaidPlan: async (accountId, over = {}) => {
      await db.insert(subscriptions).values({
        id: accountId,
        accountId,
        kind: 'paid',
        planId: 2,
        startedAt: new Date(clock.now),
        endsAt: new Date(clock.now + 30 * DAY_MS),
        ...over,
      })
    },
    reset: async () => {
      clock.now = START
      await db.execute(sql.raw(TABLES.map((table) => `delete from ${table}`).join(';')))
    },
  }
}

/** A record of a connection that is open since {@link START}. */
export function aConnection(accountId: string, over: Partial<ConnectionNote> = {}): ConnectionNote {
  return {
    id: randomUUID(),
    accountId,
    address: '192.0.2.7',
    client: 'Go-http-client/1.1',
    openedAt: new Date(START),
    seenAt: new Date(START),
    closedAt: null,
    ended: null,
    sentEvents: 0,
    faults: {},
    ...over,
  }
}

/** Expects that `action` is refused with `errorType`. */
export async function expectRefusal(errorType: ErrorType, action: Promise<unknown>): Promise<void> {
  await expect(action).rejects.toMatchObject({ name: 'AppError', errorType })
}

/** How many of several simultaneous calls succeeded. */
export function winners(results: readonly PromiseSettledResult<unknown>[]): number {
  return results.filter(({ status }) => status === 'fulfilled').length
}

/** The error types of the refused calls. */
export function refusals(results: readonly PromiseSettledResult<unknown>[]): Set<ErrorType> {
  return new Set(
    results.flatMap((result) => (result.status === 'rejected' ? (result.reason as AppError).errorType : [])),
  )
}
