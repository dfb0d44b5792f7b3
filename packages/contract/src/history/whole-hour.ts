import * as z from 'zod/mini'
import { HOUR_MS } from '../time-units.ts'

/** A whole hour in UTC, RFC 3339. */
export const WholeHour = z.iso
  .datetime({ offset: true, error: 'Name a whole hour in UTC, as in 2026-11-23T13:00:00Z.' })
  .check(
    z.refine((text) => Date.parse(text) % HOUR_MS === 0, {
      error: 'Name a whole hour, as in 2026-11-23T13:00:00Z.',
    }),
  )
