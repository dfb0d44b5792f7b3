import { randomBytes } from 'node:crypto'
import { OperatorSessionAnswer, SESSION_BODIES } from '@pairwire/contract/operator'
import type { FastifyRequest } from 'fastify'
import type { ApiApp, RouteParts } from '../../routes/api-route.ts'
import { traceOf } from '../../trace-of.ts'
import { withTimes } from '../with-times.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { codeRefusal, requireOperator, verbsOf } from './operator-session.ts'
import type { Room } from './room.ts'
import { ROOM_ONLY } from './room-door.ts'

/** Seconds for which a browser is remembered as the one that asked for a link: as long as the link works. */
const BROWSER_SECONDS = 10 * 60

/** Signing in to the room by a link and a code, and out. `noteClosed` is called when wrong codes close somebody's sign-in. */
export function addSessionRoutes(
  app: ApiApp,
  parts: Pick<RouteParts, 'accounts' | 'limits' | 'log'> & Readonly<{ room: Room; noteClosed(): void }>,
): void {
  const { accounts, limits, log, room, noteClosed } = parts
  const placeOf = (request: FastifyRequest) => ({ address: request.ip, roomUrl: room.url })
  const base = '/api/operator/session'

  app.post(
    `${base}/link`,
    { ...ROOM_ONLY, schema: { body: SESSION_BODIES.link } },
    async (request, reply) => {
      const browser = readCookie(room, 'browser', request) || randomBytes(32).toString('base64url')
      reply.header('set-cookie', writeCookie(room, 'browser', browser, BROWSER_SECONDS))
      const operator = await accounts.findOperatorByEmail(request.body.email)
      // Not awaited, and nothing said of the rate: the answer must not tell who is an operator.
      if (operator && (await limits.hasOperatorLinkLeft(request))) {
        accounts
          .mailOperatorLink(operator, { browser, ...placeOf(request) })
          .catch((error) => log.error('A sign-in link could not be queued.', traceOf(error)))
      }
      return {}
    },
  )

  app.post(
    `${base}/open`,
    { ...ROOM_ONLY, schema: { body: SESSION_BODIES.open }, onRequest: limits.linksPerAddress },
    async (request, reply) => {
      const browser = readCookie(room, 'browser', request)
      const agent = request.headers['user-agent'] ?? ''
      const { t: token, code } = request.body
      const opened = await accounts.openOperatorSession({ token, code, browser, agent, ...placeOf(request) })
      if (opened.outcome !== 'right') {
        if (opened.closesNow) noteClosed()
        throw codeRefusal(opened.outcome, 'The link or the code is not right.')
      }
      reply.header('set-cookie', [
        writeCookie(room, 'session', opened.token),
        writeCookie(room, 'browser', '', 0),
      ])
      return opened.operator
    },
  )

  app.post(
    `${base}/confirm`,
    { ...ROOM_ONLY, schema: { body: SESSION_BODIES.confirm }, onRequest: limits.linksPerAddress },
    async (request) => {
      const session = await requireOperator(request, room, accounts)
      const { outcome, closesNow } = await accounts.confirmOperatorSession(session, {
        ...placeOf(request),
        code: request.body.code,
      })
      if (closesNow) noteClosed()
      if (outcome !== 'right') throw codeRefusal(outcome, 'The code is not right.')
      return {}
    },
  )

  app.post(`${base}/end`, { ...ROOM_ONLY, schema: { body: SESSION_BODIES.end } }, async (request, reply) => {
    const { operatorId, sessionId } = await requireOperator(request, room, accounts)
    const { id = sessionId } = request.body
    await accounts.endOperatorSession(operatorId, id)
    if (id === sessionId) reply.header('set-cookie', writeCookie(room, 'session', '', 0))
    return {}
  })

  app.get(base, { ...ROOM_ONLY, schema: { response: { 200: OperatorSessionAnswer } } }, async (request) => {
    const { email, role, operatorId, sessionId } = await requireOperator(request, room, accounts)
    const sessions = await accounts.listOperatorSessions(operatorId)
    return {
      email,
      role,
      sessions: sessions.map(({ agent, ...session }) => ({
        ...{ ...withTimes(session), client: agent, isThis: session.id === sessionId },
      })),
      verbs: verbsOf(role),
    }
  })
}
