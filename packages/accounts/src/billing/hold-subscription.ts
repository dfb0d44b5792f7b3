import { sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import type { ProviderSubscription } from './billing-event.ts'

/**
 * Locks a subscription until the transaction ends, so that its reports are applied one after another, even
 * while its account is unknown.
 */
export async function holdSubscription(
  queries: Queries,
  { provider, subscriptionId }: ProviderSubscription,
): Promise<void> {
  await queries.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subscriptionId}`}, 0))`,
  )
}
