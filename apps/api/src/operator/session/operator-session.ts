import type { CodeOutcome, OperatorSession } from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import { AppError } from '@pairwire/contract'
import { findVerb, isGrave, REFRESH_HEADER, VERBS, type Verb } from '@pairwire/contract/operator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiParts } from '../../parts.ts'
import { readCookie } from './cookies.ts'
import type { Room } from './room.ts'
import { isTokenCall } from './room-door.ts'

/** Headers of each answer: nothing of it is kept, found by a search engine, or loads anything from anywhere else. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
}

/** Puts the headers of the room on an answer. */
export async function addRoomHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(HEADERS)
}

/** Refuses a call that a page of another site could have a browser make. @throws ERR_FORBIDDEN */
export function createSameOriginCheck({ origin }: Room) {
  return async ({ headers, method, raw }: FastifyRequest): Promise<void> => {
    // No browser adds a token by itself.
    if (method !== 'POST' || isTokenCall(raw)) return
    const isJson = /^application\/json *(;|$)/i.test(headers['content-type'] ?? '')
    const isOwn = headers.origin === origin || headers['sec-fetch-site'] === 'same-origin'
    if (!isJson || !isOwn) {
      throw new AppError('ERR_FORBIDDEN', 'Send JSON from a page of the operator’s room.')
    }
  }
}

/** Logs what was refused, by route and address: a sign-in, a call without the right to it, or one too many. */
export function createRefusalLog(log: Pick<Log, 'warn'>) {
  return async (
    { method, routeOptions, ip }: FastifyRequest,
    { statusCode }: FastifyReply,
  ): Promise<void> => {
    // The first page asks who is signed in, and often nobody is.
    if (method !== 'POST' || ![401, 403, 429].includes(statusCode)) return
    const fields = { route: routeOptions.url, status: statusCode, address: ip }
    log.warn('The operator’s room refused a call.', fields)
  }
}

/** The operator's session of a request. @throws ERR_LOGIN_REQUIRED */
export async function requireOperator(
  request: FastifyRequest,
  room: Room,
  accounts: Pick<ApiParts['accounts'], 'findOperatorSession'>,
): Promise<OperatorSession> {
  const token = readCookie(room, 'session', request)
  const isSeen = request.headers[REFRESH_HEADER] === undefined
  const session = token ? await accounts.findOperatorSession(token, { isSeen }) : undefined
  if (!session) throw new AppError('ERR_LOGIN_REQUIRED')
  return session
}

/** What a call asks for: a verb with its input, and whether its list whole as CSV. */
export type AskedVerb = Readonly<{ name: string; input: unknown; isExport: boolean }>

/** The verb of this name, if it may be called over HTTP. @throws ERR_NOT_FOUND */
export function httpVerb(name: string): Verb {
  const verb = findVerb(name)?.verb
  if (!verb || verb.access === 'machine') throw new AppError('ERR_NOT_FOUND', `There is no verb "${name}".`)
  return verb
}

/** The verb of a call, if the session may use it now. @throws ERR_NOT_FOUND, ERR_FORBIDDEN, CODE_REQUIRED */
export function authorizeVerb(
  { role, confirmedUntil }: OperatorSession,
  { name, input, isExport }: AskedVerb,
  now: number,
): void {
  const verb = httpVerb(name)
  if (role === 'viewer' && (isExport || verb.access !== 'read')) {
    throw new AppError('ERR_FORBIDDEN', 'A viewer changes nothing and exports nothing.')
  }
  if (isGrave(verb, input) && confirmedUntil.getTime() <= now) throw new AppError('CODE_REQUIRED')
}

/** Names of the verbs that a role may use. */
export function verbsOf(role: OperatorSession['role']): string[] {
  return Object.entries(VERBS)
    .filter(([, { access }]) => access === 'read' || (role === 'operator' && access !== 'machine'))
    .map(([name]) => name)
}

/** The refusal of a code that was not right. */
export function codeRefusal(outcome: Exclude<CodeOutcome, 'right'>, sentence: string): AppError {
  return outcome === 'closed'
    ? new AppError('ERR_RATE_LIMITED', 'Too many wrong codes. Try again in an hour.')
    : new AppError('ERR_LOGIN_REQUIRED', sentence)
}
