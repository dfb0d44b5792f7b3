import * as z from 'zod/mini'

/** What an operator may do: everything, or only look. */
const OperatorRole = z.enum(['operator', 'viewer'])

/** A link's token, as its address carries it, and a code as an app shows it. */
const Token = z.string().check(z.maxLength(200))
const Code = z.string().check(z.regex(/^\d{6}$/, 'A code has 6 digits.'))

/** Bodies of the calls below `/api/operator/session`. */
export const SESSION_BODIES = {
  link: z.object({ email: z.string().check(z.maxLength(300)) }),
  open: z.object({ t: Token, code: Code }),
  confirm: z.object({ code: Code }),
  /** Without an id, the session that asks. */
  end: z.object({ id: z.optional(z.uuid()) }),
}

/** The header by which the room says that it only refreshes what is shown, so that the session may end meanwhile. */
export const REFRESH_HEADER = 'pairwire-refresh'

/** Answer of `GET /api/operator/session`. */
export const OperatorSessionAnswer = z.object({
  email: z.string(),
  role: OperatorRole,
  sessions: z.array(
    z.object({
      id: z.string(),
      openedAt: z.string(),
      seenAt: z.string(),
      address: z.string(),
      /** Its browser. */
      client: z.string(),
      isThis: z.boolean(),
    }),
  ),
  /** Names of the verbs that the role may use. */
  verbs: z.array(z.string()),
})
export type OperatorSessionAnswer = z.infer<typeof OperatorSessionAnswer>
