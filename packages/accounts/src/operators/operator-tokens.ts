import { randomBytes } from 'node:crypto'
import { AppError } from '@pairwire/contract'
import { asc, eq } from 'drizzle-orm'
import { type Actor, withAct } from '../acts/acts.ts'
import { operatorTokens } from '../database/operator-tables.ts'
import type { Store } from '../store.ts'

/** What a token of a program allows: the named verbs, or reading; from these addresses, or anywhere; until then, or for ever. */
export type OperatorToken = Readonly<
  Pick<typeof operatorTokens.$inferSelect, 'name' | 'verbs' | 'from' | 'until'>
>

/** Columns that are shown: not the hash. */
const SHOWN = {
  name: operatorTokens.name,
  verbs: operatorTokens.verbs,
  from: operatorTokens.from,
  until: operatorTokens.until,
}

/** Makes a token, which is kept as a hash. @returns it @throws ERR_CONFLICT for a name that another has; ERR_VALIDATION */
export async function addToken(store: Store, allowed: OperatorToken, by?: Actor): Promise<string> {
  if (allowed.until && allowed.until <= store.now())
    throw new AppError('ERR_VALIDATION', 'A token ends in the future.')
  const token = `pwo_${randomBytes(32).toString('base64url')}`
  await withAct(store, by, async (tx, note) => {
    const added = await tx
      .insert(operatorTokens)
      .values({ ...allowed, tokenHash: store.secrets.hashToken(token), createdAt: store.now() })
      .onConflictDoNothing()
      .returning({ name: operatorTokens.name })
    if (added.length === 0) throw new AppError('ERR_CONFLICT', 'There is already a token with this name.')
    note({ changes: { token: [null, allowed.name], verbs: allowed.verbs } })
  })
  return token
}

/** All tokens, by name, with those that have expired. */
export function listTokens({ db }: Store): Promise<(OperatorToken & Readonly<{ createdAt: Date }>)[]> {
  const columns = { ...SHOWN, createdAt: operatorTokens.createdAt }
  return db.select(columns).from(operatorTokens).orderBy(asc(operatorTokens.name))
}

/** What a token allows; undefined for none, or one that has expired. */
export async function findToken(store: Store, token: string): Promise<OperatorToken | undefined> {
  const [found] = await store.db
    .select(SHOWN)
    .from(operatorTokens)
    .where(eq(operatorTokens.tokenHash, store.secrets.hashToken(token)))
  return found && (found.until === null || found.until > store.now()) ? found : undefined
}

/** Removes a token. @throws ERR_NOT_FOUND */
export async function removeToken(store: Store, name: string, by?: Actor): Promise<void> {
  await withAct(store, by, async (tx, note) => {
    const removed = await tx
      .delete(operatorTokens)
      .where(eq(operatorTokens.name, name))
      .returning({ name: operatorTokens.name })
    if (removed.length === 0) throw new AppError('ERR_NOT_FOUND', 'There is no token with this name.')
    note({ changes: { token: [name, null] } })
  })
}
