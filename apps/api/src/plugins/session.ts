import type { Accounts, OpenedSession } from '@pairwire/accounts'
import { BoundedMap } from '@pairwire/basics'
import { AppError, bearerOf } from '@pairwire/contract'
import type { FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'

/** Signed proof of who is signed in, for the HTTP API. It is valid while its session is in the database. */
export type Sessions = Readonly<{
  /** The token of a new session. */
  issue(session: OpenedSession): Promise<string>
  /**
   * Requires a valid `Authorization: Bearer` token with an open session, and puts its account on the request.
   *
   * @throws ERR_LOGIN_REQUIRED
   */
  require(request: FastifyRequest): Promise<void>
  /** Ends the request's session. */
  end(request: FastifyRequest): Promise<void>
  /** Ends every session of the account. */
  endAll(accountId: string): Promise<void>
  /** Drops every cached session, after an account was deleted with its sessions. */
  forget(): void
}>

declare module 'fastify' {
  interface FastifyRequest {
    /** Account of the session; empty on calls that need none. */
    accountId: string
    /** The session's own id; empty on calls that need none. */
    sessionId: string
  }
}

const ISSUER = 'pairwire'
const AUDIENCE = 'pairwire-dashboard'

/** Only this algorithm is accepted: neither `none` nor a public-key one. */
const ALGORITHM = 'HS256'

/**
 * Milliseconds for which a session is cached without asking the database again. This process drops the sessions it ends at
 * once; it notices those ended by another process with this delay.
 */
const REMEMBERED_MS = 10_000

/** Sessions cached; beyond it the one used longest ago is dropped. */
const MOST_REMEMBERED = 10_000

/** @throws if the secret is shorter than the hash, which RFC 7518 section 3.2 forbids */
export function createSessions(parts: {
  accounts: Pick<Accounts, 'findSession' | 'endSession' | 'endSessions'>
  secret: Uint8Array
  clock: () => number
}): Sessions {
  const { accounts, secret, clock } = parts
  if (secret.byteLength < 32) throw new Error('The session secret must have at least 32 bytes.')
  const remembered = new BoundedMap<string, { owner: Promise<string | undefined>; since: number }>(
    MOST_REMEMBERED,
  )

  /** The entry exists before the answer, so that an end in between removes it. */
  function ownerOf(sessionId: string, address: string): Promise<string | undefined> {
    const now = clock()
    const known = remembered.get(sessionId)
    // A clock that stepped back must not extend a session.
    if (known && now >= known.since && now - known.since < REMEMBERED_MS) return known.owner

    const owner = accounts.findSession(sessionId, address)
    owner.catch(() => remembered.get(sessionId)?.owner === owner && remembered.delete(sessionId))
    remembered.set(sessionId, { owner, since: now })
    return owner
  }

  return {
    issue({ accountId, sessionId, expiresAt }) {
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(accountId)
        .setJti(sessionId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(Math.floor(clock() / 1_000))
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1_000))
        .sign(secret)
    },

    async require(request) {
      const token = bearerOf(request.headers.authorization)
      if (!token) throw new AppError('ERR_LOGIN_REQUIRED')

      const verified = await jwtVerify(token, secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'jti', 'exp'],
        currentDate: new Date(clock()),
      }).catch(() => undefined)
      const { sub: accountId, jti: sessionId } = verified?.payload ?? {}
      if (!accountId || !sessionId) throw new AppError('ERR_LOGIN_REQUIRED')
      if ((await ownerOf(sessionId, request.ip)) !== accountId) throw new AppError('ERR_LOGIN_REQUIRED')

      request.accountId = accountId
      request.sessionId = sessionId
    },

    async end({ sessionId }) {
      await accounts.endSession(sessionId)
      remembered.delete(sessionId)
    },

    async endAll(accountId) {
      await accounts.endSessions(accountId)
      remembered.clear()
    },

    forget: () => remembered.clear(),
  }
}
