import { LOGIN_TOKEN_MS, SESSION_MS } from '@pairwire/accounts'
import {
  CLOSE_REASONS,
  DAY_MS,
  STREAM_LIMITS as LIMITS,
  MINUTE_MS,
  TRIAL,
  WEBHOOK_LIMITS as WEBHOOKS,
  WHALE_USD,
  STREAM_LIMIT_WORDS as WORDS,
} from '@pairwire/contract'
import { STREAM_SENTENCES } from '@pairwire/filter'
import {
  BODY_MAX_BYTES,
  CALLS_PER_ACCOUNT,
  MAILS_PER_ADDRESS,
  MAILS_PER_EMAIL,
  REQUEST_TIMEOUT_MS,
} from '../../limits.ts'
import type { CodeSamples } from '../code-samples.ts'
import type { DocsSettings } from './doc-page.ts'
import { EXAMPLE_FRAMES } from './example-frames.ts'
import {
  alarmTable,
  callTable,
  EXCHANGE_LISTS,
  errorTable,
  fieldTable,
  planTable,
  verbTable,
  webhookPlanTable,
} from './tables.ts'

/** Figures from the code that the pages promise. */
const FIGURES = {
  ...LIMITS,
  ...WORDS,
  ...WEBHOOKS,
  // Set by the start, later than this.
  get trialDays() {
    return TRIAL.days
  },
  whaleUsd: WHALE_USD,
  callsPerAccount: CALLS_PER_ACCOUNT,
  mailsPerAddress: MAILS_PER_ADDRESS,
  mailsPerEmail: MAILS_PER_EMAIL,
  sessionDays: SESSION_MS / DAY_MS,
  loginMinutes: LOGIN_TOKEN_MS / MINUTE_MS,
  callSeconds: REQUEST_TIMEOUT_MS / 1_000,
  callBody: `${BODY_MAX_BYTES / 1024} KiB`,
  messageSize: `${WEBHOOKS.messageBytes / 1024} KiB`,
  answerSize: `${WEBHOOKS.answerBytes / 1024} KiB`,
  answerSeconds: WEBHOOKS.answerMs / 1_000,
  waitMost: WEBHOOKS.waitMostMs.toLocaleString('en-GB'),
}

/** Texts used on several pages: files of `docs/site/parts`, by their headings. */
export type DocParts = Readonly<Record<'errors' | 'fields', ReadonlyMap<string, string>>>

/**
 * Fills the values from code into the Markdown of a page: `{{name argument}}` becomes the text under that name here. Names of
 * figures stay, for `figures.ts`.
 *
 * @throws if a page names an unknown placeholder
 */
export function createPlaceholders(
  { streamUrl, publicUrl, supportEmail, brand }: DocsSettings,
  samples: CodeSamples,
  { errors, fields }: DocParts,
): (source: string) => string {
  const texts: Readonly<Record<string, (argument: string) => string>> = {
    streamUrl: () => streamUrl,
    publicUrl: () => publicUrl,
    supportEmail: () => supportEmail,
    service: () => brand.name,
    credit: () => (brand.isOwn ? '' : ` ${brand.name} is the open-source software behind it.`),
    limit: (name) => String(find(FIGURES, name)),
    trial: () => (TRIAL.days > 0 ? ` The free trial lasts ${TRIAL.days} days, once per user.` : ''),
    trialOnce: () => (TRIAL.days > 0 ? ', so that each user gets one free trial' : ''),
    firstPlan: () =>
      TRIAL.days > 0
        ? `Start the free trial on the [plans page](/dashboard/upgrade): ${TRIAL.days} days, once per user.`
        : 'Choose a plan on the [plans page](/dashboard/upgrade).',
    plans: planTable,
    webhookPlans: webhookPlanTable,
    verbs: verbTable,
    alarms: alarmTable,
    calls: callTable,
    errors: (kind) => errorTable(kind, errors),
    exchanges: (which) => find(EXCHANGE_LISTS, which),
    fields: (kind) => fieldTable(kind, fields),
    params: () => fields.get('params') ?? '',
    frame: (name) => JSON.stringify(find(EXAMPLE_FRAMES, name), null, 2),
    line: (name) => JSON.stringify(find(EXAMPLE_FRAMES, name)),
    httpLine: (name) => JSON.stringify({ ...find(EXAMPLE_FRAMES, name), subscription_id: undefined }),
    pairMint: () => EXAMPLE_FRAMES.pair.params.pair.baseToken.account,
    swapMint: () => EXAMPLE_FRAMES.swap.params.swap.baseTokenMint,
    wallet: () => EXAMPLE_FRAMES.swap.params.swap.walletAccount,
    cursor: () => EXAMPLE_FRAMES.swap.cursor,
    sentence: (name) => find(STREAM_SENTENCES, name)(),
    closing: (name) => find(CLOSE_REASONS, name).sentence,
    program: samples,
  }
  const fill = (source: string): string =>
    source.replace(/\{\{(\w+) ?([^}]*)\}\}/g, (call, name: string, argument: string) =>
      Object.hasOwn(texts, name) ? fill(find(texts, name)(argument)) : call,
    )
  return fill
}

/** @throws if there is no entry of this name */
function find<Table extends object>(table: Table, name: string): Table[keyof Table] {
  if (!Object.hasOwn(table, name)) throw new Error(`A page of the docs names ${name}, which does not exist.`)
  return table[name as keyof Table]
}
