import * as z from 'zod/mini'

// What the calls of http.ts answer, in the library's small form: pages read by these schemas.

/** Body of every failed answer. */
export const ErrorBody = z.object({ errorType: z.string(), errorMessage: z.string() })
export type ErrorBody = z.infer<typeof ErrorBody>

export const AuthenticateAnswer = z.object({ token: z.string() })
export type AuthenticateAnswer = z.infer<typeof AuthenticateAnswer>

/** A page to which the browser goes. */
export const UrlAnswer = z.object({ url: z.string() })
export type UrlAnswer = z.infer<typeof UrlAnswer>

/** An answer that says nothing but that it was done. */
export const Done = z.object({ ok: z.literal(true) })

/** The empty object. */
export const Nothing = z.object({})

/** Times are RFC 3339 in UTC. */
export const Account = z.object({
  user: z.object({ ID: z.string(), Email: z.string(), APIKey: z.string(), CreatedAt: z.string() }),
  /** The plan in force, also while it runs out after a cancellation; absent without one. */
  activeSubscription: z.optional(
    z.object({
      planName: z.string(),
      isFreeTrial: z.boolean(),
      /** End date when it will not renew, else empty. */
      willCancel: z.string(),
      /** When it renews or, for a trial, ends; empty for a plan without an end. */
      renewalDate: z.string(),
      connectionLimit: z.int(),
    }),
  ),
  /** Absent when there is none; an operator's grant forbids Manage Plan. */
  paidSubscription: z.optional(z.object({ planName: z.string(), forbidManageSubscription: z.boolean() })),
  hasHadFreeTrial: z.boolean(),
})
export type Account = z.infer<typeof Account>

/** `Details` is plain text, one sentence. */
const SystemStatusItem = z.object({ Details: z.string() })
export const SystemStatus = z.array(SystemStatusItem)
export type SystemStatus = z.infer<typeof SystemStatus>

/** How plans are paid for: on pages of the service itself, where no card is charged, or in Paddle's window. */
export const PaymentConfig = z.discriminatedUnion('provider', [
  z.object({ provider: z.literal('sandbox') }),
  z.object({
    provider: z.literal('paddle'),
    environment: z.enum(['sandbox', 'production']),
    clientToken: z.string(),
    /** Paddle's price of each plan for new customers, by the plan's id. */
    prices: z.object({ 1: z.string(), 2: z.string(), 3: z.string() }),
  }),
])
export type PaymentConfig = z.infer<typeof PaymentConfig>

/** Services of others that the pages may load: an absent one is never asked for anything. */
export const ThirdParties = z.object({
  /** Where errors of the pages are reported; only on a production host. */
  sentryDsn: z.optional(z.string()),
  crispWebsiteId: z.optional(z.string()),
  clarityProjectId: z.optional(z.string()),
})
export type ThirdParties = z.infer<typeof ThirdParties>

/** What the browser learns at run time. */
export const PublicConfig = z.object({
  /** Websocket address without the key, for example `wss://host/`. */
  streamUrl: z.string(),
  simulated: z.boolean(),
  /** Where explorers find what is on the stream; absent for mainnet. */
  cluster: z.optional(z.enum(['devnet', 'testnet'])),
  production: z.boolean(),
  captcha: z.object({ provider: z.enum(['altcha', 'recaptcha']), siteKey: z.optional(z.string()) }),
  /** Absent where plans are not sold. */
  payment: z.optional(PaymentConfig),
  statusUrl: z.string(),
  supportEmail: z.string(),
  links: z.object({ discord: z.string(), github: z.string(), x: z.string(), reddit: z.string() }),
  /** Absent where there are none. */
  thirdParties: z.optional(ThirdParties),
  /** Where mails can be read outside production. */
  devMailbox: z.optional(z.string()),
})
export type PublicConfig = z.infer<typeof PublicConfig>

/** An ALTCHA challenge, passed through as the library makes it. */
export const CaptchaChallenge = z.looseObject({})

/** In the order of the question. */
export const LogosAnswer = z.object({ paths: z.array(z.nullable(z.string())) })
export type LogosAnswer = z.infer<typeof LogosAnswer>

/** What is known of a token. */
const KnownTokenAnswer = z.object({
  name: z.nullable(z.string()),
  symbol: z.nullable(z.string()),
  /** Address of its picture: `https:`, `ipfs:` or `ar:`. */
  logo: z.nullable(z.string()),
  decimals: z.int(),
  /** The launchpad on which it was made; an open list. */
  launchpad: z.nullable(z.string()),
  /** RFC 3339 in UTC, by the chain's clock; null where it is not known. */
  firstSeen: z.nullable(z.string()),
})

/** Each mint of the question; null for a token that is not known, which is then found out for the next question. */
export const TokensAnswer = z.object({ tokens: z.record(z.string(), z.nullable(KnownTokenAnswer)) })
export type TokensAnswer = z.infer<typeof TokensAnswer>
