import { randomUUID } from 'node:crypto'
import { AppError } from '@pairwire/contract'
import { asc, eq, max, sql } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import type { Queries } from '../database/open-database.ts'
import { operatorLinks, operatorSessions, operators } from '../database/operator-tables.ts'
import { normaliseEmail, readEmail } from '../people/emails.ts'
import type { Store } from '../store.ts'
import { createCode, type NewCode, type OperatorRow } from './operator-codes.ts'
import { insertOperatorLink } from './operator-links.ts'

/** An operator as others see them. */
export type Operator = Readonly<{ email: string; role: OperatorRow['role'] }>

/** Makes an operator with a secret of codes and a link that signs in. @throws ERR_CONFLICT, or ERR_VALIDATION for no email */
export async function addOperator(
  store: Store,
  email: string,
  role: OperatorRow['role'],
  by?: Actor,
): Promise<Operator & NewCode & Readonly<{ token: string }>> {
  const id = randomUUID()
  const typed = readEmail(email)
  const { sealed, ...code } = createCode(store, id, typed)
  const token = await withAct(store, by, async (tx, note) => {
    const added = await tx
      .insert(operators)
      .values({
        ...{ id, email: typed, emailNormalised: normaliseEmail(typed), role, codeSealed: sealed },
        createdAt: store.now(),
      })
      .onConflictDoNothing()
      .returning({ id: operators.id })
    if (added.length === 0)
      throw new AppError('ERR_CONFLICT', 'There is already an operator with this email.')
    note({ changes: { role: ['none', role] } })
    return insertOperatorLink(store, tx, id, null)
  })
  return { email: typed, role, ...code, token }
}

/** Gives an operator another secret of codes, and ends their sessions and links. @throws ERR_NOT_FOUND */
export async function resetOperatorCode(
  store: Store,
  email: string,
  by?: Actor,
): Promise<Operator & NewCode> {
  return withAct(store, by, async (tx, note) => {
    const { id, email: typed, role } = await lockByEmail(tx, email)
    const { sealed, ...code } = createCode(store, id, typed)
    note({})
    await tx
      .update(operators)
      .set({ codeSealed: sealed, lastStep: 0, wrongCodes: 0, wrongSince: null })
      .where(eq(operators.id, id))
    await tx.delete(operatorLinks).where(eq(operatorLinks.operatorId, id))
    await tx.update(operatorSessions).set({ endedAt: store.now() }).where(eq(operatorSessions.operatorId, id))
    return { email: typed, role, ...code }
  })
}

/** The token of a link that signs in from any browser. @throws ERR_NOT_FOUND */
export async function createOperatorLink(store: Store, email: string, by?: Actor): Promise<string> {
  return withAct(store, by, async (tx, note) => {
    const { id } = await lockByEmail(tx, email)
    note({})
    return insertOperatorLink(store, tx, id, null)
  })
}

/** All operators, the first one first, with the moment of their last sign-in. */
export async function listOperators({ db }: Store) {
  const { email, role, createdAt } = operators
  return db
    .select({ email, role, createdAt, lastSignInAt: max(operatorSessions.openedAt) })
    .from(operators)
    .leftJoin(operatorSessions, eq(operatorSessions.operatorId, operators.id))
    .groupBy(operators.id)
    .orderBy(asc(operators.createdAt))
}

/** Deletes an operator with their links and sessions. @throws ERR_NOT_FOUND */
export async function removeOperator(store: Store, email: string, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    const { id, role } = await lockByEmail(tx, email)
    note({ changes: { role: [role, 'none'] } })
    await tx.delete(operators).where(eq(operators.id, id))
  })
}

/** Locks the operator's row until the transaction ends: of two who change it, the second finds it as it is then. */
async function lockByEmail(tx: Queries, email: string): Promise<OperatorRow> {
  const [operator] = await tx.select().from(operators).where(isOf(email)).for('update')
  if (!operator) throw new AppError('ERR_NOT_FOUND', 'There is no operator with this email.')
  return operator
}

/** The operator with this email, in any spelling; undefined if there is none. */
export async function findOperatorByEmail({ db }: Store, email: string): Promise<OperatorRow | undefined> {
  return (await db.select().from(operators).where(isOf(email)))[0]
}

/** PostgreSQL refuses a text with a NUL, and no operator has one. */
const isOf = (email: string) =>
  email.includes('\0') ? sql`false` : eq(operators.emailNormalised, normaliseEmail(email))
