import { STREAM_LIMIT_WORDS } from './stream-limits.ts'

/** Why the gateway closes a connection, and whether the client should reconnect by itself. */
type CloseReason = Readonly<{
  /** WebSocket close code. */
  code: number
  /** One sentence, sent as the close reason (at most 123 bytes of UTF-8, RFC 6455 section 5.5). */
  sentence: string
  comeBack: boolean
}>

/** Close codes that a client must distinguish. A refused browser is accepted first, then closed with one of them. */
export const CLOSE_CODES = {
  keyUnknown: 4001,
  noPlan: 4003,
  disconnected: 4009,
  connectionLimit: 4029,
} as const

/** Stands in a sentence for the address of the support, as in the docs; the gateway that sends the sentence puts it in. */
export const SUPPORT_EMAIL = '{{supportEmail}}'

/** Every reason for which the gateway closes a connection. */
export const CLOSE_REASONS = {
  restart: { code: 1001, sentence: 'The service is restarting. Reconnect in a moment.', comeBack: true },
  idle: {
    code: 1001,
    sentence: `Your client sent nothing for ${STREAM_LIMIT_WORDS.idle} s. Reconnect at any time.`,
    comeBack: true,
  },
  binary: { code: 1003, sentence: 'Frames must be text, one JSON object each.', comeBack: false },
  tooManyFragments: {
    code: 1008,
    sentence: `A frame may have at most ${STREAM_LIMIT_WORDS.fragments} fragments.`,
    comeBack: false,
  },
  tooBig: { code: 1009, sentence: `A frame may hold at most ${STREAM_LIMIT_WORDS.frame}.`, comeBack: false },
  malformed: {
    code: 4000,
    sentence: 'Too many requests that the service could not answer.',
    comeBack: false,
  },
  keyUnknown: {
    code: CLOSE_CODES.keyUnknown,
    sentence: 'This API key is not known, or it was reset.',
    comeBack: false,
  },
  accountSuspended: {
    code: CLOSE_CODES.noPlan,
    sentence: `This account is suspended. Write to ${SUPPORT_EMAIL}.`,
    comeBack: false,
  },
  noPlan: { code: CLOSE_CODES.noPlan, sentence: 'This account has no active plan.', comeBack: false },
  slowConsumer: {
    code: 4008,
    sentence: 'Your client read too slowly. Reconnect and resume from your cursor.',
    comeBack: true,
  },
  streamAway: {
    code: 1001,
    sentence: 'The service cannot read the events you missed. Reconnect in a moment with your cursor.',
    comeBack: true,
  },
  disconnected: {
    code: CLOSE_CODES.disconnected,
    sentence: 'Disconnected by the account or by an operator.',
    comeBack: false,
  },
  connectionLimit: {
    code: CLOSE_CODES.connectionLimit,
    sentence: 'All connections of your plan are in use.',
    comeBack: true,
  },
} as const satisfies Record<string, CloseReason>

/** Name of a {@link CLOSE_REASONS} entry. */
export type CloseReasonName = keyof typeof CLOSE_REASONS
