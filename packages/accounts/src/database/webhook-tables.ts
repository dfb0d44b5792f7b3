import { WEBHOOK_STATES, type Webhook } from '@pairwire/contract'
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts-table.ts'
import { moment } from './moment.ts'

/** The bounds of a message: what lies between them in the kept stream is read again for each process that sends it. */
export type NotedMessage = Readonly<{
  type: Webhook['kind'] | 'gap'
  /** Its number, the last part of its id. */
  n: number
  /** When it was noted, in Unix milliseconds. */
  at: number
  /** The cursor after which its events begin, and those of the first and the last. */
  after: string
  first: string
  last: string
  /** How many events, and of swaps how many buys. */
  count: number
  buys: number
  /** SHA-256 of its body: one that cannot be made again as it was is not sent again. */
  digest: string
  /** Of a gap: its slots and cause. */
  gap?: Readonly<{ fromSlot: number; toSlot: number; cause: string; resume_from: string | null }>
  /** Whether its events were a dead letter: then it leaves the place as it is. */
  isAgain?: true
  /** The params that it was made with, once the endpoint has others. */
  params?: Readonly<Record<string, unknown>>
}>

/** Endpoints of webhooks. What they have not taken lies in the kept stream. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    kind: text('kind', { enum: ['swap', 'newPair'] }).notNull(),
    params: jsonb('params').$type<Readonly<Record<string, unknown>>>().notNull(),
    maxEvents: integer('max_events').notNull(),
    maxWaitMs: integer('max_wait_ms').notNull(),
    state: text('state', { enum: WEBHOOK_STATES }).notNull(),
    createdAt: moment('created_at').notNull(),
    /** Encrypted; see `Secrets.webhooks`. The old one signs too until its end. */
    secretSealed: text('secret_sealed').notNull(),
    oldSecretSealed: text('old_secret_sealed'),
    oldSecretUntil: moment('old_secret_until'),
    /** Rises with each change by its owner: a process that knows an earlier one notes nothing. */
    revision: integer('revision').notNull().default(0),
    /** The process that delivers, by the name of its lease; null for none. */
    owner: uuid('owner'),
    /** The cursor up to which every event was delivered, is a dead letter, or was announced as a gap. */
    place: text('place').notNull(),
    /** What arrived before this moment was delivered. */
    behindSince: moment('behind_since').notNull(),
    /** The number of the last message. */
    n: bigint('n', { mode: 'number' }).notNull().default(0),
    /** The message that is being sent; null between two. */
    message: jsonb('message').$type<NotedMessage>(),
    /** Its tries so far, and those of them that were refused. */
    tries: integer('tries').notNull().default(0),
    refusals: integer('refusals').notNull().default(0),
    nextTryAt: moment('next_try_at'),
    /** Since when no message was taken; null while they are. */
    failingSince: moment('failing_since'),
    /** Dead letters since the last message that was taken. */
    deadInRow: integer('dead_in_row').notNull().default(0),
    delivered: bigint('delivered', { mode: 'number' }).notNull().default(0),
    events: bigint('events', { mode: 'number' }).notNull().default(0),
    failed: bigint('failed', { mode: 'number' }).notNull().default(0),
    deadLetters: bigint('dead_letters', { mode: 'number' }).notNull().default(0),
    lastAttempt: jsonb('last_attempt').$type<Webhook['lastAttempt']>(),
  },
  (table) => [index('webhooks_account').on(table.accountId, table.createdAt)],
)

/** Messages that were refused for good, by their number. */
export const webhookDeadLetters = pgTable(
  'webhook_dead_letters',
  {
    endpointId: text('endpoint_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    n: bigint('n', { mode: 'number' }).notNull(),
    at: moment('at').notNull(),
    message: jsonb('message').$type<NotedMessage>().notNull(),
    status: integer('status'),
    /** The begin of the last answer. */
    body: text('body').notNull(),
    /** When its owner asked to have it sent once more; null while nobody did. */
    queuedAt: moment('queued_at'),
  },
  (table) => [primaryKey({ columns: [table.endpointId, table.n] })],
)
