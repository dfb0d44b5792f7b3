import { timestamp } from 'drizzle-orm/pg-core'

/** A timestamp to the millisecond, the precision of the clocks here. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
