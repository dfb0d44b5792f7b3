import { randomBytes } from 'node:crypto'
import { HOUR_MS } from '@pairwire/contract'
import { and, eq, gt, isNotNull } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { operatorLinks } from '../database/operator-tables.ts'
import { OPERATOR_LINK_MS, queueOperatorMail } from '../mails/queue-mail.ts'
import { commit, type Store } from '../store.ts'
import { lockOperator, type OperatorRow } from './operator-codes.ts'

/** Mailed links of one operator in an hour; more are not sent. */
const MOST_LINKS = 5

/** Where a sign-in comes from, and the address of the room, for the mails about it. */
export type SignInPlace = Readonly<{ address: string; roomUrl: string }>

/**
 * Mails an operator a link that works in the browser with this cookie; nothing beyond {@link MOST_LINKS}.
 *
 * @throws ERR_LOGIN_REQUIRED when the operator is gone
 */
export async function mailOperatorLink(
  store: Store,
  { id }: Pick<OperatorRow, 'id'>,
  { browser, address, roomUrl }: SignInPlace & Readonly<{ browser: string }>,
): Promise<void> {
  await commit(store, async (tx) => {
    const operator = await lockOperator(tx, id)
    const hourAgo = new Date(store.now().getTime() - HOUR_MS)
    const isRecent = and(
      eq(operatorLinks.operatorId, id),
      isNotNull(operatorLinks.browserHash),
      gt(operatorLinks.createdAt, hourAgo),
    )
    if ((await tx.$count(operatorLinks, isRecent)) >= MOST_LINKS) return

    const token = await insertOperatorLink(store, tx, id, store.secrets.hashToken(browser))
    const link = operatorLinkOf(roomUrl, token)
    await queueOperatorMail(store, tx, operator.email, { template: 'operator_link', link, address })
  })
}

/** The link with this token. */
export function operatorLinkOf(roomUrl: string, token: string): string {
  return `${roomUrl}/sign-in?t=${token}`
}

/** A new link of the operator, kept as a hash. @returns its token */
export async function insertOperatorLink(
  store: Store,
  queries: Queries,
  operatorId: string,
  browserHash: string | null,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = store.now()
  await queries.insert(operatorLinks).values({
    ...{ tokenHash: store.secrets.hashToken(token), operatorId, browserHash, createdAt },
    expiresAt: new Date(createdAt.getTime() + OPERATOR_LINK_MS),
  })
  return token
}
