import { randomUUID } from 'node:crypto'
import { type PlanId, planById } from '@pairwire/contract'
import type { Queries } from '../database/open-database.ts'
import { mails } from '../database/schema.ts'
import type { Store } from '../store.ts'

/** A token to mail to `email`: readable only here, stored as a hash. */
export type LoginToken = Readonly<{ email: string; token: string; expiresAt: Date }>

/** The content of a mail: its template and the values for it. */
export type Letter = LoginLetter | NoticeLetter | OrderLetter | WebhookLetter | OperatorLetter | AlarmLetter

/** A mail with a link that signs in. */
type LoginLetter = Readonly<{ template: 'welcome' | 'login'; token: string }>

/** A mail about a plan. */
export type NoticeLetter = Readonly<{
  template: 'trial_ending' | 'payment_failed' | 'cancelled' | 'ended'
  planId: PlanId
  /**
   * When the trial ends; when an unpaid plan stops unless it is paid for; the end of a cancelled plan; when a plan ended that
   * nobody had cancelled.
   */
  endsAt: Date
}>

/** A mail about an order of history: all of its hours exist, or `missing` of them do not and it has failed. */
export type OrderLetter = Readonly<{
  template: 'history_ready' | 'history_failed'
  orderId: number
  /** Start of the first hour, and end of the last one. */
  from: Date
  to: Date
  missing: number
}>

/** A mail about an endpoint of webhooks that has taken nothing since a moment, as text, or was stopped. */
export type WebhookLetter = Readonly<{
  template: (typeof WEBHOOK_TEMPLATES)[number]
  url: string
  since: string
}>

/** A mail to an operator about a sign-in from `address`: the link for it, or the room's address. */
export type OperatorLetter = Readonly<{
  template: (typeof OPERATOR_TEMPLATES)[number]
  link: string
  address: string
}>

/** A mail to an operator about an alarm that began or ended, or that only tries the way; `link` is the room's address. */
export type AlarmLetter = Readonly<{
  template: 'operator_alarm'
  state: 'begun' | 'ended' | 'test'
  sentence: string
  link: string
}>

const WEBHOOK_TEMPLATES = ['webhook_failing', 'webhook_stopped'] as const

const OPERATOR_TEMPLATES = ['operator_link', 'operator_closed', 'operator_signed_in'] as const

/** Mails that somebody waits for, whose links work for minutes. */
export const AWAITED_TEMPLATES = ['welcome', 'login', 'operator_link'] as const

/** A mail as the sender takes it from the queue. */
export type QueuedMail = Readonly<{
  id: string
  to: string
  letter: Letter
  createdAt: Date
  /** The number of this attempt, from 1. */
  attempt: number
}>

/** Milliseconds for which a link of an operator works, and its mail is tried. */
export const OPERATOR_LINK_MS = 10 * 60_000

/** Milliseconds for which a notice is tried; a login mail is tried as long as its link works. */
export const NOTICE_MS = 24 * 60 * 60_000

/** Queues the mail that brings a login token. The caller commits, waits for the barrier and announces it. */
export async function queueLoginMail(
  store: Store,
  queries: Queries,
  accountId: string,
  template: 'welcome' | 'login',
  { token, expiresAt }: LoginToken,
): Promise<void> {
  await insertMail(store, queries, {
    accountId,
    letter: { template, token },
    occasion: null,
    givesUpAt: expiresAt,
  })
}

/**
 * Queues a notice, once per `occasion`, a text unique to it. The caller commits, waits for the barrier and announces it.
 *
 * @returns false if it was queued before
 */
export async function queueNotice(
  store: Store,
  queries: Queries,
  notice: { accountId: string; letter: NoticeLetter; occasion: string },
): Promise<boolean> {
  const dayAfter = new Date(store.now().getTime() + NOTICE_MS)
  const { template, endsAt } = notice.letter
  // A notice about the future must not arrive after it.
  const givesUpAt = template !== 'ended' && endsAt < dayAfter ? endsAt : dayAfter
  return (await insertMail(store, queries, { ...notice, givesUpAt })) !== undefined
}

/**
 * Queues a mail about an order, each kind once. The caller commits, waits for the barrier and announces it.
 *
 * @returns false if it was queued before
 */
export async function queueOrderNotice(
  store: Store,
  queries: Queries,
  accountId: string,
  letter: OrderLetter,
): Promise<boolean> {
  const givesUpAt = new Date(store.now().getTime() + NOTICE_MS)
  const occasion = `${letter.template} ${letter.orderId}`
  return (await insertMail(store, queries, { accountId, letter, occasion, givesUpAt })) !== undefined
}

/** Queues a mail about an endpoint, each kind once for a time of failures. The caller commits, waits for the barrier and announces it. */
export async function queueWebhookNotice(
  store: Store,
  queries: Queries,
  accountId: string,
  template: WebhookLetter['template'],
  { id, url, since }: Readonly<{ id: string; url: string; since: string }>,
): Promise<void> {
  const givesUpAt = new Date(store.now().getTime() + NOTICE_MS)
  const occasion = `${template} ${id} ${since}`
  await insertMail(store, queries, { accountId, letter: { template, url, since }, occasion, givesUpAt })
}

/** Queues a mail to an operator, account or not. The caller commits, waits for the barrier and announces it. @returns its id */
export async function queueOperatorMail(
  store: Store,
  queries: Queries,
  receiver: string,
  letter: OperatorLetter | AlarmLetter,
): Promise<string> {
  const isLink = letter.template === 'operator_link'
  const givesUpAt = new Date(store.now().getTime() + (isLink ? OPERATOR_LINK_MS : NOTICE_MS))
  // Only a mail with an occasion can be queued already.
  return (await insertMail(store, queries, { receiver, letter, occasion: null, givesUpAt }))!
}

async function insertMail(
  store: Store,
  queries: Queries,
  mail: ({ accountId: string } | { receiver: string }) & {
    letter: Letter
    occasion: string | null
    givesUpAt: Date
  },
): Promise<string | undefined> {
  const { letter, ...rest } = mail
  const id = randomUUID()
  const now = store.now()
  const inserted = await queries
    .insert(mails)
    .values({
      id,
      ...rest,
      template: letter.template,
      letterSealed: store.secrets.letters.seal(JSON.stringify(letter), id),
      state: 'queued',
      attempts: 0,
      nextTryAt: now,
      createdAt: now,
    })
    .onConflictDoNothing({ target: mails.occasion })
    .returning({ id: mails.id })
  return inserted[0]?.id
}

/** The letter that {@link insertMail} sealed; undefined for any other text, and for one sealed with a secret replaced since. */
export function openLetter(store: Store, sealed: string | null, mailId: string): Letter | undefined {
  try {
    return readLetter(JSON.parse(store.secrets.letters.open(sealed ?? '', mailId)))
  } catch {
    return undefined
  }
}

function readLetter(letter: unknown): Letter | undefined {
  if (typeof letter === 'object' && letter !== null && 'template' in letter) {
    const { template } = letter
    if ((template === 'history_ready' || template === 'history_failed') && isOrderLetter(letter)) {
      const { orderId, from, to, missing } = letter
      return { template, orderId, from: new Date(from), to: new Date(to), missing }
    }
    if (isOperatorLetter(letter) || isWebhookLetter(letter)) return letter
    if ((template === 'welcome' || template === 'login') && 'token' in letter) {
      return { template, token: String(letter.token) }
    }
    if (isNoticeTemplate(template) && 'planId' in letter && 'endsAt' in letter) {
      const plan = planById(Number(letter.planId))
      if (plan) return { template, planId: plan.id, endsAt: new Date(String(letter.endsAt)) }
    }
  }
  return undefined
}

function isNoticeTemplate(template: unknown): template is NoticeLetter['template'] {
  return NOTICES.some((known) => known === template)
}

/** Whether a letter is one to an operator, whose values are texts as they were sealed. */
function isOperatorLetter(letter: object & { template: unknown }): letter is OperatorLetter | AlarmLetter {
  const isAlarm = letter.template === 'operator_alarm' && 'state' in letter && 'sentence' in letter
  const isSignIn = OPERATOR_TEMPLATES.some((known) => known === letter.template) && 'address' in letter
  return (isAlarm || isSignIn) && 'link' in letter
}

/** The same of one about an endpoint. */
function isWebhookLetter(letter: object & { template: unknown }): letter is WebhookLetter {
  return WEBHOOK_TEMPLATES.some((known) => known === letter.template) && 'url' in letter && 'since' in letter
}

const NOTICES = ['trial_ending', 'payment_failed', 'cancelled', 'ended'] as const

/** Whether a letter has the values of an order mail, whose dates are texts. */
function isOrderLetter(
  letter: object,
): letter is { orderId: number; from: string; to: string; missing: number } {
  return ['orderId', 'from', 'to', 'missing'].every((member) => member in letter)
}
