import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './moment.ts'

/** Users, one API key each. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    /** As typed, for people and for mails. */
    email: text('email').notNull(),
    /** The email's normal form, shared by all spellings of one mailbox; see `normaliseEmail`. */
    emailNormalised: text('email_normalised').notNull().unique(),
    createdAt: moment('created_at').notNull(),
    /** How the user heard of the service; null for an account made by the operator. */
    origin: text('origin'),
    marketingEmails: boolean('marketing_emails').notNull(),
    /** Keyed hash by which a key is found, hexadecimal. */
    keyHash: text('key_hash').notNull().unique(),
    /** The key itself, encrypted; see `Secrets.keys`. */
    keySealed: text('key_sealed').notNull(),
    /** When its owner was last signed in, to a minute, and from where; null before that was noted. */
    seenAt: moment('seen_at'),
    seenAddress: text('seen_address'),
    /** Since when the operator has suspended it; null while it is not. The reason is for operators only. */
    suspendedAt: moment('suspended_at'),
    suspensionReason: text('suspension_reason'),
    suspensionMessage: text('suspension_message'),
    /** Sums for the operator's list, some minutes old: events sent in 30 days, and faults of 24 hours. */
    events30d: bigint('events_30d', { mode: 'number' }).notNull().default(0),
    faults24h: integer('faults_24h').notNull().default(0),
  },
  (table) => [
    index('accounts_created_at').on(table.createdAt, table.id),
    index('accounts_seen_at').on(sql`coalesce(${table.seenAt}, to_timestamp(0))`, table.id),
    index('accounts_events').on(table.events30d, table.id),
    index('accounts_faults').on(table.faults24h, table.id),
  ],
)
