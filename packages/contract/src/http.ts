import { z } from 'zod'
import { isAddress } from './base58.ts'
import { ORIGINS, PATHS } from './paths.ts'
import { CloseConnectionBody, Connections, Usage } from './usage.ts'

/** An email as typed into a form; at most 254 characters (RFC 5321 section 4.5.3.1.3). */
export const Email = z.email('Please enter an email address').max(254, 'Please enter an email address')

/** Body of every failed answer. */
export const ErrorBody = z.object({ errorType: z.string(), errorMessage: z.string() })
export type ErrorBody = z.infer<typeof ErrorBody>

export const LoginBody = z.object({ email: Email })
export type LoginBody = z.infer<typeof LoginBody>

/** `recaptcha_token` is base64 JSON of `{challenge, solution}` with ALTCHA, the provider's own token else. */
export const RegisterBody = z.object({
  email: Email,
  recaptcha_token: z.string().max(16_384),
  enable_marketing_emails: z.boolean(),
  origin: z.enum(ORIGINS, 'Please select how you found us'),
})
export type RegisterBody = z.infer<typeof RegisterBody>

/** `email_token` is the `t` of a mailed link. */
export const AuthenticateBody = z.object({ email_token: z.string().min(1).max(200) })
export type AuthenticateBody = z.infer<typeof AuthenticateBody>

export const AuthenticateAnswer = z.object({ token: z.string() })
export type AuthenticateAnswer = z.infer<typeof AuthenticateAnswer>

export const StartTrialBody = z.object({ plan_id: z.literal([1, 2, 3]) })
export type StartTrialBody = z.infer<typeof StartTrialBody>

/** The plan to pay for. */
export const CheckoutBody = z.object({ plan_id: z.literal([1, 2, 3]) })
export type CheckoutBody = z.infer<typeof CheckoutBody>

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
  activeSubscription: z
    .object({
      planName: z.string(),
      isFreeTrial: z.boolean(),
      /** End date when it will not renew, else empty. */
      willCancel: z.string(),
      /** When it renews or, for a trial, ends; empty for a plan without an end. */
      renewalDate: z.string(),
      connectionLimit: z.number().int(),
    })
    .optional(),
  /** Absent when there is none; an operator's grant forbids Manage Plan. */
  paidSubscription: z.object({ planName: z.string(), forbidManageSubscription: z.boolean() }).optional(),
  hasHadFreeTrial: z.boolean(),
})
export type Account = z.infer<typeof Account>

/** `Details` is plain text, one sentence. */
export const SystemStatusItem = z.object({ Details: z.string() })
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
  sentryDsn: z.string().optional(),
  crispWebsiteId: z.string().optional(),
  clarityProjectId: z.string().optional(),
})
export type ThirdParties = z.infer<typeof ThirdParties>

/** What the browser learns at run time. */
export const PublicConfig = z.object({
  /** Websocket address without the key, for example `wss://host/`. */
  streamUrl: z.string(),
  simulated: z.boolean(),
  production: z.boolean(),
  captcha: z.object({ provider: z.enum(['altcha', 'recaptcha']), siteKey: z.string().optional() }),
  /** Absent where plans are not sold. */
  payment: PaymentConfig.optional(),
  statusUrl: z.string(),
  supportEmail: z.string(),
  links: z.object({ discord: z.string(), github: z.string(), x: z.string(), reddit: z.string() }),
  /** Absent where there are none. */
  thirdParties: ThirdParties.optional(),
  /** Where mails can be read outside production. */
  devMailbox: z.string().optional(),
})
export type PublicConfig = z.infer<typeof PublicConfig>

/** An ALTCHA challenge, passed through as the library makes it. */
export const CaptchaChallenge = z.looseObject({})

/** Addresses of tokens' logos as events carry them: `https:`, `ipfs:` or `ar:`. */
export const LogosBody = z.object({ urls: z.array(z.string().max(2_048)).min(1).max(20) })
export type LogosBody = z.infer<typeof LogosBody>

/** In the order of the question. */
export const LogosAnswer = z.object({ paths: z.array(z.string().nullable()) })
export type LogosAnswer = z.infer<typeof LogosAnswer>

/** Mints in one question. */
export const TOKENS_MAX = 100

/** Mints whose tokens are asked for, with commas between them. */
export const TokensQuery = z.object({
  mints: z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.string().refine(isAddress, 'A mint is the base58 form of 32 bytes.'))
        .max(TOKENS_MAX, `Ask for ${TOKENS_MAX} mints at most.`),
    ),
})
export type TokensQuery = z.infer<typeof TokensQuery>

/** What is known of a token. */
export const KnownTokenAnswer = z.object({
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  /** Address of its picture: `https:`, `ipfs:` or `ar:`. */
  logo: z.string().nullable(),
  decimals: z.number().int(),
  /** The launchpad on which it was made; an open list. */
  launchpad: z.string().nullable(),
  /** RFC 3339 in UTC, by the chain's clock; null where it is not known. */
  firstSeen: z.string().nullable(),
})
export type KnownTokenAnswer = z.infer<typeof KnownTokenAnswer>

/** Each mint of the question; null for a token that is not known. */
export const TokensAnswer = z.object({ tokens: z.record(z.string(), KnownTokenAnswer.nullable()) })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/** Every call of the HTTP API: method, path, whether it needs a session, and the shapes that it takes and gives. */
export const routes = {
  authenticate: { ...PATHS.authenticate, session: false, body: AuthenticateBody, answer: AuthenticateAnswer },
  login: { ...PATHS.login, session: false, body: LoginBody, answer: Done },
  register: { ...PATHS.register, session: false, body: RegisterBody, answer: Done },
  captcha: { ...PATHS.captcha, session: false, answer: CaptchaChallenge },
  /** Ends the session that makes the call. */
  logout: { ...PATHS.logout, session: true, answer: Nothing },
  /** Ends every session of the account, also the one that makes the call. */
  logoutAll: { ...PATHS.logoutAll, session: true, answer: Nothing },
  config: { ...PATHS.config, session: false, answer: PublicConfig },
  systemStatus: { ...PATHS.systemStatus, session: false, answer: SystemStatus },
  getAccount: { ...PATHS.getAccount, session: true, answer: Account },
  deleteAccount: { ...PATHS.deleteAccount, session: true, answer: Done },
  disconnect: { ...PATHS.disconnect, session: true, answer: Done },
  resetKey: { ...PATHS.resetKey, session: true, answer: Done },
  /** Paths under which this service shows the logos of tokens, signed; null for what can be no logo. */
  logos: { ...PATHS.logos, session: true, body: LogosBody, answer: LogosAnswer },
  /** Names and pictures of tokens, by their mints. */
  tokens: { ...PATHS.tokens, session: true, query: TokensQuery, answer: TokensAnswer },
  /** Events sent to the account by kind, on each of the last 30 days. */
  usage: { ...PATHS.usage, session: true, answer: Usage },
  /** Stream connections of the account, open and of the last 24 hours. */
  connections: { ...PATHS.connections, session: true, answer: Connections },
  /** Closes one open connection, with 4009. */
  closeConnection: { ...PATHS.closeConnection, session: true, body: CloseConnectionBody, answer: Done },
  startTrial: { ...PATHS.startTrial, session: true, body: StartTrialBody, answer: Account },
  manageSubscription: { ...PATHS.manageSubscription, session: true, answer: UrlAnswer },
  checkout: { ...PATHS.checkout, session: true, body: CheckoutBody, answer: UrlAnswer },
} as const
