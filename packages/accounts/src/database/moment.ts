import { timestamp } from 'drizzle-orm/pg-core'

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60_000

/** A timestamp to the millisecond, the precision of the clocks here. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
