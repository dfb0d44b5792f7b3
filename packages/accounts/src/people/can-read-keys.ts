import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'

/**
 * Tells whether the API keys in the store can be read with the secrets: false when they were changed since. All keys are
 * sealed with one secret, so that any of them tells.
 */
export async function canReadKeys({ db, secrets }: Store): Promise<boolean> {
  const [row] = await db.select({ id: accounts.id, keySealed: accounts.keySealed }).from(accounts).limit(1)
  try {
    if (row) secrets.openKey(row.keySealed, row.id)
    return true
  } catch {
    return false
  }
}
