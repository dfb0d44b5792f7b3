import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './moment.ts'

/** What an operator may do: everything, or only look. */
export const OPERATOR_ROLES = ['operator', 'viewer'] as const

/** Operators of the room. They need no account. */
export const operators = pgTable('operators', {
  id: uuid('id').primaryKey(),
  /** As typed, for people and for mails. */
  email: text('email').notNull(),
  emailNormalised: text('email_normalised').notNull().unique(),
  role: text('role', { enum: OPERATOR_ROLES }).notNull(),
  /** The secret of their codes, encrypted; see `Secrets.codes`. */
  codeSealed: text('code_sealed').notNull(),
  /** The step of the newest code that was used: no code counts twice, nor one before it. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  /** Wrong codes in the hour that began at `wrongSince`. */
  wrongCodes: integer('wrong_codes').notNull().default(0),
  wrongSince: moment('wrong_since'),
  createdAt: moment('created_at').notNull(),
})

/** The operator of a row, which is deleted with them. */
const ofOperator = () =>
  uuid('operator_id')
    .notNull()
    .references(() => operators.id, { onDelete: 'cascade' })

/** Links that sign an operator in, together with a code. */
export const operatorLinks = pgTable(
  'operator_links',
  {
    /** Keyed hash of its token. */
    tokenHash: text('token_hash').primaryKey(),
    operatorId: ofOperator(),
    /** Keyed hash of the cookie of the browser that asked; null for a link that the tool made, which works in any. */
    browserHash: text('browser_hash'),
    createdAt: moment('created_at').notNull(),
    /** When it stops to work; at once after it was used, or after too many wrong codes. */
    expiresAt: moment('expires_at').notNull(),
    wrongCodes: integer('wrong_codes').notNull().default(0),
  },
  (table) => [index('operator_links_operator').on(table.operatorId, table.createdAt)],
)

/** Sessions of operators, open and ended: the ended ones tell from which addresses they came. */
export const operatorSessions = pgTable(
  'operator_sessions',
  {
    id: uuid('id').primaryKey(),
    /** Keyed hash of the cookie. */
    tokenHash: text('token_hash').notNull().unique(),
    operatorId: ofOperator(),
    openedAt: moment('opened_at').notNull(),
    /** The last request of a person; the room's own refreshing does not count. */
    seenAt: moment('seen_at').notNull(),
    address: text('address').notNull(),
    /** The browser's `User-Agent`. */
    agent: text('agent').notNull(),
    /** Until when a code entered in it allows grave verbs. */
    confirmedUntil: moment('confirmed_until').notNull(),
    /** When it was ended by its operator or by a newer one; null for one that is open or has expired. */
    endedAt: moment('ended_at'),
  },
  (table) => [index('operator_sessions_operator').on(table.operatorId, table.openedAt)],
)

/** How an alarm stands: its condition does not hold, not for long enough, again within the hour, or it was told. */
export type AlarmState = 'quiet' | 'waiting' | 'hushed' | 'raised'

/** Alarms that were ever more than quiet. */
export const alarms = pgTable('alarms', {
  name: text('name').primaryKey(),
  state: text('state').$type<AlarmState>().notNull(),
  /** Since when its condition holds; null while it does not. */
  since: moment('since'),
  /** When operators were last told that it began. */
  toldAt: moment('told_at'),
})

/** Tokens with which programs of the operator's own call verbs. */
export const operatorTokens = pgTable('operator_tokens', {
  /** Keyed hash of the token. */
  tokenHash: text('token_hash').primaryKey(),
  name: text('name').notNull().unique(),
  /** Verbs that it may use; null for every one that reads. */
  verbs: text('verbs').array(),
  /** Addresses or ranges with commas between; null for anywhere. */
  from: text('from_addresses'),
  until: moment('until'),
  createdAt: moment('created_at').notNull(),
})
