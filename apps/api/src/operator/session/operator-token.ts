import type { OperatorToken } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteParts } from '../../routes/api-route.ts'
import { readAdminAllow } from './admin-allow.ts'
import { type AskedVerb, httpVerb } from './operator-session.ts'
import { plainOf } from './room-door.ts'

/** One form of the header only, since calls are counted by it. */
const HEADER = /^Bearer (pwo_[\w-]{43})$/

/** The token of a call, if it may be used from there. @throws ERR_LOGIN_REQUIRED, ERR_RATE_LIMITED, ERR_FORBIDDEN */
export async function requireToken(
  request: FastifyRequest,
  reply: FastifyReply,
  { accounts, limits }: Pick<RouteParts, 'accounts' | 'limits'>,
): Promise<OperatorToken> {
  const [, brought] = HEADER.exec(request.headers.authorization ?? '') ?? []
  const token = brought && (await accounts.findToken(brought))
  if (!token) {
    await limits.wrongTokensPerAddress(request, reply)
    throw new AppError('ERR_LOGIN_REQUIRED', 'There is no such token, or it has expired.')
  }
  await limits.perToken(request, reply)
  const address = plainOf(request.ip)
  if (token.from !== null && !readAdminAllow(token.from).has(address)) {
    throw new AppError('ERR_FORBIDDEN', `This token may not be used from ${address}.`)
  }
  return token
}

/** @throws ERR_NOT_FOUND, ERR_FORBIDDEN unless the token names the verb, or names none and the verb reads */
export function authorizeToken({ verbs }: OperatorToken, { name, isExport }: AskedVerb): void {
  const { access } = httpVerb(name)
  const isAllowed = verbs ? verbs.includes(name) : access === 'read' && !isExport
  if (!isAllowed)
    throw new AppError('ERR_FORBIDDEN', `This token may not use "${name}"${isExport ? ' as CSV' : ''}.`)
}
