import * as z from 'zod/mini'
import type { StreamKind } from './methods.ts'

/** Events sent to the account on one UTC day, `YYYY-MM-DD`. */
export const UsageDay = z.object({
  day: z.string(),
  newPairs: z.int(),
  buys: z.int(),
  sells: z.int(),
  /** Of these, those over HTTP and by webhooks; absent if there are none. The rest went over websockets. */
  http: z.optional(z.int()),
  webhooks: z.optional(z.int()),
})
export type UsageDay = z.infer<typeof UsageDay>

/** The last 30 UTC days, oldest first; the last one is today. Blocks and service frames are not counted. */
export const Usage = z.object({ days: z.array(UsageDay) })
export type Usage = z.infer<typeof Usage>

/** An open connection. Times here and below are RFC 3339 in UTC. */
export const OpenConnection = z.object({
  /** Its id for the call that closes it. */
  id: z.string(),
  address: z.string(),
  /** The client's name for itself (its User-Agent); empty if it gives none. */
  client: z.string(),
  openedAt: z.string(),
  /** Its last frame of any kind, pongs included. */
  lastSeenAt: z.string(),
  subscriptions: z.array(
    z.object({
      id: z.int(),
      kind: z.enum(['newPair', 'swap', 'latestBlock'] satisfies StreamKind[]),
    }),
  ),
  sentEvents: z.int(),
  sentBytes: z.int(),
  /** Bytes that the client has not read yet. */
  queuedBytes: z.int(),
})
export type OpenConnection = z.infer<typeof OpenConnection>

/** An ended connection. */
const ClosedConnection = z.object({
  id: z.string(),
  address: z.string(),
  client: z.string(),
  openedAt: z.string(),
  closedAt: z.string(),
  /** Name of a close reason, or `client`, `lost`, `unreadable`, `unknown`. An open list. */
  ended: z.string(),
  /** The same in a sentence for people. */
  sentence: z.string(),
  sentEvents: z.int(),
})

/** Connections of the account: open ones, the last ones that ended, and when any was open. */
export const Connections = z.object({
  /** The moment of this answer. */
  at: z.string(),
  /** Whether blocks come from the chain; absent from a server that does not say. */
  isFlowing: z.optional(z.boolean()),
  /** Oldest first. */
  open: z.array(OpenConnection),
  /** Gateways that did not list their open connections in time; absent if all did. */
  missing: z.optional(z.array(z.string())),
  /** The last to end first, 20 at most, of the last 24 hours. */
  closed: z.array(ClosedConnection),
  /** Times of the last 24 hours in which at least one was open, oldest first; gaps under a minute are omitted. */
  spans: z.array(z.object({ from: z.string(), to: z.string() })),
})
export type Connections = z.infer<typeof Connections>
