import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from './moment.ts'

/**
 * Figures of months that are over, as `readMoney` last read them. The database forgets a month whenever a report is added or
 * changed that may count in it. Nothing but a copy: without a log, and in no backup.
 */
export const moneyMonths = pgTable('money_months', {
  /** The month's last millisecond. */
  until: moment('until').primaryKey(),
  /** Names the question; the answer to another one does not count. */
  question: text('question').notNull(),
  /** Its rows, their values as text. */
  figures: jsonb('figures').notNull(),
})
