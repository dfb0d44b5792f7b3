import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Queries } from '../database/open-database.ts'
import { mails } from '../database/schema.ts'
import { type Store, wakeMails } from '../store.ts'

/** A token to mail to `email`: readable only here, stored as a hash. */
export type LoginToken = Readonly<{ email: string; token: string; expiresAt: Date }>

/** A mail with a link that signs in. */
const LoginLetter = z.object({ template: z.enum(['welcome', 'login']), token: z.string() })

/** A mail about a plan. */
const NoticeLetter = z.object({
  template: z.enum(['trial_ending', 'payment_failed', 'cancelled', 'ended']),
  planId: z.literal([1, 2, 3]),
  /**
   * When the trial ends; when an unpaid plan stops unless it is paid for; the end of a cancelled plan; when a plan ended that
   * nobody had cancelled.
   */
  endsAt: z.coerce.date(),
})
export type NoticeLetter = Readonly<z.infer<typeof NoticeLetter>>

/** A mail about an order of history: all of its hours exist, or `missing` of them do not and it has failed. */
const OrderLetter = z.object({
  template: z.enum(['history_ready', 'history_failed']),
  orderId: z.number(),
  /** Start of the first hour, and end of the last one. */
  from: z.coerce.date(),
  to: z.coerce.date(),
  missing: z.number(),
})
export type OrderLetter = Readonly<z.infer<typeof OrderLetter>>

/** A mail about an endpoint of webhooks that has taken nothing since a moment, as text, or was stopped. */
const WebhookLetter = z.object({
  template: z.enum(['webhook_failing', 'webhook_stopped']),
  url: z.string(),
  since: z.string(),
})
export type WebhookLetter = Readonly<z.infer<typeof WebhookLetter>>

/** A mail to an operator about a sign-in from `address`: the link for it, or the room's address. */
const OperatorLetter = z.object({
  template: z.enum(['operator_link', 'operator_closed', 'operator_signed_in']),
  link: z.string(),
  address: z.string(),
})
export type OperatorLetter = Readonly<z.infer<typeof OperatorLetter>>

/** A mail to an operator about an alarm that began or ended, or that only tries the way; `link` is the room's address. */
const AlarmLetter = z.object({
  template: z.literal('operator_alarm'),
  state: z.enum(['begun', 'ended', 'test']),
  sentence: z.string(),
  link: z.string(),
})
export type AlarmLetter = Readonly<z.infer<typeof AlarmLetter>>

/** The content of a mail: its template and the values for it. Sealed as JSON, its dates are texts. */
const Letter = z.discriminatedUnion('template', [
  LoginLetter,
  NoticeLetter,
  OrderLetter,
  WebhookLetter,
  OperatorLetter,
  AlarmLetter,
])
export type Letter = Readonly<z.infer<typeof Letter>>

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

/** Queues the mail that brings a login token. */
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

/** Queues a notice, once per `occasion`, a text unique to it. */
export async function queueNotice(
  store: Store,
  queries: Queries,
  notice: { accountId: string; letter: NoticeLetter; occasion: string },
): Promise<void> {
  const dayAfter = new Date(store.now().getTime() + NOTICE_MS)
  const { template, endsAt } = notice.letter
  // A notice about the future must not arrive after it.
  const givesUpAt = template !== 'ended' && endsAt < dayAfter ? endsAt : dayAfter
  await insertMail(store, queries, { ...notice, givesUpAt })
}

/** Queues a mail about an order, each kind once. */
export async function queueOrderNotice(
  store: Store,
  queries: Queries,
  accountId: string,
  letter: OrderLetter,
): Promise<void> {
  const occasion = `${letter.template} ${letter.orderId}`
  await insertMail(store, queries, { accountId, letter, occasion })
}

/** Queues a mail about an endpoint, each kind once for a time of failures. */
export async function queueWebhookNotice(
  store: Store,
  queries: Queries,
  accountId: string,
  template: WebhookLetter['template'],
  { id, url, since }: Readonly<{ id: string; url: string; since: string }>,
): Promise<void> {
  const occasion = `${template} ${id} ${since}`
  await insertMail(store, queries, { accountId, letter: { template, url, since }, occasion })
}

/** Queues a mail to an operator, account or not. @returns its id */
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

/** A mail in the queue; the `commit` of its transaction announces it. @returns its id; undefined if it was queued before */
async function insertMail(
  store: Store,
  queries: Queries,
  mail: ({ accountId: string } | { receiver: string }) & {
    letter: Letter
    occasion: string | null
    givesUpAt?: Date
  },
): Promise<string | undefined> {
  const now = store.now()
  const { letter, givesUpAt = new Date(now.getTime() + NOTICE_MS), ...rest } = mail
  const id = randomUUID()
  const inserted = await queries
    .insert(mails)
    .values({
      id,
      ...rest,
      givesUpAt,
      template: letter.template,
      letterSealed: store.secrets.letters.seal(JSON.stringify(letter), id),
      state: 'queued',
      attempts: 0,
      nextTryAt: now,
      createdAt: now,
    })
    .onConflictDoNothing({ target: mails.occasion })
    .returning({ id: mails.id })
  if (inserted.length > 0) wakeMails(queries)
  return inserted[0]?.id
}

/** The letter that {@link insertMail} sealed; undefined for any other text, and for one sealed with a secret replaced since. */
export function openLetter(store: Store, sealed: string | null, mailId: string): Letter | undefined {
  try {
    return Letter.parse(JSON.parse(store.secrets.letters.open(sealed ?? '', mailId)))
  } catch {
    return undefined
  }
}
