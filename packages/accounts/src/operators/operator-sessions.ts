import { randomBytes, randomUUID } from 'node:crypto'
import { AppError } from '@pairwire/contract'
import { and, desc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import { type ActNote, type Actor, withAct } from '../acts/acts.ts'
import type { Queries } from '../database/open-database.ts'
import { operatorLinks, operatorSessions, operators } from '../database/operator-tables.ts'
import { queueOperatorMail } from '../mails/queue-mail.ts'
import type { Store } from '../store.ts'
import { type CodeOutcome, lockOperator, type OperatorRow, useCode } from './operator-codes.ts'
import type { SignInPlace } from './operator-links.ts'
import type { Operator } from './operators.ts'

/** An operator's open session. */
export type OperatorSession = Operator &
  Readonly<{
    operatorId: string
    sessionId: string
    /** Before this moment grave verbs are allowed. */
    confirmedUntil: Date
  }>

/** Milliseconds after which a session ends: without a request of a person, and in any case. */
const IDLE_MS = 30 * 60_000
const LONGEST_MS = 12 * 60 * 60_000

/** Milliseconds for which a code allows grave verbs. */
const CONFIRMED_MS = 5 * 60_000

/** Open sessions of one operator; the next one ends the oldest. */
const MOST_SESSIONS = 5

/** Wrong codes after which a link stops to work. */
const MOST_WRONG_OF_LINK = 5

/** Milliseconds for which an address counts as known, and ended sessions are kept. */
const KNOWN_MS = 30 * 24 * 60 * 60_000

/** Characters of a browser's name that are kept. */
const AGENT_MAX = 300

/** What a sign-in brings. `browser` is the cookie of the browser that asked for the link; empty for none. */
export type SignIn = SignInPlace & Readonly<{ token: string; code: string; browser: string; agent: string }>

/**
 * Signs an operator in by a link and a code, each once. A link that is not good uses no code; a wrong code counts against
 * the link and the operator.
 *
 * @returns the session and the token of its cookie, or why there is none, and whether the sign-in was closed just now
 */
export async function openOperatorSession(
  store: Store,
  signIn: SignIn,
): Promise<
  | Readonly<{ outcome: 'right'; operator: Operator; token: string }>
  | Readonly<{ outcome: Exclude<CodeOutcome, 'right'>; closesNow: boolean }>
> {
  const isGood = () =>
    and(
      eq(operatorLinks.tokenHash, store.secrets.hashToken(signIn.token)),
      gt(operatorLinks.expiresAt, store.now()),
      or(
        isNull(operatorLinks.browserHash),
        eq(operatorLinks.browserHash, store.secrets.hashToken(signIn.browser)),
      ),
    )
  const refused = { outcome: 'wrong', closesNow: false } as const
  const [found] = await store.db
    .select({ operatorId: operators.id, email: operators.email })
    .from(operatorLinks)
    .innerJoin(operators, eq(operators.id, operatorLinks.operatorId))
    .where(isGood())
  if (!found) return refused

  const by = actorOf(found.email, 'session open', signIn)
  return withAct(store, by, async (tx, note) => {
    // Of any number of attempts at the same time each waits for the one before.
    const operator = await lockOperator(tx, found.operatorId)
    const [link] = await tx.select().from(operatorLinks).where(isGood())
    if (!link) return refused

    const used = await enterCode(store, tx, operator, signIn, note)
    const wrongCodes = link.wrongCodes + (used.outcome === 'right' ? 0 : 1)
    const isOver = used.outcome === 'right' || wrongCodes >= MOST_WRONG_OF_LINK
    await tx
      .update(operatorLinks)
      .set({ wrongCodes, ...(isOver && { expiresAt: store.now() }) })
      .where(eq(operatorLinks.tokenHash, link.tokenHash))
    if (used.outcome !== 'right') return { outcome: used.outcome, closesNow: used.closesNow }
    const token = await insertSession(store, tx, operator, signIn)
    return { outcome: 'right', operator: { email: operator.email, role: operator.role }, token } as const
  })
}

function letterOf(
  template: 'operator_closed' | 'operator_signed_in',
  { address, roomUrl: link }: SignInPlace,
) {
  return { template, link, address }
}

function actorOf(actor: string, verb: string, { address }: SignInPlace): Actor {
  return { actor, via: 'room', address, verb }
}

/** Uses a code with the act that tells of it, and mails the operator when their sign-in is closed by it. */
async function enterCode(
  store: Store,
  queries: Queries,
  operator: OperatorRow,
  { code, ...place }: SignInPlace & Readonly<{ code: string }>,
  note: (act: ActNote) => void,
) {
  const used = await useCode(store, queries, operator, code)
  note({ outcome: used.outcome === 'right' ? 'done' : 'refused' })
  if (used.closesNow)
    await queueOperatorMail(store, queries, operator.email, letterOf('operator_closed', place))
  return used
}

async function insertSession(
  store: Store,
  queries: Queries,
  operator: OperatorRow,
  signIn: SignIn,
): Promise<string> {
  const [id, token, now] = [randomUUID(), randomBytes(32).toString('base64url'), store.now()]
  const ofOperator = eq(operatorSessions.operatorId, operator.id)
  const isRecent = gt(operatorSessions.seenAt, new Date(now.getTime() - KNOWN_MS))
  const isKnown = and(ofOperator, eq(operatorSessions.address, signIn.address), isRecent)
  const [known] = await queries.select({ id: operatorSessions.id }).from(operatorSessions).where(isKnown)
  if (!known) await queueOperatorMail(store, queries, operator.email, letterOf('operator_signed_in', signIn))

  await queries.insert(operatorSessions).values({
    ...{ id, tokenHash: store.secrets.hashToken(token), operatorId: operator.id, openedAt: now, seenAt: now },
    ...{ address: signIn.address, agent: signIn.agent.slice(0, AGENT_MAX) },
    confirmedUntil: new Date(now.getTime() + CONFIRMED_MS),
  })
  // The new session stays, whatever the clock said when the others were opened.
  const others = queries
    .select({ id: operatorSessions.id })
    .from(operatorSessions)
    .where(and(ofOperator, isOpen(now), ne(operatorSessions.id, id)))
    .orderBy(desc(operatorSessions.openedAt))
    .offset(MOST_SESSIONS - 1)
  await queries.update(operatorSessions).set({ endedAt: now }).where(inArray(operatorSessions.id, others))
  return token
}

/** Whether a session is open at this moment. */
function isOpen(now: Date) {
  return and(
    isNull(operatorSessions.endedAt),
    gt(operatorSessions.seenAt, new Date(now.getTime() - IDLE_MS)),
    gt(operatorSessions.openedAt, new Date(now.getTime() - LONGEST_MS)),
  )
}

/** Finds the open session of a cookie; undefined for any other. `isSeen` if a person asked, which keeps it open. */
export async function findOperatorSession(
  store: Store,
  token: string,
  { isSeen }: Readonly<{ isSeen: boolean }>,
): Promise<OperatorSession | undefined> {
  const { db } = store
  const now = store.now()
  const isThis = and(eq(operatorSessions.tokenHash, store.secrets.hashToken(token)), isOpen(now))
  const [found] = await db
    .select({
      ...{ sessionId: operatorSessions.id, confirmedUntil: operatorSessions.confirmedUntil },
      ...{ operatorId: operators.id, email: operators.email, role: operators.role },
    })
    .from(operatorSessions)
    .innerJoin(operators, eq(operators.id, operatorSessions.operatorId))
    .where(isThis)
  if (found && isSeen) await db.update(operatorSessions).set({ seenAt: now }).where(isThis)
  return found
}

/** Enters a code in an open session: then grave verbs are allowed for {@link CONFIRMED_MS}. */
export async function confirmOperatorSession(
  store: Store,
  { operatorId, sessionId, email }: Pick<OperatorSession, 'operatorId' | 'sessionId' | 'email'>,
  place: SignInPlace & Readonly<{ code: string }>,
): Promise<Readonly<{ outcome: CodeOutcome; closesNow: boolean }>> {
  const by = actorOf(email, 'session confirm', place)
  return withAct(store, by, async (tx, note) => {
    const operator = await lockOperator(tx, operatorId)
    const used = await enterCode(store, tx, operator, place, note)
    if (used.outcome === 'right') {
      const confirmedUntil = new Date(store.now().getTime() + CONFIRMED_MS)
      await tx.update(operatorSessions).set({ confirmedUntil }).where(eq(operatorSessions.id, sessionId))
    }
    return used
  })
}

/** The operator's open sessions, newest first. */
export async function listOperatorSessions({ db, now }: Store, operatorId: string) {
  const { id, openedAt, seenAt, address, agent } = operatorSessions
  return db
    .select({ id, openedAt, seenAt, address, agent })
    .from(operatorSessions)
    .where(and(eq(operatorSessions.operatorId, operatorId), isOpen(now())))
    .orderBy(desc(operatorSessions.openedAt))
}

/** Ends a session of the operator. @throws ERR_NOT_FOUND if they have no such session open */
export async function endOperatorSession(
  { db, barrier, now }: Store,
  operatorId: string,
  sessionId: string,
): Promise<void> {
  const isThis = and(eq(operatorSessions.id, sessionId), eq(operatorSessions.operatorId, operatorId))
  const ended = await db
    .update(operatorSessions)
    .set({ endedAt: now() })
    .where(and(isThis, isOpen(now())))
    .returning({ id: operatorSessions.id })
  if (ended.length === 0) throw new AppError('ERR_NOT_FOUND', 'You have no such session.')
  await barrier()
}

/** Deletes links of hours ago, and sessions whose address does not count any more. */
export async function sweepOperators({ db }: Pick<Store, 'db'>, now: Date): Promise<void> {
  await Promise.all([
    db.delete(operatorLinks).where(lte(operatorLinks.createdAt, new Date(now.getTime() - LONGEST_MS))),
    db.delete(operatorSessions).where(lte(operatorSessions.seenAt, new Date(now.getTime() - KNOWN_MS))),
  ])
}
