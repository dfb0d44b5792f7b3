import { join, resolve } from 'node:path'
import { messageOf } from '@pairwire/basics'
import { readNatsAddress } from '@pairwire/bus/nats-address'
import type { SourceKind } from '@pairwire/contract'
import * as z from 'zod'
import { isLoopbackHost } from './loopback.ts'
import { natsFault } from './nats-fault.ts'
import { readArchiveUrl } from './read-archive-url.ts'
import { DEFAULT_RETENTION, readRetention } from './read-retention.ts'
import { readTrustedProxies } from './trusted-proxies.ts'

/**
 * A group of an app's settings: the variables that it reads, and the value made from them. A fault is a sentence that begins
 * with the variable's name; with faults the value is not used.
 */
type SettingsPart<Name extends VariableName, Value> = Readonly<{
  names: readonly VariableName[]
  read(values: Values<Name>, faults: string[]): Value
}>

/** Variables after parsing. */
export type Values<Name extends VariableName> = Readonly<Pick<z.infer<z.ZodObject<typeof VARIABLES>>, Name>>

type VariableName = keyof typeof VARIABLES

/** One or more variables are wrong; the message names each of them on a separate line. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super([...new Set(faults)].join('\n'))
    this.name = 'ConfigError'
  }
}

/** Creates a group of settings, with its types inferred. */
export function settingsPart<Name extends VariableName, Value>(
  names: readonly Name[],
  read: (values: Values<Name>, faults: string[]) => Value,
): SettingsPart<Name, Value> {
  return { names, read }
}

/** The values of several groups from one environment, in one object. */
export type SettingsOf<Parts extends readonly SettingsPart<never, unknown>[]> = Parts extends readonly [
  SettingsPart<never, infer First>,
  ...infer Others extends readonly SettingsPart<never, unknown>[],
]
  ? First & SettingsOf<Others>
  : unknown

/** @throws ConfigError that names all faults at once */
export function readSettings<const Parts extends readonly SettingsPart<never, unknown>[]>(
  environment: NodeJS.ProcessEnv,
  parts: Parts,
): SettingsOf<Parts> {
  const faults: string[] = []
  // A variable set to an empty text counts as not set, as in Compose files; a secret does not.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value?.trim() !== '' || isSecret(name)),
  )
  const names = new Set<string>(parts.flatMap((part) => part.names))
  const shape = Object.fromEntries(Object.entries(VARIABLES).filter(([name]) => names.has(name)))
  const parsed = z.object(shape).safeParse(given)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(faults)
  }
  // Each group gets all variables; its type shows it only its own.
  const values = parsed.data as Values<never>
  const read = parts.map((part) => part.read(values, faults))
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.assign({}, ...read) as SettingsOf<Parts>
}

/** Where this process listens, and at which address people reach the service. */
export const hostSettings = settingsPart(
  ['PORT', 'HOST', 'PUBLIC_URL', 'ALLOW_INSECURE', 'METRICS_TOKEN', 'TRUST_PROXY'],
  (values, faults) => {
    const { publicUrl, production, isSecure, isLoopback } = hostOf(values)
    if (!isSecure && !isLoopback && values.ALLOW_INSECURE !== '1') {
      faults.push(
        'PUBLIC_URL: an address that others can reach needs https; set ALLOW_INSECURE=1 to allow plain http.',
      )
    }
    return {
      host: values.HOST,
      port: values.PORT,
      /** As a browser writes it, without a trailing slash. */
      publicUrl,
      /** Whether `publicUrl` is https or not on this machine: no simulator, no mail to the terminal, secrets required. */
      production,
      /** Whether `publicUrl` and `host` are both on this machine: only then is there a mailbox. */
      isLocal: !production && isLoopbackHost(values.HOST),
      /** The token with which other machines may read `/metrics`; undefined to refuse them. */
      metricsToken: values.METRICS_TOKEN,
      /** Addresses or ranges of the proxies whose forwarded client address is trusted. */
      trustProxy: values.TRUST_PROXY ?? [],
    }
  },
)

/** Where people reach the service, as {@link hostSettings} reads it, for groups that differ on a production host. */
export function hostOf(values: Values<'PORT' | 'PUBLIC_URL'>) {
  const address = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`
  const { hostname, protocol, origin } = new URL(address)
  const isSecure = protocol === 'https:'
  const isLoopback = isLoopbackHost(hostname)
  return { publicUrl: origin, isSecure, isLoopback, production: isSecure || !isLoopback }
}

/** Where everything on disk is stored. */
export const dataSettings = settingsPart(['DATA_DIR'], (values) => ({ dataFolder: resolve(values.DATA_DIR) }))

/** Where accounts are stored, and the secrets that seal them. */
export const storeSettings = settingsPart(
  ['BACKUP_DIR', 'DATABASE_URL', 'SESSION_SECRET', 'KEY_ENCRYPTION_SECRET', 'PORT', 'PUBLIC_URL'],
  (values, faults) => {
    for (const name of ['SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'] as const) {
      if (hostOf(values).production && !values[name]) faults.push(neededInProduction(name))
    }
    return {
      /** Where one backup a day goes; undefined for none. */
      backupFolder: values.BACKUP_DIR && resolve(values.BACKUP_DIR),
      /** PostgreSQL; undefined for the embedded database in `dataFolder`. */
      databaseUrl: values.DATABASE_URL,
      /** Undefined: created once and stored in `dataFolder`. */
      sessionSecret: values.SESSION_SECRET,
      keyEncryptionSecret: values.KEY_ENCRYPTION_SECRET,
    }
  },
)

/** How events and messages travel. */
export const busSettings = settingsPart(['NATS_URL', 'RETENTION', 'PORT', 'PUBLIC_URL'], (values, faults) => {
  const fault = values.NATS_URL && hostOf(values).production && natsFault(values.NATS_URL)
  if (fault) faults.push(fault)
  return {
    /** NATS with JetStream; undefined for the bus within this process. */
    natsUrl: values.NATS_URL,
    /** The retention for resuming, whichever limit is reached first. */
    retention: values.RETENTION,
  }
})

/** Where hours of the stream are stored. */
export const archiveSettings = settingsPart(
  [
    'ARCHIVE_URL',
    'ARCHIVE_ACCESS_KEY',
    'ARCHIVE_SECRET_KEY',
    'ARCHIVE_REGION',
    'ARCHIVE_PUBLIC_URL',
    'ARCHIVE_RETENTION',
    'DATA_DIR',
    'SOLANA_SOURCE',
  ],
  (values, faults) => {
    const { ARCHIVE_ACCESS_KEY: accessKey = '', ARCHIVE_SECRET_KEY: secretKey = '' } = values
    const folder = join(resolve(values.DATA_DIR), 'archive')
    const place = values.ARCHIVE_URL ?? { kind: 'folder' as const, folder }
    const isBucket = place !== 'off' && place.kind === 'bucket'
    if (isBucket && !(accessKey && secretKey)) {
      faults.push('ARCHIVE_ACCESS_KEY: needed with a bucket in ARCHIVE_URL, and so is ARCHIVE_SECRET_KEY.')
    }
    const publicUrl = values.ARCHIVE_PUBLIC_URL && new URL(values.ARCHIVE_PUBLIC_URL).origin
    const access = { accessKey, secretKey, region: values.ARCHIVE_REGION, publicUrl }
    const usual = sourceKindOf(values.SOLANA_SOURCE) === 'chain' ? '31d 50GB' : '2d 2GB'
    return {
      /** Undefined for `off`. */
      archivePlace: place === 'off' ? undefined : isBucket ? { ...place, ...access } : place,
      /** The retention of hours, whichever limit is reached first. */
      archiveRetention: readRetention(values.ARCHIVE_RETENTION ?? usual, usual),
    }
  },
)

/** Where the chain is read from. */
export const sourceSettings = settingsPart(
  ['SOLANA_SOURCE', 'SOLANA_SOURCE_TOKEN', 'SOLANA_RPC_URL', 'PORT', 'PUBLIC_URL'],
  (values, faults) => {
    const solanaSource = values.SOLANA_SOURCE ?? 'simulator'
    if (hostOf(values).production && /^\s*simulator\b/i.test(solanaSource)) {
      faults.push(
        'SOLANA_SOURCE: a production host (see PUBLIC_URL) does not run on the simulator. Name the live chain, ' +
          'yellowstone+https://<host> with its token in SOLANA_SOURCE_TOKEN, rpc+https://<host> or logs+wss://<host>, or replay:<file or folder>. ' +
          '`npm run pairwire -- check-source <url>` says whether an endpoint can be used.',
      )
    }
    return {
      solanaSource,
      /** Whether the data is simulated or a recording: then every answer and every page says so. */
      simulated: sourceKindOf(solanaSource) !== 'chain',
      /** Whether it delivers transactions that are executed but not confirmed yet. */
      servesEarly: /(^|\s)(simulator\b|yellowstone\+)/i.test(solanaSource),
      /** Stored data of one kind of source is not valid for another's chain. */
      sourceKind: sourceKindOf(solanaSource),
      /** Whether events have positions in the chain, which program logs do not give. */
      hasPlaces: !/(^|\s)logs\+/i.test(solanaSource),
      /** Tokens of the sources, in their order. */
      solanaSourceTokens: (values.SOLANA_SOURCE_TOKEN ?? '').split(/\s+/).filter(Boolean),
      /** The RPC from which gaps are filled; undefined for the source itself, if it is an RPC. */
      solanaRpcUrl: values.SOLANA_RPC_URL,
    }
  },
)

function sourceKindOf(setting = 'simulator'): SourceKind {
  if (/^\s*simulator\b/i.test(setting)) return 'simulator'
  return /^\s*replay:/i.test(setting) ? 'recording' : 'chain'
}

/** The sentence about a variable that a production host requires. */
export function neededInProduction(name: VariableName): string {
  return `${name}: needed on a production host (see PUBLIC_URL).`
}

/** The variables that a part that runs alone requires, each with its purpose. */
export function aloneSettings<Name extends keyof typeof ALONE>(...names: Name[]) {
  return settingsPart(names, (values, faults) => {
    const found: Record<string, unknown> = {}
    for (const name of names) {
      const value = values[name]
      if (value === undefined) faults.push(`${name}: required by a part that runs alone. ${ALONE[name].why}`)
      else found[ALONE[name].key] = value
    }
    // Otherwise there are faults.
    return found as { [Key in Name as (typeof ALONE)[Key]['key']]: NonNullable<Values<Name>[Key]> }
  })
}

const ALONE = {
  NATS_URL: {
    key: 'natsUrl',
    why: 'The parts of a deployment talk to each other through it: nats://<user>:<password>@<host>:4222.',
  },
  ARCHIVE_URL: {
    key: 'archiveUrl',
    why: 'The archiver and the api need the same bucket or folder; with off no hours are kept.',
  },
  DATABASE_URL: {
    key: 'databaseUrl',
    why: 'Accounts are in a PostgreSQL that all parts share: postgres://<user>:<password>@<host>/<database>.',
  },
  KEY_ENCRYPTION_SECRET: {
    key: 'keyEncryptionSecret',
    why: 'It must be the same for every gateway and the api, which all read the same keys.',
  },
  SESSION_SECRET: {
    key: 'sessionSecret',
    why: 'It must be the same for every api, which all read the same sessions.',
  },
} as const

/** Prices of one plan, at least one. */
export type Prices = readonly [string, ...string[]]

const wholeNumber = (low: number, high: number) => {
  const fault = `must be a whole number from ${low} to ${high}.`
  return z.coerce.number('is not a number.').int(fault).min(low, fault).max(high, fault)
}

const WEB = { protocol: /^https?$/, error: 'must be an http or https address.' }
const webAddress = z.url(WEB)
/** A close reason that names it has 123 bytes at most. */
const SUPPORT = 'must be an email address of 86 characters at most.'

/** An address that is completed by appending a path. */
const baseAddress = z.url({ ...WEB, abort: true }).refine((text) => {
  const { username, password, search, hash } = new URL(text)
  return `${username}${password}${search}${hash}` === ''
}, 'must be an address without a user, a query or a fragment.')

const root = (why: string) =>
  baseAddress.refine((text) => new URL(text).pathname === '/', `must have no path: ${why}`)

/** Blanks do not count: a secret is random, and a value of blanks was lost. */
const secret = z
  .string()
  .refine((text) => text.trim().length >= 32, 'must have at least 32 characters; it may have been cut off.')

/** An empty value was lost on its way here: continuing with another one would lock everybody out. */
function isSecret(name: string): boolean {
  return name === 'SESSION_SECRET' || name === 'KEY_ENCRYPTION_SECRET'
}

/** The result of `read` on the text, or its error as the fault. */
const readBy = <Value>(read: (text: string) => Value) =>
  z.string().transform((text, context): Value => {
    try {
      return read(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) })
      return z.NEVER
    }
  })

/** Ids separated by commas. */
const prices = z
  .string()
  .regex(/^ *[^\s,]+( *, *[^\s,]+)* *$/, 'must be the id of a price, or several separated by commas.')
  .transform((text): Prices => {
    const [first = '', ...others] = text.split(',').map((id) => id.trim())
    return [first, ...others]
  })

const price = z.string().regex(/^[^\s,]+$/, 'must be the id of one price.')

/** Every variable that any of our processes reads, each once. */
export const VARIABLES = {
  PORT: wholeNumber(1, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: root('the pages stand at the root of their host.').optional(),
  ALLOW_INSECURE: z.enum(['0', '1'], 'must be 1, or not set.').optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address.' }).optional(),
  BACKUP_DIR: z.string().optional(),
  BRAND_DIR: z.string().optional(),
  NATS_URL: readBy((text) => readNatsAddress(text) && text).optional(),
  RETENTION: readBy(readRetention).default(readRetention(DEFAULT_RETENTION)),
  ARCHIVE_URL: readBy(readArchiveUrl).optional(),
  ARCHIVE_ACCESS_KEY: z.string().optional(),
  ARCHIVE_SECRET_KEY: z.string().optional(),
  ARCHIVE_REGION: z.string().default('us-east-1'),
  ARCHIVE_PUBLIC_URL: root('the bucket comes after it.').optional(),
  ARCHIVE_RETENTION: readBy((text) => readRetention(text) && text).optional(),
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
  TRUST_PROXY: readBy(readTrustedProxies).optional(),
  ADMIN_ALLOW: z.string().optional(),
  ADMIN_URL: baseAddress.optional(),
  ALARM_URL: webAddress.optional(),
  REGISTRATION: z.enum(['open', 'closed'], 'must be open or closed.').default('open'),
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
  PADDLE_PRICE_HOUR: price.optional(),
  PADDLE_PRICE_DAY: price.optional(),
  PADDLE_PRICE_WEEK: price.optional(),
  PADDLE_PRICE_MONTH: price.optional(),
  PADDLE_API_URL: webAddress.optional(),
  CAPTCHA_PROVIDER: z.enum(['altcha', 'recaptcha'], 'must be altcha or recaptcha.').default('altcha'),
  RECAPTCHA_SITE_KEY: z.string().optional(),
  RECAPTCHA_SECRET: z.string().optional(),
  STATUS_URL: z
    .union([z.string().regex(/^\/(?![/\\])/), webAddress], 'must be a path or an http(s) address.')
    .default('/status'),
  SUPPORT_EMAIL: z.email(SUPPORT).max(86, SUPPORT).default('support@pairwire.example'),
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
}
