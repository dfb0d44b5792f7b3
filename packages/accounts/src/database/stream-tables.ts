import { bigint, date, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './moment.ts'

// What gateways write: without references to accounts, since they also write just after a deletion.

/** Notifications sent. Without a reference to accounts, so that a batch never fails because of a deleted one. */
export const deliveredCounts = pgTable(
  'delivered_counts',
  {
    accountId: uuid('account_id').notNull(),
    /** The subscription in force whose billing period it is: a trial's events are not charged to the plan after it. */
    planInForceId: uuid('plan_in_force_id').notNull(),
    /** UTC date on which the billing period began. */
    period: date('period', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['newPair', 'swap'] }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.planInForceId, table.period, table.kind] })],
)

/** The same notifications by UTC day, with swaps by side. Kept for a month. */
export const deliveredDays = pgTable(
  'delivered_days',
  {
    accountId: uuid('account_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    kind: text('kind', { enum: ['newPair', 'buy', 'sell'] }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    /** Of these, those over HTTP and by webhooks; the rest went over websockets. */
    http: bigint('http', { mode: 'number' }).notNull().default(0),
    webhooks: bigint('webhooks', { mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.kind] })],
)

/** The last batch of notifications of each that counts them: one that is sent again, as its answer was lost, counts once. */
export const countedBatches = pgTable('counted_batches', {
  /** The counter of a gateway's process. */
  counter: uuid('counter').primaryKey(),
  number: bigint('number', { mode: 'number' }).notNull(),
  at: moment('at').notNull(),
})

/** Stream connections of the last day. Without a reference to accounts, as for the counts. */
export const streamConnections = pgTable(
  'stream_connections',
  {
    /** The gateway's id of it. */
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    address: text('address').notNull(),
    /** The client's name for itself; empty if it gives none. */
    client: text('client').notNull(),
    openedAt: moment('opened_at').notNull(),
    /** When it was last known to be open. */
    seenAt: moment('seen_at').notNull(),
    /** Null while it is open, and for good if the gateway died with it. */
    closedAt: moment('closed_at'),
    /** How it ended, as the gateway names it; null while it is open. */
    ended: text('ended'),
    sentEvents: bigint('sent_events', { mode: 'number' }).notNull(),
    /** Refused requests by error type. */
    faults: jsonb('faults').$type<Readonly<Record<string, number>>>().notNull().default({}),
  },
  (table) => [
    index('stream_connections_account').on(table.accountId, table.seenAt),
    index('stream_connections_seen_at').on(table.seenAt),
  ],
)

/** Refused upgrades of known accounts, by hour. Without a reference to accounts, as for the counts. */
export const refusedUpgrades = pgTable(
  'refused_upgrades',
  {
    accountId: uuid('account_id').notNull(),
    hour: moment('hour').notNull(),
    /** The gateway's name for the refusal. */
    refusal: text('refusal').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.refusal] }),
    index('refused_upgrades_hour').on(table.hour),
  ],
)

/** Running gateways: each renews its row, and counts as gone once its lease expires. */
export const gateways = pgTable('gateways', {
  id: uuid('id').primaryKey(),
  /** For people: the machine that it runs on. */
  name: text('name').notNull(),
  /** Since when it has renewed without a pause, and when its lease had expired before that pause. */
  since: moment('since').notNull(),
  lapsedAt: moment('lapsed_at').notNull(),
  until: moment('until').notNull(),
})

/** Stream connections that count towards their account's limit, on any gateway. */
export const streamSeats = pgTable(
  'stream_seats',
  {
    connectionId: uuid('connection_id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    gatewayId: uuid('gateway_id')
      .notNull()
      .references(() => gateways.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('stream_seats_account').on(table.accountId),
    index('stream_seats_gateway').on(table.gatewayId),
  ],
)
