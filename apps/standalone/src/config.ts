import { resolve } from 'node:path'
import { isLoopbackHost } from '@pairwire/api/loopback'
import type { Retention } from '@pairwire/bus'
import type { PlanId } from '@pairwire/contract'
import { z } from 'zod'
import { DEFAULT_RETENTION, readRetention } from './read-retention.ts'
import { readTrustedProxies } from './trusted-proxies.ts'

/** Everything that the environment settles, read once. */
export type Config = Readonly<{
  host: string
  port: number
  /** As a browser writes it, without a slash at its end. */
  publicUrl: string
  /** Whether `publicUrl` is https or not of this machine: no simulator, no mail to the terminal, secrets required. */
  production: boolean
  /** Whether `publicUrl` and `host` are both of this machine: only then there is a mailbox to look into. */
  isLocal: boolean
  dataFolder: string
  /** PostgreSQL; undefined for the embedded database in `dataFolder`. */
  databaseUrl: string | undefined
  /** What is kept for resuming, whichever bound comes first. */
  retention: Retention
  solanaSource: string
  /** Tokens of the sources, in their order. */
  solanaSourceTokens: readonly string[]
  /** The RPC from which holes are filled; undefined for the source itself, where it is one. */
  solanaRpcUrl: string | undefined
  smtpUrl: string | undefined
  mailFrom: string
  /** Addresses or ranges of the proxies whose forwarded client address is believed. */
  trustProxy: readonly string[]
  connectRatePerAddress: number
  authRatePerAddress: number
  /** With which others than this machine may read `/metrics`; undefined for none of them. */
  metricsToken: string | undefined
  /** Undefined: made once and kept in `dataFolder`. */
  sessionSecret: string | undefined
  keyEncryptionSecret: string | undefined
  /** Undefined where plans are not sold, as on a production host that names no provider. */
  payment:
    | Readonly<{ provider: 'sandbox' }>
    | Readonly<{
        provider: 'paddle'
        apiKey: string
        clientToken: string
        webhookSecret: string
        /** The first of each plan is for new customers. */
        prices: Readonly<Record<PlanId, Prices>>
        /** Undefined for Paddle's own address. */
        apiUrl: string | undefined
      }>
    | undefined
  captcha: Readonly<{ provider: 'altcha' } | { provider: 'recaptcha'; siteKey: string; secret: string }>
  statusUrl: string
  supportEmail: string
  links: Readonly<{ discord: string; github: string; x: string; reddit: string }>
  /** What the pages may load of others; each off until its variable is set. */
  thirdParties: Readonly<{ sentryDsn?: string; crispWebsiteId?: string; clarityProjectId?: string }>
}>

/** Prices of one plan, one at least. */
type Prices = readonly [string, ...string[]]

/** One or more variables are wrong; the message names each of them on a line of its own. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
  }
}

/** Parts that the present version does not have, by the variable that would name them. */
const ABSENT_PARTS: Readonly<Record<string, string>> = {
  NATS_URL: 'NATS_URL: this version has the in-process bus only; NATS is not part of it.',
  ARCHIVE_URL: 'ARCHIVE_URL: this version keeps no archive; S3-compatible storage is not part of it.',
}

/** @throws ConfigError that names every fault at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  // A variable that is set to nothing counts as not set, as Compose files leave them; a secret does not.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value?.trim() !== '' || isSecret(name)),
  )

  for (const [name, sentence] of Object.entries(ABSENT_PARTS)) if (given[name]) faults.push(sentence)

  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(faults)
  }
  const values = parsed.data
  const { hostname, protocol, origin, pathname } = new URL(
    values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
  )
  const isLoopback = isLoopbackHost(hostname)
  const production = protocol === 'https:' || !isLoopback

  if (protocol !== 'https:' && !isLoopback && values.ALLOW_INSECURE !== '1') {
    faults.push(
      'PUBLIC_URL: an address that others can reach needs https; set ALLOW_INSECURE=1 to do without it.',
    )
  }
  if (production) faults.push(...productionFaults(values))
  if (values.CAPTCHA_PROVIDER === 'recaptcha') {
    for (const name of ['RECAPTCHA_SITE_KEY', 'RECAPTCHA_SECRET'] as const) {
      if (!values[name]) faults.push(`${name}: needed with CAPTCHA_PROVIDER=recaptcha.`)
    }
  }
  if (values.PAYMENT_PROVIDER === 'paddle') {
    for (const name of PADDLE_VARIABLES) {
      if (!values[name]) faults.push(`${name}: needed with PAYMENT_PROVIDER=paddle.`)
    }
    const prices = [values.PADDLE_PRICE_1, values.PADDLE_PRICE_2, values.PADDLE_PRICE_3].flatMap(
      (ids) => ids ?? [],
    )
    if (new Set(prices).size < prices.length) faults.push('PADDLE_PRICE_1..3: each price may stand once.')
  }
  if (values.SMTP_URL && !values.MAIL_FROM) faults.push('MAIL_FROM: needed with SMTP_URL.')
  if (faults.length > 0) throw new ConfigError(faults)

  return {
    host: values.HOST,
    port: values.PORT,
    publicUrl: `${origin}${pathname}`.replace(/\/+$/, ''),
    production,
    isLocal: !production && isLoopbackHost(values.HOST),
    dataFolder: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    retention: values.RETENTION,
    solanaSource: values.SOLANA_SOURCE ?? 'simulator',
    solanaRpcUrl: values.SOLANA_RPC_URL,
    solanaSourceTokens: (values.SOLANA_SOURCE_TOKEN ?? '').split(/\s+/).filter(Boolean),
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? 'Pairwire <pairwire@localhost>',
    trustProxy: values.TRUST_PROXY ?? [],
    connectRatePerAddress: values.CONNECT_RATE_PER_ADDRESS,
    authRatePerAddress: values.AUTH_RATE_PER_ADDRESS,
    metricsToken: values.METRICS_TOKEN,
    sessionSecret: values.SESSION_SECRET,
    keyEncryptionSecret: values.KEY_ENCRYPTION_SECRET,
    payment: readPayment(values, production),
    captcha:
      values.CAPTCHA_PROVIDER === 'recaptcha'
        ? { provider: 'recaptcha', siteKey: values.RECAPTCHA_SITE_KEY!, secret: values.RECAPTCHA_SECRET! }
        : { provider: 'altcha' },
    statusUrl: values.STATUS_URL,
    supportEmail: values.SUPPORT_EMAIL,
    links: {
      discord: values.DISCORD_URL,
      github: values.GITHUB_URL,
      x: values.X_URL,
      reddit: values.REDDIT_URL,
    },
    thirdParties: {
      // Only what runs in public is worth a report.
      ...(production && values.SENTRY_DSN ? { sentryDsn: values.SENTRY_DSN } : {}),
      ...(values.CRISP_WEBSITE_ID ? { crispWebsiteId: values.CRISP_WEBSITE_ID } : {}),
      ...(values.CLARITY_PROJECT_ID ? { clarityProjectId: values.CLARITY_PROJECT_ID } : {}),
    },
  }
}

/** What of the environment says where the chain is read; nothing else of it has to be sound. */
export function readSourceConfig(
  environment: NodeJS.ProcessEnv,
): Pick<Config, 'solanaSource' | 'solanaSourceTokens' | 'solanaRpcUrl'> {
  const { SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL } = environment
  return readConfig({ SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL })
}

/** All that Paddle cannot do without. */
const PADDLE_VARIABLES = [
  'PADDLE_API_KEY',
  'PADDLE_CLIENT_TOKEN',
  'PADDLE_WEBHOOK_SECRET',
  'PADDLE_PRICE_1',
  'PADDLE_PRICE_2',
  'PADDLE_PRICE_3',
] as const

/** Values that were found to be complete. A production host that names no provider has none. */
function readPayment(values: z.infer<typeof Environment>, production: boolean): Config['payment'] {
  if (values.PAYMENT_PROVIDER === 'paddle') {
    return {
      provider: 'paddle',
      apiKey: values.PADDLE_API_KEY!,
      clientToken: values.PADDLE_CLIENT_TOKEN!,
      webhookSecret: values.PADDLE_WEBHOOK_SECRET!,
      prices: { 1: values.PADDLE_PRICE_1!, 2: values.PADDLE_PRICE_2!, 3: values.PADDLE_PRICE_3! },
      apiUrl: values.PADDLE_API_URL,
    }
  }
  return production ? undefined : { provider: 'sandbox' }
}

const wholeNumber = (low: number, high: number) =>
  z.coerce
    .number('is not a number.')
    .int(`must be a whole number from ${low} to ${high}.`)
    .min(low, `must be a whole number from ${low} to ${high}.`)
    .max(high, `must be a whole number from ${low} to ${high}.`)

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address.' })

/** An address that other addresses are made of, by putting a path behind it. */
const baseAddress = webAddress.refine((text) => {
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ''
}, 'must be an address without a user, a query or a fragment.')

/** Blanks count for nothing: a secret is random, and a value of blanks is one that was lost. */
const secret = z
  .string()
  .refine((text) => text.trim().length >= 32, 'must have at least 32 characters; it may have been cut off.')

/** One that is set to nothing was lost on its way here: to go on with another one would lock everybody out. */
function isSecret(name: string): boolean {
  return name === 'SESSION_SECRET' || name === 'KEY_ENCRYPTION_SECRET'
}

/** A value that `read` makes of the text, or what it throws as the fault. */
const readBy = <Value>(read: (text: string) => Value) =>
  z.string().transform((text, context): Value => {
    try {
      return read(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  })

const trustedProxies = readBy(readTrustedProxies)

const retention = readBy(readRetention)

/** Ids with commas between. */
const prices = z
  .string()
  .regex(/^ *[^\s,]+( *, *[^\s,]+)* *$/, 'must be the id of a price, or several with commas between.')
  .transform((text): Prices => {
    const [first = '', ...others] = text.split(',').map((id) => id.trim())
    return [first, ...others]
  })

const Environment = z.object({
  PORT: wholeNumber(1, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: baseAddress.optional(),
  ALLOW_INSECURE: z.enum(['0', '1'], 'must be 1, or not set.').optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address.' }).optional(),
  RETENTION: retention.default(readRetention(DEFAULT_RETENTION)),
  SOLANA_SOURCE: z.string().optional(),
  SOLANA_SOURCE_TOKEN: z.string().optional(),
  SOLANA_RPC_URL: webAddress.optional(),
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      hostname: /./,
      error: 'must be an smtp:// or smtps:// address with a host.',
    })
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address, such as Pairwire <hello@pairwire.example>.',
    )
    .optional(),
  TRUST_PROXY: trustedProxies.optional(),
  CONNECT_RATE_PER_ADDRESS: wholeNumber(1, 1_000_000).default(50),
  AUTH_RATE_PER_ADDRESS: wholeNumber(1, 1_000_000).default(10),
  METRICS_TOKEN: z.string().regex(/^\S+$/, 'must be one word.').optional(),
  SESSION_SECRET: secret.optional(),
  KEY_ENCRYPTION_SECRET: secret.optional(),
  PAYMENT_PROVIDER: z.enum(['sandbox', 'paddle'], 'must be sandbox or paddle.').optional(),
  PADDLE_API_KEY: z.string().optional(),
  PADDLE_CLIENT_TOKEN: z.string().optional(),
  PADDLE_WEBHOOK_SECRET: z.string().optional(),
  PADDLE_PRICE_1: prices.optional(),
  PADDLE_PRICE_2: prices.optional(),
  PADDLE_PRICE_3: prices.optional(),
  PADDLE_API_URL: webAddress.optional(),
  CAPTCHA_PROVIDER: z.enum(['altcha', 'recaptcha'], 'must be altcha or recaptcha.').default('altcha'),
  RECAPTCHA_SITE_KEY: z.string().optional(),
  RECAPTCHA_SECRET: z.string().optional(),
  STATUS_URL: z
    .union([z.string().regex(/^\/(?![/\\])/), webAddress], 'must be a path or an http(s) address.')
    .default('/status'),
  SUPPORT_EMAIL: z.email('must be an email address.').default('support@pairwire.example'),
  DISCORD_URL: webAddress.default('https://discord.com/'),
  GITHUB_URL: webAddress.default('https://github.com/'),
  X_URL: webAddress.default('https://x.com/'),
  REDDIT_URL: webAddress.default('https://www.reddit.com/'),
  SENTRY_DSN: z
    .string()
    .regex(
      /^https:\/\/[0-9a-z]+@[^/?#@]+(\/[^/?#]+)*\/\d+$/i,
      'must be a Sentry DSN, https://<key>@<host>/<project>.',
    )
    .optional(),
  CRISP_WEBSITE_ID: z.uuid('must be the website id that Crisp shows.').optional(),
  CLARITY_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-z]{1,40}$/i, 'must be the project id that Clarity shows.')
    .optional(),
})

/** What a public host may not be without, and what it may not be with. */
function productionFaults(values: z.infer<typeof Environment>): string[] {
  const faults: string[] = []
  if (/^\s*simulator\b/i.test(values.SOLANA_SOURCE ?? 'simulator')) {
    faults.push(
      'SOLANA_SOURCE: a production host (see PUBLIC_URL) does not run on the simulator. Name the live chain, ' +
        'yellowstone+https://<host> with its token in SOLANA_SOURCE_TOKEN, rpc+https://<host> or logs+wss://<host>, or replay:<file or folder>. ' +
        '`npm run pairwire -- check-source <url>` says whether an endpoint can be used.',
    )
  }
  if (!values.SMTP_URL) faults.push('SMTP_URL: needed on a production host (see PUBLIC_URL).')
  if (!values.SESSION_SECRET) faults.push('SESSION_SECRET: needed on a production host (see PUBLIC_URL).')
  if (!values.KEY_ENCRYPTION_SECRET) {
    faults.push('KEY_ENCRYPTION_SECRET: needed on a production host (see PUBLIC_URL).')
  }
  if (values.PAYMENT_PROVIDER === 'sandbox') {
    faults.push('PAYMENT_PROVIDER: a production host (see PUBLIC_URL) has no built-in checkout.')
  }
  return faults
}
