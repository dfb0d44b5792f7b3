import * as z from 'zod/mini'
import { list, Moment, Who } from './verb.ts'

/** What an operator did. `changes` has each changed thing before and after. */
export const Act = z.object({
  at: z.string(),
  actor: z.string(),
  via: z.enum(['room', 'tool', 'token']),
  verb: z.string(),
  accountId: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  changes: z.record(z.string(), z.unknown()),
  outcome: z.enum(['done', 'refused', 'asked']),
  address: z.nullable(z.string()),
})

export type ActRow = z.infer<typeof Act>

/** Verbs on what operators did. */
export const ACT_VERBS = {
  'acts list': list({
    input: { account: z.optional(Who), since: z.optional(Moment) },
    row: Act,
    words: { account: '[--account <who>]', since: '[--since DATE]' },
    hasCsv: true,
    help: 'what operators did, newest first',
  }),
}
