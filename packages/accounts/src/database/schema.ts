import { HISTORY_OFFERS, type HistoryOffer, SOURCE_KINDS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts-table.ts'
import { moment } from './moment.ts'
import { moneyColumns, worthColumns } from './money.ts'

export * from './accounts-table.ts'
export * from './money-months.ts'
export * from './operator-tables.ts'
export * from './stream-tables.ts'
export * from './webhook-tables.ts'

/** What a mail is about, which names its template. */
export const MAIL_TEMPLATES = [
  'welcome',
  'login',
  'trial_ending',
  'payment_failed',
  'cancelled',
  'ended',
  'history_ready',
  'history_failed',
  'webhook_failing',
  'webhook_stopped',
  'operator_link',
  'operator_closed',
  'operator_signed_in',
  'operator_alarm',
] as const

/** States of an order; see `orders/order-state.ts`. */
export const ORDER_STATES = ['awaiting_payment', 'paid', 'lapsed', 'failed', 'refunded'] as const

/** The account of a row, which is deleted with it. */
const ofAccount = () => uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' })

/** Tokens of mailed links, as keyed hashes. */
export const loginTokens = pgTable(
  'login_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: ofAccount().notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('login_tokens_expires_at').on(table.expiresAt),
    index('login_tokens_account').on(table.accountId),
  ],
)

/** Open sessions: a session's token is worthless once its row is gone. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount().notNull(),
    openedAt: moment('opened_at').notNull(),
    /** When it was last used, to a minute, and from where; null before that was noted. */
    seenAt: moment('seen_at'),
    address: text('address'),
    /** When its token expires. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('sessions_account').on(table.accountId, table.openedAt),
    index('sessions_expires_at').on(table.expiresAt),
  ],
)

/** Why a plan is in force. A `grant` is the operator's, who alone can end it. */
export const SUBSCRIPTION_KINDS = ['trial', 'paid', 'grant'] as const

/** Plans of accounts, running and ended. At most one trial and one grant run at a time, and an account has one trial ever. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    kind: text('kind', { enum: SUBSCRIPTION_KINDS }).notNull(),
    planId: integer('plan_id').notNull(),
    /** Number of connections instead of the plan's own; null for the plan's. */
    connectionLimit: integer('connection_limit'),
    /** Billing periods are counted from it too. */
    startedAt: moment('started_at').notNull(),
    /** The plan is in force before this moment: a trial's end, the paid period's end; null without an end. */
    endsAt: moment('ends_at'),
    /** When the user cancelled the renewal; null while it will renew. */
    cancelledAt: moment('cancelled_at'),
    /** When it ended for good, before `endsAt` or because of it; null while it can be in force. */
    endedAt: moment('ended_at'),
    /** A paid plan's next payment, for people to see; null for all others. */
    renewsAt: moment('renews_at'),
    /** When the operator gave or opened a trial last: no report on a plan from before that ends it. */
    openedAt: moment('opened_at'),
    /** A paid plan's state in the table of `subscription-state.ts`. */
    state: text('state', { enum: ['active', 'past_due', 'cancelled', 'ended'] }),
    /** The provider of a paid plan, and its ids of the subscription and of the payer. */
    provider: text('provider'),
    providerSubscriptionId: text('provider_subscription_id'),
    providerCustomerId: text('provider_customer_id'),
  },
  (table) => [
    index('subscriptions_account').on(table.accountId),
    // People can pay twice, with two checkouts open: both are kept, and the later one counts.
    uniqueIndex('subscriptions_one_running')
      .on(table.accountId, table.kind)
      .where(sql`${table.endedAt} is null and ${table.kind} <> 'paid'`),
    uniqueIndex('subscriptions_provider').on(table.provider, table.providerSubscriptionId),
    index('subscriptions_provider_subscription').on(table.providerSubscriptionId),
    index('subscriptions_provider_customer').on(table.providerCustomerId),
    index('subscriptions_ends_at').on(table.endsAt).where(sql`${table.endedAt} is null`),
    uniqueIndex('subscriptions_one_trial').on(table.accountId).where(sql`${table.kind} = 'trial'`),
    check('subscriptions_kind', sql`${table.kind} in ('trial', 'paid', 'grant')`),
    check('subscriptions_connection_limit', sql`${table.connectionLimit} > 0`),
  ],
)

/** Types of reports on money that went back to its payer, or came from there again. */
const BACK = ['refunded', 'refunded_in_part', 'restored'] as const

/** Reports of a payment provider, each once; the state of a paid plan is folded from them. */
export const billingEvents = pgTable(
  'billing_events',
  {
    provider: text('provider').notNull(),
    id: text('id').notNull(),
    subscriptionId: text('subscription_id').notNull(),
    customerId: text('customer_id'),
    /** Null until an event of the subscription names its owner, and once the account is gone. */
    accountId: ofAccount(),
    /** Stands for the account once that is gone; null before. */
    person: uuid('person').references(() => formerPeople.person, { onDelete: 'cascade' }),
    /** Whether an event of the subscription named an account that is gone, or never existed. */
    accountGone: boolean('account_gone').notNull().default(false),
    /** When it happened, according to the provider; the time of arrival if that lies in the future. */
    occurredAt: moment('occurred_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    type: text('type', {
      enum: ['paid', 'payment_failed', 'cancelled', 'ended', 'charged', ...BACK],
    }).notNull(),
    /** Null for a price that is no plan here, and for events about no plan. */
    planId: integer('plan_id'),
    /** The provider's ids of the paid prices. */
    priceIds: text('price_ids').array(),
    /** Begin of the time that is charged. */
    from: moment('from'),
    /** End of the time that is paid, charged or left. */
    until: moment('until'),
    /** The provider's word for why it charged; null if it gave none. */
    origin: text('origin'),
    transactionId: text('transaction_id'),
    /** The provider's id of a refund. */
    adjustmentId: text('adjustment_id'),
    ...moneyColumns(),
    ...worthColumns(),
    /** The message itself, without secrets; null once the account is gone. */
    raw: jsonb('raw'),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.id] }),
    index('billing_events_subscription').on(table.provider, table.subscriptionId),
    index('billing_events_account').on(table.accountId),
    index('billing_events_transaction').on(table.transactionId),
    index('billing_events_charged').on(table.occurredAt).where(sql`${table.type} = 'charged'`),
    index('billing_events_person').on(table.person).where(sql`${table.person} is not null`),
    // What lasts: charges that are worth something a month, and what was said of the state.
    index('billing_events_lasting')
      .on(sql`coalesce(${table.endsAt}, 'infinity')`, sql`coalesce(${table.from}, ${table.occurredAt})`)
      .where(sql`${table.monthly} > 0 or ${table.type} in ('paid', 'payment_failed', 'cancelled', 'ended')`),
    index('billing_events_said').on(table.occurredAt).where(sql`${table.type} <> 'charged'`),
    index('billing_events_unknown_price')
      .on(table.provider, table.subscriptionId)
      .where(sql`${table.planId} is null and ${table.type} in ('paid', 'payment_failed', 'cancelled')`),
    index('billing_events_account_gone')
      .on(table.provider, table.subscriptionId)
      .where(sql`${table.accountGone}`),
  ],
)

/** Deleted accounts, by a random number that nothing else knows: reports on their payments, and their trials, stay. */
export const formerPeople = pgTable(
  'former_people',
  {
    person: uuid('person').primaryKey(),
    leftAt: moment('left_at').notNull(),
    /** Begin and end of the trial; null without one. */
    trialStartedAt: moment('trial_started_at'),
    trialEndedAt: moment('trial_ended_at'),
  },
  (table) => [index('former_people_left_at').on(table.leftAt)],
)

/** Mails to send, and recently sent ones, each to an account, whose address is stored with it, or to an address of its own. */
export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount(),
    /** The address of a receiver who has no account; null for an account. */
    receiver: text('receiver'),
    template: text('template', { enum: MAIL_TEMPLATES }).notNull(),
    /** Values for the template, encrypted, since they may hold a login token; null once they are of no use. */
    letterSealed: text('letter_sealed'),
    /** The occasion of a mail that is sent once for it; null for a mail that a user requested. */
    occasion: text('occasion').unique(),
    state: text('state', { enum: ['queued', 'sent', 'given_up'] }).notNull(),
    /** Attempts begun. */
    attempts: integer('attempts').notNull(),
    /** When it may be tried; while a process tries it, when another one may. */
    nextTryAt: moment('next_try_at').notNull(),
    /** The deadline after which it is not tried any more. */
    givesUpAt: moment('gives_up_at').notNull(),
    createdAt: moment('created_at').notNull(),
    /** When the mail server accepted it; null until then. */
    sentAt: moment('sent_at'),
  },
  (table) => [
    index('mails_due').on(table.nextTryAt).where(sql`${table.state} = 'queued'`),
    index('mails_account').on(table.accountId),
    check('mails_receiver', sql`(${table.accountId} is null) <> (${table.receiver} is null)`),
    index('mails_created_at').on(table.createdAt),
  ],
)

/** Keyed hashes of people who had a trial, see `personOfEmail`; they outlive their accounts. */
export const usedTrials = pgTable('used_trials', {
  emailHash: text('email_hash').primaryKey(),
  usedAt: moment('used_at').notNull(),
})

/** The operator's notices in the status banner, current and past. */
export const statusItems = pgTable('status_items', {
  id: serial('id').primaryKey(),
  /** Under `maintenance`, customers can change nothing. */
  kind: text('kind', { enum: ['notice', 'maintenance'] })
    .notNull()
    .default('notice'),
  details: text('details').notNull(),
  createdAt: moment('created_at').notNull(),
  /** It is shown from and until these moments; null for at once, and until it is taken down. */
  startsAt: moment('starts_at'),
  endsAt: moment('ends_at'),
  /** When it was taken down; null while it is shown. */
  clearedAt: moment('cleared_at'),
})

/** What operators did, the oldest first. They outlive their accounts, and hold no key, token or email of theirs. */
export const acts = pgTable(
  'acts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: moment('at').notNull(),
    /** An operator, the system's user, or a token, by name. */
    actor: text('actor').notNull(),
    via: text('via', { enum: ['room', 'tool', 'token'] }).notNull(),
    verb: text('verb').notNull(),
    accountId: uuid('account_id'),
    reason: text('reason'),
    /** What was changed, by name: its value before and after. */
    changes: jsonb('changes').notNull(),
    /** `asked`: an effect outside of the database begins; another act says how it ended. */
    outcome: text('outcome', { enum: ['done', 'refused', 'asked'] }).notNull(),
    address: text('address'),
  },
  (table) => [index('acts_account').on(table.accountId, table.id), index('acts_at').on(table.at)],
)

/** What operators wrote down about an account. */
export const notes = pgTable(
  'notes',
  {
    id: serial('id').primaryKey(),
    accountId: ofAccount().notNull(),
    at: moment('at').notNull(),
    author: text('author').notNull(),
    note: text('note').notNull(),
  },
  (table) => [index('notes_account').on(table.accountId, table.id)],
)

/** Used captcha challenges, as hashes of their signatures, until they expire. */
export const usedCaptchas = pgTable(
  'used_captchas',
  { signatureHash: text('signature_hash').primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_captchas_expires_at').on(table.expiresAt)],
)

/** Work that one process of a deployment does at a time, by name; free once the lease expires. */
export const leases = pgTable('leases', {
  name: text('name').primaryKey(),
  owner: uuid('owner').notNull(),
  until: moment('until').notNull(),
})

const OFFER_IDS = HISTORY_OFFERS.map(({ id }) => id) as [HistoryOffer['id'], ...HistoryOffer['id'][]]

/** Orders of history. They outlive their accounts, without personal data, so that no number is assigned twice. */
export const orders = pgTable(
  'orders',
  {
    /** Nine random digits. */
    id: integer('id').primaryKey(),
    /** Null once the account is gone. */
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    source: text('source', { enum: SOURCE_KINDS }).notNull(),
    offer: text('offer', { enum: OFFER_IDS }).notNull(),
    /** The first hour, and the hour after the last. */
    from: moment('from_hour').notNull(),
    to: moment('to_hour').notNull(),
    usd: integer('usd').notNull(),
    state: text('state', { enum: ORDER_STATES }).notNull(),
    /** The provider, its payment id and its price id; null until the provider was asked, and for a granted order. */
    provider: text('provider'),
    transactionId: text('transaction_id'),
    priceId: text('price_id'),
    createdAt: moment('created_at').notNull(),
    paidAt: moment('paid_at'),
    /** When all of its hours existed for the first time. */
    readyAt: moment('ready_at'),
    /** Whether some of its hours cannot be delivered. */
    isShort: boolean('is_short').notNull().default(false),
    /** Whether money arrived after its account was gone, refunded since or not. */
    isOwed: boolean('is_owed').notNull().default(false),
  },
  (table) => [
    index('orders_account').on(table.accountId, table.createdAt),
    index('orders_state').on(table.state, table.createdAt),
    uniqueIndex('orders_transaction').on(table.provider, table.transactionId),
  ],
)

/** Reports of a payment provider on single payments, each once; the state of an order is folded from them. */
export const orderEvents = pgTable(
  'order_events',
  {
    provider: text('provider').notNull(),
    id: text('id').notNull(),
    transactionId: text('transaction_id').notNull(),
    /** When it happened, according to the provider; the time of arrival if that lies in the future. */
    occurredAt: moment('occurred_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    type: text('type', {
      enum: ['charged', 'charged_back', ...BACK],
    }).notNull(),
    priceId: text('price_id'),
    /** The provider's id of a refund. */
    adjustmentId: text('adjustment_id'),
    ...moneyColumns(),
    /** The message itself, without secrets; null once the account is gone. */
    raw: jsonb('raw'),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.id] }),
    index('order_events_transaction').on(table.provider, table.transactionId),
    index('order_events_charged').on(table.occurredAt).where(sql`${table.type} = 'charged'`),
  ],
)

/** Hours of orders whose zip was downloaded. */
export const orderDownloads = pgTable(
  'order_downloads',
  {
    orderId: integer('order_id')
      .notNull()
      .references(() => orders.id, { onDelete: 'cascade' }),
    /** The hour's name. */
    hour: text('hour').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.hour] })],
)
