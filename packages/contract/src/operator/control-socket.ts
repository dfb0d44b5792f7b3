import * as z from 'zod/mini'

/** The socket's name in the data folder. */
export const CONTROL_SOCKET = 'control.sock'

/** Milliseconds of silence after which either side of the socket gives the other up. */
export const SILENCE_MS = 10_000

/** Milliseconds between two lines that only say that a verb still runs. */
export const ALIVE_EVERY_MS = 3_000

/** One line of JSON from the tool: a verb, its input, and the system's user who runs it. */
export const ControlRequest = z.object({
  verb: z.string(),
  input: z.unknown(),
  as: z.enum(['rows', 'csv']),
  actor: z.string().check(z.maxLength(300)),
})
export type ControlRequest = z.infer<typeof ControlRequest>

/** Lines of JSON in answer: rows or pieces of CSV as they come, signs of life in between, and the outcome last. */
export const ControlReply = z.union([
  z.object({ row: z.unknown() }),
  z.object({ csv: z.string() }),
  z.object({ alive: z.literal(true) }),
  z.object({ refused: z.string() }),
  z.object({ done: z.literal(true) }),
])
export type ControlReply = z.infer<typeof ControlReply>
