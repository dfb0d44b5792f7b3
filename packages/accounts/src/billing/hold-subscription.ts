import { sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import type { ProviderSubscription } from './billing-event.ts'

/**
 * Holds a subscription until the transaction ends, so that what is reported of it is taken one after another, also
 * while nobody knows whose it is.
 */
export async function holdSubscription(
  queries: Queries,
  { provider, subscriptionId }: ProviderSubscription,
): Promise<void> {
  await queries.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subscriptionId}`}, 0))`,
  )
}
