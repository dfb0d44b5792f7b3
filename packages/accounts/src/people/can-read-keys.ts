import { accounts } from '../database/schema.ts'
import type { Store } from '../store.ts'

/**
 * Returns whether the API keys in the store can be read with the secrets: false if the secrets were changed. All keys are
 * sealed with one secret, so one key is enough to check.
 */
export async function canReadKeys({ db, secrets }: Store): Promise<boolean> {
  const [row] = await db.select({ id: accounts.id, keySealed: accounts.keySealed }).from(accounts).limit(1)
  try {
    if (row) secrets.keys.open(row.keySealed, row.id)
    return true
  } catch {
    return false
  }
}
