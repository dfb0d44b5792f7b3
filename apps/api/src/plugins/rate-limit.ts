import { createHash } from 'node:crypto'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import { AppError, HOUR_MS, MINUTE_MS, WEBHOOK_LIMITS } from '@pairwire/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CALLS_PER_ACCOUNT, MAILS_PER_ADDRESS, MAILS_PER_EMAIL } from '../limits.ts'
import { createCountStore } from './count-store.ts'
import type {} from './session.ts' // a request's account

/** Hooks that refuse a call with 429 and `Retry-After` once its share is used up, and the share of mails. */
export type RateLimits = Readonly<{
  /** Register and login calls, together, per minute and address. IPv6 addresses count by their /64. */
  perAddress: Hook
  /** Links opened, just as many per minute and address: guesses use up no register or login call. */
  linksPerAddress: Hook
  /** Counts a mail to the email of a parsed body, without refusing it. */
  mailShare(request: FastifyRequest): Promise<MailShare>
  /**
   * Counts a challenge. The level rises by one each time that an address has requested in ten minutes as many as it may make
   * register and login calls in one, up to {@link MOST_LEVEL}: 0 for most people.
   */
  challengeLevel(request: FastifyRequest): Promise<number>
  /** All other calls of one account; the session must be known. */
  perAccount: Hook
  /** Calls of one account below `/v1`: 10 a second, 50 at once. */
  perFaceAccount: Hook
  /** Samples that an account sends. */
  samplesPerAccount: Hook
  /** Filters that an account tries. */
  triesPerAccount: Hook
  /** The code examples, per minute and address: each request looks up a key. */
  framePerAddress: Hook
  /** Challenges, per minute and address: each costs as much as a single try in the browser. */
  captchaPerAddress: Hook
  /** The status page and its twin, per minute and address: they are drawn on each request. */
  statusPerAddress: Hook
  /** Pages of the documentation, per minute and address: they are compressed on each request. */
  docsPerAddress: Hook
  /** Counts a request for a sign-in link of an operator. @returns whether the address may still cause mails this minute */
  hasOperatorLinkLeft(request: FastifyRequest): Promise<boolean>
  /** Calls of the operator's verbs, per minute and address. */
  operatorPerAddress: Hook
  /** Calls with a token that exists, per minute and token. */
  perToken: Hook
  /** Calls with a token that does not, per minute and address. */
  wrongTokensPerAddress: Hook
  /** Unknown paths, per minute and address: a client that requests more is probing. */
  unknownPerAddress: Hook
}>

/**
 * Whether a mail is within its share, or whose share is used up: that of the calling address, or that of the email from
 * everywhere. Mails beyond an address's share do not count for the email, or one stranger could use it up.
 */
type MailShare = 'left' | 'address_used' | 'email_used'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Calls below `/v1` at once, and milliseconds in which as many are allowed again. */
const FACE_BURST = 50
const FACE_BURST_MS = 5_000

/** Filters per minute and account: each searches hours of swaps. */
const TRIES_PER_ACCOUNT = 10

const FRAMES_PER_ADDRESS = 120

/** Challenges for each allowed call: people reload; more than this only costs us work. */
const CHALLENGES_PER_CALL = 6

/** An open page polls six times a minute; a household or an office has several open. */
const STATUS_PER_ADDRESS = 180

const DOCS_PER_ADDRESS = 600

/** Sign-in links of operators that an address may ask for in a minute. */
const OPERATOR_LINKS_PER_ADDRESS = 10

/** An open room refreshes a handful of lists every few seconds. */
const OPERATOR_CALLS_PER_ADDRESS = 600

/** Calls per minute of one token, and with none that exists from one address. */
const CALLS_PER_TOKEN = 120

const UNKNOWN_PER_ADDRESS = 120

/** Levels of challenges above the first; more would delay honest people at a shared address. */
const MOST_LEVEL = 4

/** Addresses, emails or accounts remembered; beyond it the one not seen for longest is forgotten. */
const REMEMBERED = 50_000

/** Counts in this process, from its start. `elapsed` is a clock that never steps back, in milliseconds. */
export async function createRateLimits(
  app: FastifyInstance,
  authRatePerAddress: number,
  elapsed: () => number,
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false, store: createCountStore(elapsed, REMEMBERED) })

  const counter = (max: number, timeWindow: number, keyGenerator = addressOf) =>
    app.createRateLimit({ max, timeWindow, keyGenerator })
  const limit = (max: number, timeWindow: number, keyGenerator = addressOf): Hook => {
    const count = counter(max, timeWindow, keyGenerator)
    return async (request, reply) => {
      const share = await count(request)
      if (share.isAllowed || !share.isExceeded) return

      reply.header('retry-after', share.ttlInSeconds)
      throw new AppError('ERR_RATE_LIMITED')
    }
  }
  const isUsedUp = async (count: ReturnType<typeof counter>, request: FastifyRequest) => {
    const share = await count(request)
    return !share.isAllowed && share.isExceeded
  }
  const mailsPerAddress = counter(
    MAILS_PER_ADDRESS,
    HOUR_MS,
    (request) => `${addressOf(request)} ${emailOf(request)}`,
  )
  const mailsPerEmail = counter(MAILS_PER_EMAIL, HOUR_MS, emailOf)

  const operatorLinks = counter(OPERATOR_LINKS_PER_ADDRESS, MINUTE_MS)
  const challenges = counter(MOST_LEVEL * authRatePerAddress + 1, 10 * MINUTE_MS)

  return {
    perAddress: limit(authRatePerAddress, MINUTE_MS),
    linksPerAddress: limit(authRatePerAddress, MINUTE_MS),
    mailShare: async (request) => {
      if (await isUsedUp(mailsPerAddress, request)) return 'address_used'
      return (await isUsedUp(mailsPerEmail, request)) ? 'email_used' : 'left'
    },
    challengeLevel: async (request) => {
      const share = await challenges(request)
      return share.isAllowed ? 0 : Math.floor((share.max - share.remaining - 1) / authRatePerAddress)
    },
    perAccount: limit(CALLS_PER_ACCOUNT, MINUTE_MS, (request) => request.accountId),
    perFaceAccount: limit(FACE_BURST, FACE_BURST_MS, (request) => request.accountId),
    samplesPerAccount: limit(WEBHOOK_LIMITS.testsPerMinute, MINUTE_MS, (request) => request.accountId),
    triesPerAccount: limit(TRIES_PER_ACCOUNT, MINUTE_MS, (request) => request.accountId),
    framePerAddress: limit(FRAMES_PER_ADDRESS, MINUTE_MS),
    captchaPerAddress: limit(CHALLENGES_PER_CALL * authRatePerAddress, MINUTE_MS),
    statusPerAddress: limit(STATUS_PER_ADDRESS, MINUTE_MS),
    docsPerAddress: limit(DOCS_PER_ADDRESS, MINUTE_MS),
    hasOperatorLinkLeft: async (request) => !(await isUsedUp(operatorLinks, request)),
    operatorPerAddress: limit(OPERATOR_CALLS_PER_ADDRESS, MINUTE_MS),
    perToken: limit(CALLS_PER_TOKEN, MINUTE_MS, tokenOf),
    wrongTokensPerAddress: limit(CALLS_PER_TOKEN, MINUTE_MS),
    unknownPerAddress: limit(UNKNOWN_PER_ADDRESS, MINUTE_MS),
  }
}

/** The token of a request, which memory need not hold. */
function tokenOf({ headers }: FastifyRequest): string {
  return createHash('sha256')
    .update(headers.authorization ?? '')
    .digest('base64')
}

/** The /64 of an IPv6 address, since a single customer gets that many addresses. */
function addressOf(request: FastifyRequest): string {
  return normalizeIP(request.ip)
}

function emailOf(request: FastifyRequest): string {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || !('email' in body)) return ''
  return String(body.email).trim().toLowerCase()
}
