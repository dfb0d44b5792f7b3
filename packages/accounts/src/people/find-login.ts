import { AppError } from '@pairwire/contract'
import { and, eq, gt } from 'drizzle-orm'
import { loginTokens } from '../database/schema.ts'
import type { Store } from '../store.ts'
import { findEmail } from './find-email.ts'

/** Whether a mailed link is recent enough to work, used or not. @throws ERR_LOGIN_REQUIRED for an unknown email */
export async function findLogin({ db, now }: Store, email: string): Promise<{ hasFreshLink: boolean }> {
  const found = await findEmail(db, email)
  if (!found) throw new AppError('ERR_LOGIN_REQUIRED')
  const [fresh] = await db
    .select({ expiresAt: loginTokens.expiresAt })
    .from(loginTokens)
    .where(and(eq(loginTokens.accountId, found.accountId), gt(loginTokens.expiresAt, now())))
    .limit(1)
  return { hasFreshLink: fresh !== undefined }
}
