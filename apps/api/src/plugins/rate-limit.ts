import rateLimit from '@fastify/rate-limit'
import { AppError } from '@pairwire/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Hooks that refuse a call with 429 and `Retry-After` once its share is used up. */
export type RateLimits = Readonly<{
  /** Calls that sign people in, together, a minute from one address. IPv6 addresses count by their /64. */
  perAddress: Hook
  /** Calls that send mail to one email; the body must be parsed. */
  perEmail: Hook
  /** All other calls of one account; the session must be known. */
  perAccount: Hook
  /** The code examples, a minute from one address: each asks for a key. */
  framePerAddress: Hook
}>

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Mails that one email can be made to get in an hour. */
const MAILS_PER_EMAIL = 5

const CALLS_PER_ACCOUNT = 120

const FRAMES_PER_ADDRESS = 120

const MINUTE_MS = 60_000

/** Addresses, emails or accounts remembered; beyond it the one not seen for longest is forgotten. */
const REMEMBERED = 50_000

/** Counts in this process; they start anew with it. */
export async function createRateLimits(
  app: FastifyInstance,
  authRatePerAddress: number,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })

  const limit = (
    max: number,
    timeWindow: number,
    keyGenerator?: (request: FastifyRequest) => string,
  ): Hook => {
    // `cache` is read by the plugin's store but missing from the type of this call.
    const options = { max, timeWindow, cache: REMEMBERED, ...(keyGenerator && { keyGenerator }) }
    const count = app.createRateLimit(options)
    return async (request, reply) => {
      const share = await count(request)
      if (share.isAllowed || !share.isExceeded) return

      reply.header('retry-after', share.ttlInSeconds)
      throw new AppError('ERR_RATE_LIMITED', waitSentence(share.ttlInSeconds))
    }
  }

  return {
    perAddress: limit(authRatePerAddress, MINUTE_MS),
    perEmail: limit(MAILS_PER_EMAIL, 60 * MINUTE_MS, emailOf),
    perAccount: limit(CALLS_PER_ACCOUNT, MINUTE_MS, (request) => request.accountId),
    framePerAddress: limit(FRAMES_PER_ADDRESS, MINUTE_MS),
  }
}

function waitSentence(seconds: number): string {
  if (seconds <= 60) return 'Too many requests. Try again in a minute.'
  return `Too many requests. Try again in ${Math.ceil(seconds / 60)} minutes.`
}

function emailOf(request: FastifyRequest): string {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || !('email' in body)) return ''
  return String(body.email).trim().toLowerCase()
}
