import * as z from 'zod'
import {
  Account,
  AuthenticateAnswer,
  CaptchaChallenge,
  Done,
  LogosAnswer,
  Nothing,
  PublicConfig,
  SystemStatus,
  TokensAnswer,
  UrlAnswer,
} from './answers.ts'
import { isAddress } from './base58.ts'
import { FilterTrial } from './history/filter-trial.ts'
import { WholeHour } from './history/whole-hour.ts'
import { HistoryAnswer, NewOrder, OfferId, Orders, OrderWithFiles } from './history-answers.ts'
import { LATER_PATHS } from './later-paths.ts'
import { ORIGINS, PATHS } from './paths.ts'
import { Connections, Usage } from './usage.ts'

/** An email as typed into a form; at most 254 characters (RFC 5321 section 4.5.3.1.3). */
export const Email = z.email('Please enter an email address').max(254, 'Please enter an email address')

export const LoginBody = z.object({ email: Email })
export type LoginBody = z.infer<typeof LoginBody>

/** `recaptcha_token` is base64 JSON of `{challenge, solution}` with ALTCHA, else the provider's own token. */
export const RegisterBody = z.object({
  email: Email,
  recaptcha_token: z.string().max(16_384),
  enable_marketing_emails: z.boolean(),
  origin: z.enum(ORIGINS, 'Please select how you found us'),
})
export type RegisterBody = z.infer<typeof RegisterBody>

/** `email_token` is the `t` of a mailed link. */
const AuthenticateBody = z.object({ email_token: z.string().min(1).max(200) })

/** The plan to try, or to pay for. */
export const PlanBody = z.object({ plan_id: z.literal([1, 2, 3]) })
export type PlanBody = z.infer<typeof PlanBody>

/** Addresses of tokens' logos as events carry them: `https:`, `ipfs:` or `ar:`. */
const LogosBody = z.object({ urls: z.array(z.string().max(2_048)).min(1).max(50) })

/** Mints in one request. */
const TOKENS_MAX = 100

/** Requested mints, separated by commas. */
const TokensQuery = z.object({
  mints: z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.string().refine(isAddress, 'A mint is the base58 form of 32 bytes.'))
        .max(TOKENS_MAX, `Ask for ${TOKENS_MAX} mints at most.`),
    ),
})

/** The connection to close. */
const CloseConnectionBody = z.object({ id: z.uuid() })

/** Where the window ends; by default at the last whole hour. */
const HistoryQuery = z.object({ to: z.optional(WholeHour) })

/** A window to buy. */
export const OrderBody = z.object({
  offer: OfferId,
  to: z.optional(WholeHour),
})
export type OrderBody = z.infer<typeof OrderBody>

/** Most hours that a filter is tried on. */
const TRIAL_HOURS_MAX = 24

/** A filter to try on the last `hours` complete hours. `params` are those of a subscribe. */
export const TryFilterBody = z.object({
  kind: z.enum(['swap', 'newPair']),
  params: z.record(z.string(), z.unknown()).nullish(),
  hours: z.number().int().min(1).max(TRIAL_HOURS_MAX),
})
export type TryFilterBody = z.infer<typeof TryFilterBody>

/** A key, for programs that set no header. */
const KeyQuery = z.object({ key: z.optional(z.string().max(100)) })

/** What a plan allows. */
const PlanAnswer = z.object({
  id: z.number(),
  name: z.string(),
  usdPerMonth: z.number(),
  swapEventsPerPeriod: z.number().nullable(),
  swapFilterAccounts: z.number(),
  swapFilterRequired: z.boolean(),
  connections: z.number(),
  webhooks: z.number(),
})

/** The browser's settings, with what our own pages take from their first HTML instead. */
const ServedConfig = z.object({
  ...PublicConfig.shape,
  /** The name of the service, if it is not the software's. */
  name: z.string().optional(),
  /** Plans and days of the trial, if the operator has set any of their figures. */
  plans: z.array(PlanAnswer).optional(),
  trialDays: z.number().optional(),
})
export type ServedConfig = z.infer<typeof ServedConfig>

/** Every call of the HTTP API: method, path, whether it needs a session, and the shapes of its request and answer. */
export const routes = {
  authenticate: { ...PATHS.authenticate, session: false, body: AuthenticateBody, answer: AuthenticateAnswer },
  login: { ...PATHS.login, session: false, body: LoginBody, answer: Done },
  register: { ...PATHS.register, session: false, body: RegisterBody, answer: Done },
  captcha: { ...PATHS.captcha, session: false, answer: CaptchaChallenge },
  /** Ends the session that makes the call. */
  logout: { ...PATHS.logout, session: true, answer: Nothing },
  /** Ends every session of the account, including the one that makes the call. */
  logoutAll: { ...PATHS.logoutAll, session: true, answer: Nothing },
  config: { ...PATHS.config, session: false, answer: ServedConfig },
  systemStatus: { ...PATHS.systemStatus, session: false, answer: SystemStatus },
  getAccount: { ...PATHS.getAccount, session: true, answer: Account },
  deleteAccount: { ...PATHS.deleteAccount, session: true, answer: Done },
  disconnect: { ...PATHS.disconnect, session: true, answer: Done },
  resetKey: { ...PATHS.resetKey, session: true, answer: Done },
  /** Signed paths at which this service shows the logos of tokens; null if there can be no logo. */
  logos: { ...PATHS.logos, session: true, body: LogosBody, answer: LogosAnswer },
  /** Names and pictures of tokens, by their mints. */
  tokens: { ...PATHS.tokens, session: true, query: TokensQuery, answer: TokensAnswer },
  /** Events sent to the account by kind, on each of the last 30 days. */
  usage: { ...PATHS.usage, session: true, answer: Usage },
  /** Stream connections of the account, open and of the last 24 hours. */
  connections: { ...PATHS.connections, session: true, answer: Connections },
  /** Closes one open connection, with 4009. */
  closeConnection: { ...PATHS.closeConnection, session: true, body: CloseConnectionBody, answer: Done },
  history: { ...LATER_PATHS.history, session: false, query: HistoryQuery, answer: HistoryAnswer },
  createOrder: { ...LATER_PATHS.createOrder, session: true, body: OrderBody, answer: NewOrder },
  listOrders: { ...LATER_PATHS.listOrders, session: true, answer: Orders },
  getOrder: { ...LATER_PATHS.getOrder, session: true, answer: OrderWithFiles },
  tryFilter: { ...LATER_PATHS.tryFilter, session: true, body: TryFilterBody, answer: FilterTrial },
  /** For programs: what the plan of their key allows; `plan` is null without one in force. */
  keyPlan: {
    ...LATER_PATHS.keyPlan,
    session: false,
    query: KeyQuery,
    answer: z.object({ plan: PlanAnswer.nullable(), simulated: z.boolean() }),
  },
  startTrial: { ...PATHS.startTrial, session: true, body: PlanBody, answer: Account },
  manageSubscription: { ...PATHS.manageSubscription, session: true, answer: UrlAnswer },
  checkout: { ...PATHS.checkout, session: true, body: PlanBody, answer: UrlAnswer },
} as const
