import { AppError } from '@pairwire/contract'
import type { FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'

/** Signed proof of who is signed in, for the HTTP API. */
export type Sessions = Readonly<{
  /** A token that is good for 30 days. */
  issue(accountId: string): Promise<string>
  /** Insists on a good `Authorization: Bearer` token and puts its account on the request. @throws ERR_LOGIN_REQUIRED */
  require(request: FastifyRequest): Promise<void>
}>

declare module 'fastify' {
  interface FastifyRequest {
    /** Account of the session; empty on calls that need none. */
    accountId: string
  }
}

/** Seconds for which a session is good. */
export const SESSION_LIFE_SECONDS = 30 * 24 * 60 * 60

const ISSUER = 'pairwire'
const AUDIENCE = 'pairwire-dashboard'

/** Only this one algorithm is believed: neither `none` nor a public-key one. */
const ALGORITHM = 'HS256'

/** @throws when the secret is shorter than the hash, which RFC 7518 section 3.2 forbids */
export function createSessions(parts: { secret: Uint8Array; clock: () => number }): Sessions {
  if (parts.secret.byteLength < 32) throw new Error('The session secret must have at least 32 bytes.')

  return {
    issue(accountId) {
      const now = Math.floor(parts.clock() / 1_000)
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(accountId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + SESSION_LIFE_SECONDS)
        .sign(parts.secret)
    },

    async require(request) {
      const token = bearerToken(request.headers.authorization)
      if (!token) throw new AppError('ERR_LOGIN_REQUIRED')

      const verified = await jwtVerify(token, parts.secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(parts.clock()),
      }).catch(() => undefined)
      const accountId = verified?.payload.sub
      if (!accountId) throw new AppError('ERR_LOGIN_REQUIRED')

      request.accountId = accountId
    },
  }
}

/** Characters of a header that is looked at; a session has about 250. */
const TOKEN_MAX_CHARACTERS = 4_096

function bearerToken(header: string | undefined): string | undefined {
  if (!header || header.length > TOKEN_MAX_CHARACTERS) return undefined
  return /^Bearer +([\w.-]+)$/i.exec(header)?.[1]
}
