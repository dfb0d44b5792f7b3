import * as z from 'zod/mini'
import { verb } from './verb.ts'

/** An alarm of the table. */
const AlarmRow = z.object({
  name: z.string(),
  /** `waiting`: its condition holds, not for long enough yet. `hushed`: it stands again within an hour, and is not told. */
  state: z.enum(['quiet', 'waiting', 'hushed', 'raised']),
  /** Since when its condition holds; null while it does not. */
  since: z.nullable(z.string()),
  /** When operators were last told that it began. */
  toldAt: z.nullable(z.string()),
  sentence: z.string(),
})

/** Verbs on alarms. */
export const ALARM_VERBS = {
  'alarms list': verb({
    access: 'read',
    input: {},
    row: AlarmRow,
    words: {},
    help: 'every alarm and how it stands',
  }),
  'alarms test': verb({
    access: 'write',
    input: {},
    row: z.object({
      /** How many operators it was mailed to. */
      mails: z.int(),
      /** Whether it was posted; null without `ALARM_URL`. */
      posted: z.nullable(z.boolean()),
    }),
    words: {},
    help: 'mails a test alarm to all operators and posts it to ALARM_URL',
  }),
}
