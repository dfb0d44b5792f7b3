import { randomInt } from 'node:crypto'
import { deriveSecret } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as z from 'zod'
import type { Captcha } from './captcha.ts'

/** How long a challenge may be answered. */
const CHALLENGE_LIFE_MS = 5 * 60_000

/** Iterations of one try by level: with all tries about 0.2 s in a browser at the first, 2 s at the last. */
const COSTS = [1_000, 2_000, 4_000, 8_000, 16_000] as const
const MOST_TRIES = 500

/**
 * ALTCHA: a proof of work that the browser solves and that needs no third party. The library alone would accept one solution
 * again and again, so each used challenge is recorded by its signature.
 *
 * @param parts.use marks a challenge as used until it expires; false if it was used before
 * @param parts.mostTries limit on the browser's work, 500 by default and at most
 */
export function createAltchaCaptcha(parts: {
  secret: Uint8Array
  clock: () => number
  use: (signature: string, expiresAt: Date) => Promise<boolean>
  mostTries?: number
}): Captcha {
  const secrets = {
    hmacSignatureSecret: deriveSecret(parts.secret, 'pairwire captcha').toString('base64url'),
    hmacKeySignatureSecret: deriveSecret(parts.secret, 'pairwire captcha key').toString('base64url'),
  }

  return {
    provider: 'altcha',
    siteKey: undefined,
    sources: { script: [], frame: [] },

    async challenge(level) {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: COSTS[Math.min(level, COSTS.length - 1)]!,
        counter: randomInt(0, parts.mostTries ?? MOST_TRIES),
        deriveKey,
        expiresAt: new Date(parts.clock() + CHALLENGE_LIFE_MS),
        ...secrets,
      })
      return { ...challenge }
    },

    async verify(token) {
      const payload = readPayload(token)
      if (!payload) throw new AppError('CAPTCHA_FAILED')
      const { challenge, solution } = payload

      const expiresAtMs = challenge.parameters.expiresAt * 1_000
      if (expiresAtMs <= parts.clock()) throw new AppError('CAPTCHA_FAILED')

      const verdict = await verifySolution({ challenge, solution, deriveKey, ...secrets }).catch(
        () => undefined,
      )
      // A forged challenge is not recorded: anyone could fill the store with them.
      if (!verdict || verdict.expired || verdict.invalidSignature !== false)
        throw new AppError('CAPTCHA_FAILED')

      const unused = await parts.use(challenge.signature, new Date(expiresAtMs))
      if (!unused || !verdict.verified) throw new AppError('CAPTCHA_FAILED')
    },
  }
}

const hex = z.string().regex(/^([0-9a-f]{2})+$/i)

/** Numbers are bounded so that a forged challenge cannot make the check expensive. */
const Payload = z.object({
  challenge: z.object({
    parameters: z.object({
      algorithm: z.literal('PBKDF2/SHA-256'),
      nonce: hex.max(64),
      salt: hex.max(64),
      cost: z.literal(COSTS),
      keyLength: z.literal(32),
      keyPrefix: hex.max(64),
      keySignature: hex.max(128),
      expiresAt: z.number().int().positive().max(8_640_000_000_000),
    }),
    signature: hex.max(128),
  }),
  solution: z.object({
    counter: z.number().int().min(0).max(MOST_TRIES),
    derivedKey: hex.max(64),
    time: z.number().optional().catch(undefined),
  }),
})

function readPayload(token: string): Readable | undefined {
  try {
    const { challenge, solution } = Payload.parse(JSON.parse(Buffer.from(token, 'base64').toString('utf8')))
    return { challenge, solution: { counter: solution.counter, derivedKey: solution.derivedKey } }
  } catch {
    return undefined
  }
}

type Readable = Readonly<{
  challenge: z.infer<typeof Payload>['challenge']
  solution: { counter: number; derivedKey: string }
}>
