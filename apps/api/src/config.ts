import { messageOf } from '@pairwire/basics'
import { brandSettings } from '@pairwire/process/brand'
import {
  aloneSettings,
  archiveSettings,
  busSettings,
  dataSettings,
  hostOf,
  hostSettings,
  neededInProduction,
  readSettings,
  type SettingsOf,
  settingsPart,
  sourceSettings,
  storeSettings,
  type Values,
} from '@pairwire/process/settings'
import type { PaddleParts } from './adapters/billing-paddle.ts'
import { readHiddenConfig } from './operator/doctor/hidden-texts.ts'
import { readAdminAllow } from './operator/session/admin-allow.ts'
import type { ApiParts } from './parts.ts'

/** All variables that Paddle requires. */
const PADDLE_VARIABLES = [
  'PADDLE_API_KEY',
  'PADDLE_CLIENT_TOKEN',
  'PADDLE_WEBHOOK_SECRET',
  'PADDLE_PRICE_1',
  'PADDLE_PRICE_2',
  'PADDLE_PRICE_3',
] as const

/** Paddle's one-off prices of history: all or none. */
const ORDER_PRICES = [
  'PADDLE_PRICE_HOUR',
  'PADDLE_PRICE_DAY',
  'PADDLE_PRICE_WEEK',
  'PADDLE_PRICE_MONTH',
] as const

/** Settings that the api reads in addition to those of all parts. */
const apiSettings = settingsPart(
  [
    'PORT',
    'PUBLIC_URL',
    'ADMIN_ALLOW',
    'ADMIN_URL',
    'ALARM_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'REGISTRATION',
    'AUTH_RATE_PER_ADDRESS',
    'PAYMENT_PROVIDER',
    ...PADDLE_VARIABLES,
    ...ORDER_PRICES,
    'PADDLE_API_URL',
    'CAPTCHA_PROVIDER',
    'RECAPTCHA_SITE_KEY',
    'RECAPTCHA_SECRET',
    'STATUS_URL',
    'SUPPORT_EMAIL',
    'DISCORD_URL',
    'GITHUB_URL',
    'X_URL',
    'REDDIT_URL',
    'SENTRY_DSN',
    'CRISP_WEBSITE_ID',
    'CLARITY_PROJECT_ID',
  ],
  (values, faults) => {
    const { production } = hostOf(values)
    if (production && !values.SMTP_URL) faults.push(neededInProduction('SMTP_URL'))
    if (production && values.PAYMENT_PROVIDER === 'sandbox') {
      faults.push('PAYMENT_PROVIDER: a production host (see PUBLIC_URL) has no built-in checkout.')
    }
    if (values.CAPTCHA_PROVIDER === 'recaptcha') {
      for (const name of ['RECAPTCHA_SITE_KEY', 'RECAPTCHA_SECRET'] as const) {
        if (!values[name]) faults.push(`${name}: needed with CAPTCHA_PROVIDER=recaptcha.`)
      }
    }
    if (values.SMTP_URL && !values.MAIL_FROM) faults.push('MAIL_FROM: needed with SMTP_URL.')
    return {
      ...readRoom(values, faults),
      /** Where alarms are posted; undefined for nowhere. */
      alarmUrl: values.ALARM_URL,
      smtpUrl: values.SMTP_URL,
      mailFrom: values.MAIL_FROM ?? 'Pairwire <pairwire@localhost>',
      registration: values.REGISTRATION,
      authRatePerAddress: values.AUTH_RATE_PER_ADDRESS,
      payment: readPayment(values, production, faults),
      captcha: readCaptcha(values),
      statusUrl: values.STATUS_URL,
      supportEmail: values.SUPPORT_EMAIL,
      links: {
        discord: values.DISCORD_URL,
        github: values.GITHUB_URL,
        x: values.X_URL,
        reddit: values.REDDIT_URL,
      },
      /** Third-party services that the pages may load; each off until its variable is set. */
      thirdParties: {
        // Only a public deployment is worth reporting.
        ...(production && values.SENTRY_DSN ? { sentryDsn: values.SENTRY_DSN } : {}),
        ...(values.CRISP_WEBSITE_ID ? { crispWebsiteId: values.CRISP_WEBSITE_ID } : {}),
        ...(values.CLARITY_PROJECT_ID ? { clarityProjectId: values.CLARITY_PROJECT_ID } : {}),
      },
    }
  },
)

/** Settings of the HTTP side, in one process with all other parts or alone. */
export const DOOR_PARTS = [
  hostSettings,
  sourceSettings,
  apiSettings,
  brandSettings,
  storeSettings,
  dataSettings,
  busSettings,
  archiveSettings,
] as const
export type DoorConfig = SettingsOf<typeof DOOR_PARTS>

/** All groups of settings that the api reads. */
export const PARTS = [
  ...DOOR_PARTS,
  aloneSettings('NATS_URL', 'ARCHIVE_URL', 'DATABASE_URL', 'SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'),
] as const

export { readHiddenConfig }

/** The configuration of an api that runs alone, read once from the environment. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names all faults at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}

type Payment =
  | Readonly<{ provider: 'sandbox' }>
  | ({ readonly provider: 'paddle' } & Omit<
      PaddleParts,
      'production' | 'clock' | 'warn' | 'error' | 'timeoutMs'
    >)

/** Where the operator's room answers. */
function readRoom(
  { ADMIN_ALLOW, ADMIN_URL }: Values<'ADMIN_ALLOW' | 'ADMIN_URL'>,
  faults: string[],
): Pick<ApiParts, 'adminAllow' | 'adminUrl'> {
  try {
    if (ADMIN_ALLOW !== undefined) readAdminAllow(ADMIN_ALLOW)
  } catch (error) {
    faults.push(`ADMIN_ALLOW: ${messageOf(error)}`)
  }
  const { protocol, pathname, origin } = new URL(ADMIN_URL ?? 'https://localhost')
  if (protocol !== 'https:' || pathname !== '/') {
    faults.push('ADMIN_URL: must be an https address without a path.')
  }
  return { adminAllow: ADMIN_ALLOW, adminUrl: ADMIN_URL && origin }
}

type PaymentVariable =
  | 'PAYMENT_PROVIDER'
  | 'PADDLE_API_URL'
  | (typeof PADDLE_VARIABLES)[number]
  | (typeof ORDER_PRICES)[number]

/** A production host that names no provider has none: plans are not sold there. */
function readPayment(
  values: Values<PaymentVariable>,
  production: boolean,
  faults: string[],
): Payment | undefined {
  if (values.PAYMENT_PROVIDER !== 'paddle') return production ? undefined : { provider: 'sandbox' }

  for (const name of PADDLE_VARIABLES) {
    if (!values[name]) faults.push(`${name}: needed with PAYMENT_PROVIDER=paddle.`)
  }
  const missing = ORDER_PRICES.filter((name) => !values[name])
  const isHistorySold = missing.length === 0
  if (!isHistorySold && missing.length < ORDER_PRICES.length) {
    for (const name of missing) faults.push(`${name}: set all four prices of history, or none.`)
  }
  const { PADDLE_PRICE_HOUR, PADDLE_PRICE_DAY, PADDLE_PRICE_WEEK, PADDLE_PRICE_MONTH } = values
  const orderPrices = {
    hour: PADDLE_PRICE_HOUR!,
    day: PADDLE_PRICE_DAY!,
    week: PADDLE_PRICE_WEEK!,
    month: PADDLE_PRICE_MONTH!,
  }
  const prices = [values.PADDLE_PRICE_1, values.PADDLE_PRICE_2, values.PADDLE_PRICE_3].flatMap(
    (ids) => ids ?? [],
  )
  if (isHistorySold) prices.push(...Object.values(orderPrices))
  if (new Set(prices).size < prices.length) faults.push('PADDLE_PRICE_1..3: each price may appear only once.')
  return {
    provider: 'paddle',
    apiKey: values.PADDLE_API_KEY!,
    clientToken: values.PADDLE_CLIENT_TOKEN!,
    webhookSecret: values.PADDLE_WEBHOOK_SECRET!,
    prices: { 1: values.PADDLE_PRICE_1!, 2: values.PADDLE_PRICE_2!, 3: values.PADDLE_PRICE_3! },
    orderPrices: isHistorySold ? orderPrices : undefined,
    apiUrl: values.PADDLE_API_URL,
  }
}

function readCaptcha(
  values: Values<'CAPTCHA_PROVIDER' | 'RECAPTCHA_SITE_KEY' | 'RECAPTCHA_SECRET'>,
): Readonly<{ provider: 'altcha' } | { provider: 'recaptcha'; siteKey: string; secret: string }> {
  return values.CAPTCHA_PROVIDER === 'recaptcha'
    ? { provider: 'recaptcha', siteKey: values.RECAPTCHA_SITE_KEY!, secret: values.RECAPTCHA_SECRET! }
    : { provider: 'altcha' }
}
