import { usedCaptchas } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** Marks a captcha challenge as used until it expires: of any number of simultaneous uses one gets true. */
export async function useCaptcha(
  { db, secrets }: Store,
  signature: string,
  expiresAt: Date,
): Promise<boolean> {
  const first = await db
    .insert(usedCaptchas)
    .values({ signatureHash: secrets.hashCaptcha(signature), expiresAt })
    .onConflictDoNothing()
    .returning({ signatureHash: usedCaptchas.signatureHash })
  return first.length > 0
}
