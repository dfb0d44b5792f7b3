import * as z from 'zod/mini'
import { verb } from './verb.ts'

/** What the doctor checks, in the order in which it answers. */
export const CHECK_NAMES = [
  ...(['settings', 'version', 'folder', 'disk', 'secrets', 'clock', 'database', 'nats', 'archive'] as const),
  ...(['source', 'rpc', 'mail', 'mail-dns', 'address', 'proxy'] as const),
  ...(['paddle-key', 'paddle-prices', 'paddle-webhook', 'brand', 'operator', 'backup'] as const),
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

/** What a check found, and of the `last` when. A warning or fault has a `fix` that a person can carry out, others null. */
const CheckRow = z.object({
  check: z.enum(CHECK_NAMES),
  state: z.enum(['ok', 'warn', 'fail', 'skipped']),
  sentence: z.string(),
  fix: z.nullable(z.string()),
  at: z.optional(z.string()),
})
export type CheckRow = z.infer<typeof CheckRow>

/** Names of checks with commas between. */
const Only = z
  .string()
  .check(
    z.refine(
      (text) => text.split(',').every((name) => (CHECK_NAMES as readonly string[]).includes(name)),
      `Name checks with commas between: ${CHECK_NAMES.join(', ')}.`,
    ),
  )

/** Verbs of the machine that the service runs too. */
export const DOCTOR_VERBS = {
  'machine doctor': verb({
    access: 'read',
    input: { only: z.optional(Only), last: z.optional(z.boolean()) },
    row: CheckRow,
    words: { only: '[--only a,b]' },
    help: 'what doctor checks, as the running service finds it',
  }),
  'machine version': verb({
    access: 'read',
    input: {},
    row: z.object({
      version: z.string(),
      node: z.string(),
      /** Migrations of the database that this version knows. */
      schema: z.number(),
    }),
    words: {},
    help: 'the version of the running service',
  }),
}
