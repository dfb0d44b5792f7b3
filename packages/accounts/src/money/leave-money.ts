import { randomUUID } from 'node:crypto'
import { and, eq, lte } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { billingEvents, formerPeople, subscriptions } from '../database/schema.ts'

/** Milliseconds for which reports on payments of a deleted account are kept: ten years, as books are. */
const BOOKS_MS = 3_653 * 24 * 60 * 60_000

/**
 * Puts a random number in the account's place in its provider's reports, without payer and messages, and beside its trial, so
 * that no past figure changes. The caller locks the account, and deletes it in the same transaction.
 */
export async function leaveMoney(queries: Queries, accountId: string, leftAt: Date): Promise<void> {
  const [trial] = await queries
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.accountId, accountId), eq(subscriptions.kind, 'trial')))
  const ends = [trial?.endedAt, trial?.endsAt, trial && leftAt].flatMap((end) => end?.getTime() ?? [])
  const person = randomUUID()
  await queries.insert(formerPeople).values({
    person,
    leftAt,
    trialStartedAt: trial?.startedAt ?? null,
    trialEndedAt: trial ? new Date(Math.min(...ends)) : null,
  })
  const kept = await queries
    .update(billingEvents)
    .set({ accountId: null, person, customerId: null, raw: null })
    .where(eq(billingEvents.accountId, accountId))
    .returning({ id: billingEvents.id })
  if (!trial && kept.length === 0) await queries.delete(formerPeople).where(eq(formerPeople.person, person))
}

/** The moment before which somebody who left is forgotten for good. */
export function oldestInBooks(now: Date): Date {
  return new Date(now.getTime() - BOOKS_MS)
}

/** Deletes what is kept of accounts that were deleted ten years ago. */
export async function sweepFormerPeople(queries: Queries, now: Date): Promise<void> {
  // Their reports go with them.
  await queries.delete(formerPeople).where(lte(formerPeople.leftAt, oldestInBooks(now)))
}
