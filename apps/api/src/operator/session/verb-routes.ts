import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiApp, RouteParts } from '../../routes/api-route.ts'
import type { Caller, OperatorParts } from '../run.ts'
import { answerCall, answerCsv } from '../run-verb.ts'
import { type AskedVerb, authorizeVerb, requireOperator } from './operator-session.ts'
import { authorizeToken, requireToken } from './operator-token.ts'
import type { Room } from './room.ts'
import { ROOM_ONLY, TOKEN_ONLY } from './room-door.ts'

type VerbRoute = { Params: { group: string; verb: string } }

/** The verbs of the registry as calls, with a session of the room or with a token. */
export function addVerbRoutes(
  app: ApiApp,
  parts: OperatorParts & Pick<RouteParts, 'limits'> & Readonly<{ room: Room }>,
): void {
  const { accounts, clock, limits, room } = parts
  const path = '/api/operator/:group/:verb'

  const options = { ...ROOM_ONLY, onRequest: limits.operatorPerAddress }
  app.post<VerbRoute>(path, options, async (request, reply) => {
    const session = await requireOperator(request, room, accounts)
    const asked = readAsked(request)
    authorizeVerb(session, asked, clock())
    const readsOnly = session.role === 'viewer'
    const caller = { actor: session.email, via: 'room', address: request.ip, readsOnly } as const
    return answer(asked, { reply, caller }, parts)
  })

  app.post<VerbRoute>(path, TOKEN_ONLY, async (request, reply) => {
    const token = await requireToken(request, reply, parts)
    const asked = readAsked(request)
    authorizeToken(token, asked)
    const readsOnly = token.verbs === null
    const caller = { actor: token.name, via: 'token', address: request.ip, readsOnly } as const
    return answer(asked, { reply, caller }, parts)
  })
}

function readAsked({ headers, params, body }: FastifyRequest<VerbRoute>): AskedVerb {
  const isExport = /\btext\/csv\b/.test(headers.accept ?? '')
  return { name: `${params.group} ${params.verb}`, input: body ?? {}, isExport }
}

/** Answers rows as JSON, or a whole list with `Accept: text/csv`. */
async function answer(
  { isExport, ...call }: AskedVerb,
  { reply, caller }: Readonly<{ reply: FastifyReply; caller: Caller }>,
  parts: OperatorParts,
) {
  if (!isExport) return answerCall(call, caller, parts)
  const pieces = answerCsv(call, caller, parts)
  // A refusal comes before the first piece, and is still an answer of its own.
  const first = await pieces.next()
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${call.name.replace(' ', '-')}.csv"`)
    .send(Readable.from(afterFirst(first.value ?? '', pieces)))
}

async function* afterFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
