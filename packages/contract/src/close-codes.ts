/** Why the gateway hangs up, and whether the client should come back by itself. */
type CloseReason = Readonly<{
  /** WebSocket close code. */
  code: number
  /** One sentence, sent as the close reason (at most 123 bytes of UTF-8, RFC 6455 section 5.5). */
  sentence: string
  comeBack: boolean
}>

/** Close codes that a client has to tell apart. A browser that is refused is accepted and closed with one of them. */
export const CLOSE_CODES = {
  keyUnknown: 4001,
  noPlan: 4003,
  disconnected: 4009,
  connectionLimit: 4029,
} as const

/** Every reason for which the gateway closes a connection. */
export const CLOSE_REASONS = {
  restart: { code: 1001, sentence: 'The service restarts. Come back in a moment.', comeBack: true },
  idle: {
    code: 1001,
    sentence: 'A client that sends nothing for 60 s is closed. Come back at any time.',
    comeBack: true,
  },
  binary: { code: 1003, sentence: 'Frames must be text, one JSON object each.', comeBack: false },
  tooManyFragments: {
    code: 1008,
    sentence: 'A frame may come in at most 1,024 fragments.',
    comeBack: false,
  },
  tooBig: { code: 1009, sentence: 'A frame may hold at most 64 KiB.', comeBack: false },
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
  noPlan: { code: CLOSE_CODES.noPlan, sentence: 'This account has no active plan.', comeBack: false },
  slowConsumer: { code: 4008, sentence: 'You read too slowly. Come back with your cursor.', comeBack: true },
  streamAway: {
    code: 1001,
    sentence: 'The service cannot read what you missed right now. Come back with your cursor.',
    comeBack: true,
  },
  disconnected: { code: CLOSE_CODES.disconnected, sentence: 'Disconnected by the account.', comeBack: false },
  connectionLimit: {
    code: CLOSE_CODES.connectionLimit,
    sentence: 'All connections of this plan are in use.',
    comeBack: true,
  },
} as const satisfies Record<string, CloseReason>

/** Name of a {@link CLOSE_REASONS} entry. */
export type CloseReasonName = keyof typeof CLOSE_REASONS
