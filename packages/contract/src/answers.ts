import * as z from 'zod/mini'

// The answers of the calls in http.ts, in zod's small build, since pages read them.

/** Body of every failed answer. */
export const ErrorBody = z.object({ errorType: z.string(), errorMessage: z.string() })
export type ErrorBody = z.infer<typeof ErrorBody>

export const AuthenticateAnswer = z.object({ token: z.string() })
export type AuthenticateAnswer = z.infer<typeof AuthenticateAnswer>

/** A page to redirect the browser to. */
export const UrlAnswer = z.object({ url: z.string() })
export type UrlAnswer = z.infer<typeof UrlAnswer>

/** An answer that only confirms. */
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
      /** The end date if it will not renew, else empty. */
      willCancel: z.string(),
      /** When it renews or, for a trial, ends; empty for a plan without an end. */
      renewalDate: z.string(),
      connectionLimit: z.int(),
    }),
  ),
  /** Absent if there is none; an operator's grant forbids Manage Plan. */
  paidSubscription: z.optional(z.object({ planName: z.string(), forbidManageSubscription: z.boolean() })),
  hasHadFreeTrial: z.boolean(),
  /** Present while the operator has suspended the account; `message` is empty without one. */
  suspension: z.optional(z.object({ since: z.string(), message: z.string() })),
})
export type Account = z.infer<typeof Account>

/** `Details` is plain text, one sentence. */
const SystemStatusItem = z.object({ Details: z.string() })
export const SystemStatus = z.array(SystemStatusItem)
export type SystemStatus = z.infer<typeof SystemStatus>

/** How plans are paid for: on pages of the service itself, which charge no card, or in Paddle's window. */
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

/** Third-party services that the pages may load: an absent one is never contacted. */
export const ThirdParties = z.object({
  /** Where errors of the pages are reported; only on a production host. */
  sentryDsn: z.optional(z.string()),
  crispWebsiteId: z.optional(z.string()),
  clarityProjectId: z.optional(z.string()),
})
export type ThirdParties = z.infer<typeof ThirdParties>

/** The browser's settings at run time. */
export const PublicConfig = z.object({
  /** Websocket address without the key, for example `wss://host/`. */
  streamUrl: z.string(),
  simulated: z.boolean(),
  /** The cluster for links to explorers; absent for mainnet. */
  cluster: z.optional(z.enum(['devnet', 'testnet'])),
  production: z.boolean(),
  captcha: z.object({ provider: z.enum(['altcha', 'recaptcha']), siteKey: z.optional(z.string()) }),
  /** Absent if plans are not sold. */
  payment: z.optional(PaymentConfig),
  statusUrl: z.string(),
  supportEmail: z.string(),
  /** Whether only those whom the operator invites become customers; absent while anybody may register. */
  registration: z.optional(z.literal('closed')),
  /** Legal texts besides terms, privacy policy and disclaimer; absent if there are none. */
  documents: z.optional(z.array(z.enum(['imprint', 'refunds']))),
  links: z.object({ discord: z.string(), github: z.string(), x: z.string(), reddit: z.string() }),
  /** Absent if there are none. */
  thirdParties: z.optional(ThirdParties),
  /** Where mails can be read outside production. */
  devMailbox: z.optional(z.string()),
})
export type PublicConfig = z.infer<typeof PublicConfig>

/** An ALTCHA challenge, passed through as the library creates it. */
export const CaptchaChallenge = z.looseObject({})

/** In the order of the request. */
export const LogosAnswer = z.object({ paths: z.array(z.nullable(z.string())) })
export type LogosAnswer = z.infer<typeof LogosAnswer>

/** Details of a token. */
const KnownTokenAnswer = z.object({
  name: z.nullable(z.string()),
  symbol: z.nullable(z.string()),
  /** Address of its picture: `https:`, `ipfs:` or `ar:`. */
  logo: z.nullable(z.string()),
  decimals: z.int(),
  /** The launchpad on which it was created; an open list. */
  launchpad: z.nullable(z.string()),
  /** RFC 3339 in UTC, by the chain's clock; null if unknown. */
  firstSeen: z.nullable(z.string()),
})

/** Each requested mint; null for an unknown token, which is then looked up for the next request. */
export const TokensAnswer = z.object({ tokens: z.record(z.string(), z.nullable(KnownTokenAnswer)) })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** The token of an `Authorization: Bearer` header; undefined for any other. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

/** Whether it has the form of an API key: 32 lower-case hex characters. A bearer of any other form is a session. */
export function isApiKey(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}
