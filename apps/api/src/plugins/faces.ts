import {
  AppError,
  bearerOf,
  type FaceRefusal,
  faceStatus,
  isApiKey,
  KEY_MISSING,
  SUPPORT_EMAIL,
} from '@pairwire/contract'
import { StreamFault } from '@pairwire/filter'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorPath } from '../pages/error-pages.ts'
import type { ApiParts } from '../parts.ts'
import { traceOf } from '../trace-of.ts'
import { refusalOf } from './errors.ts'
import type { Sessions } from './session.ts'

/** Below `/v1`: pages of other sites may call, without cookies; refusals name their page; any body is read as JSON. */
export function asFace(
  app: FastifyInstance,
  { log, publicUrl, supportEmail }: Pick<ApiParts, 'log' | 'publicUrl' | 'supportEmail'>,
): void {
  app.addHook('onRequest', async (_request, reply) => void openToAll(reply))
  app.setErrorHandler((error, request, reply) => {
    const refusal = error instanceof StreamFault ? error : refusalOf(error)
    if (!refusal) log.error('A call failed.', { route: request.routeOptions.url, ...traceOf(error) })
    return sendFaceRefusal(reply, refusal ?? new AppError('ERR_UNKNOWN'), { publicUrl, supportEmail })
  })
  app.options('/v1/*', async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, X-API-Key, Last-Event-ID',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}

function openToAll(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-store',
  })
}

/** Answers with `{errorType, errorMessage, docs}`, and what a fault says for programs. */
export function sendFaceRefusal(
  reply: FastifyReply,
  refusal: AppError | StreamFault,
  { publicUrl, supportEmail }: Pick<ApiParts, 'publicUrl' | 'supportEmail'>,
): FastifyReply {
  const { errorType, message } = refusal
  const body: FaceRefusal = {
    errorType,
    errorMessage: message.replace(SUPPORT_EMAIL, supportEmail),
    docs: `${publicUrl}${errorPath(errorType)}`,
    ...(refusal instanceof StreamFault && refusal.data),
  }
  const status = faceStatus(errorType)
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) reply.header('retry-after', 1)
  return openToAll(reply)
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((text: string) => text)
    .send(JSON.stringify(body))
}

/** Puts the account of a key, or of a session, on the request. @throws KEY_UNKNOWN, ERR_LOGIN_REQUIRED, ACCOUNT_SUSPENDED */
export function identify({ accounts, sessions }: Pick<ApiParts, 'accounts'> & { sessions: Sessions }) {
  return async (request: FastifyRequest): Promise<void> => {
    const { 'x-api-key': header, authorization } = request.headers
    const bearer = bearerOf(authorization)
    const { key: asked } = request.query as { key?: unknown }
    const key = [header, bearer, asked].flat().find((text) => typeof text === 'string' && text !== '')
    if (key === bearer && bearer !== undefined && !isApiKey(bearer)) return sessions.require(request)
    if (key === undefined) throw new AppError('KEY_UNKNOWN', KEY_MISSING)
    const found = await accounts.authorizeKey(String(key))
    if (found.outcome === 'unknown_key') throw new AppError('KEY_UNKNOWN')
    if (found.outcome === 'suspended') await accounts.checkNotSuspended(found.accountId)
    request.accountId = found.accountId
  }
}
