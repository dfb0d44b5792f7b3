import { AppError, HOUR_MS } from '@pairwire/contract'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import type { Queries } from '../database/open-database.ts'
import { operators } from '../database/operator-tables.ts'
import type { Store } from '../store.ts'

/** An operator's row. */
export type OperatorRow = typeof operators.$inferSelect

/** A new secret of codes: base32 text, and the address that an authenticator app takes, as a link or a QR code. */
export type NewCode = Readonly<{ secret: string; uri: string }>

/** Whether a code was right, or whether so many were wrong that none is looked at any more. */
export type CodeOutcome = 'right' | 'wrong' | 'closed'

/** Seconds for which a code stands in the app. */
const STEP_SECONDS = 30

/** Bytes of a secret: as long as the hash, which RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20

/** Wrong codes in an hour after which an operator's sign-in is closed for the rest of it. */
const MOST_WRONG = 10

/** The codes of a secret. @see RFC 6238 */
function codesOf(secret: Secret, email: string): TOTP {
  return new TOTP({ issuer: 'Pairwire', label: email, secret, period: STEP_SECONDS })
}

/** A new secret for the operator, to show once, and as it is kept. */
export function createCode(
  { secrets }: Store,
  operatorId: string,
  email: string,
): NewCode & Readonly<{ sealed: string }> {
  const codes = codesOf(new Secret({ size: SECRET_BYTES }), email)
  const secret = codes.secret.base32
  return { secret, uri: codes.toString(), sealed: secrets.codes.seal(secret, operatorId) }
}

/** Locks the operator's row until the transaction ends. @throws ERR_LOGIN_REQUIRED when it is gone */
export async function lockOperator(queries: Queries, operatorId: string): Promise<OperatorRow> {
  const [operator] = await queries.select().from(operators).where(eq(operators.id, operatorId)).for('update')
  if (!operator) throw new AppError('ERR_LOGIN_REQUIRED')
  return operator
}

/**
 * Uses a code of an operator whose row is locked: that of this step or the one before, each once. Counts a wrong one.
 * `closesNow` says that it was the one after which the sign-in is closed. The caller commits, whatever the outcome.
 */
export async function useCode(
  store: Store,
  queries: Queries,
  operator: OperatorRow,
  code: string,
): Promise<Readonly<{ outcome: CodeOutcome; closesNow: boolean }>> {
  const { id, email, codeSealed, lastStep, wrongSince } = operator
  const now = store.now()
  const sinceMs = wrongSince ? now.getTime() - wrongSince.getTime() : HOUR_MS
  // A clock that was set back must lock nobody out.
  const isSameHour = sinceMs >= 0 && sinceMs < HOUR_MS
  const before = isSameHour ? operator.wrongCodes : 0
  if (before >= MOST_WRONG) return { outcome: 'closed', closesNow: false }

  const codes = codesOf(Secret.fromBase32(store.secrets.codes.open(codeSealed, id)), email)
  const step = Math.floor(now.getTime() / 1_000 / STEP_SECONDS)
  const used = [step, step - 1].find(
    (at) =>
      // A step far ahead is of a clock that was set back since; another process's may be a moment ahead.
      (at > lastStep || lastStep > step + 1) &&
      codes.validate({ token: code, timestamp: at * STEP_SECONDS * 1_000, window: 0 }) !== null,
  )
  if (used !== undefined) {
    await queries.update(operators).set({ lastStep: used }).where(eq(operators.id, id))
    return { outcome: 'right', closesNow: false }
  }
  const wrongCodes = before + 1
  await queries
    .update(operators)
    .set({ wrongCodes, wrongSince: isSameHour ? wrongSince : now })
    .where(eq(operators.id, id))
  const isLast = wrongCodes >= MOST_WRONG
  return { outcome: isLast ? 'closed' : 'wrong', closesNow: isLast }
}
