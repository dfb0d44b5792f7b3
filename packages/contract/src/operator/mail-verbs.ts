import * as z from 'zod/mini'
import { list, verb, Who } from './verb.ts'

/** A mail, without its content. */
const MailRow = z.object({
  ...{ id: z.string(), createdAt: z.string(), to: z.string() },
  /** Null for one to an address without an account. */
  accountId: z.nullable(z.string()),
  /** Which mail it is, as in `payment_failed`. */
  template: z.string(),
  ...{ state: z.enum(['queued', 'sent', 'given_up']), attempts: z.int() },
  /** Of one that waits: when it is tried, and until when. */
  ...{ nextTryAt: z.string(), givesUpAt: z.string() },
  sentAt: z.nullable(z.string()),
})

/** Verbs on mails. */
export const MAIL_VERBS = {
  'mail list': list({
    input: { givenUp: z.optional(z.boolean()), account: z.optional(Who) },
    row: MailRow,
    words: { givenUp: '[--given-up]', account: '[--account <who>]' },
    help: 'mails of 90 days, newest first',
  }),
  'mail test': verb({
    access: 'write',
    input: { to: z.string().check(z.maxLength(300)) },
    row: MailRow,
    words: { to: '<address>' },
    help: 'sends a test mail',
  }),
  'mail retry': verb({
    access: 'write',
    input: { id: z.string() },
    row: z.never(),
    words: { id: '<id>' },
    help: 'tries a mail again',
  }),
}
