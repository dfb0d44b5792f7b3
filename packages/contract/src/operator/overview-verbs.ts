import * as z from 'zod/mini'
import type { AuditState, LiveEndpoint } from '../process-state.ts'
import { Act } from './act-verbs.ts'
import { ProcessRow } from './process-verbs.ts'
import { MaybeText, verb } from './verb.ts'

/** A shape of the bus, parsed where it was taken from there. */
const fromBus = <Shape>() => z.custom<Shape>()

const Count = z.nullable(z.int())

/** What every row here says of its own making. */
const ROW = {
  at: z.string(),
  /** What did not answer within 1.5 s: its members are null or empty. */
  missing: z.array(z.string()),
  /** Whether each part is up, as `/healthz` has it. */
  parts: z.record(z.string(), z.boolean()),
}

/** The source of transactions, in short; null without a running service. */
const SOURCE = {
  up: z.boolean(),
  lagMs: z.nullable(z.number()),
  /** Newest slot. */
  latestBlock: z.nullable(z.number()),
  eventsPerSecond: z.number(),
}

const OverviewRow = z.object({
  ...ROW,
  version: z.string(),
  source: z.nullable(z.object(SOURCE)),
  gateways: z.array(z.object({ name: z.string(), version: z.string(), connections: z.int() })),
  connections: z.int(),
  /** Monthly revenue in the smallest unit of each currency, and people. A minute old at most. */
  money: z.nullable(
    z.object({
      mrr: z.record(z.string(), z.string()),
      ...{ paying: z.int(), trials: z.int(), pastDue: z.int() },
    }),
  ),
  registrations7d: Count,
  /** The last ones, newest first. */
  acts: z.array(Act),
})

const StreamRow = z.object({
  ...ROW,
  source: z.nullable(
    z.object({
      ...SOURCE,
      chain: MaybeText,
      trouble: MaybeText,
      /** Measured milliseconds from slot to slot. */
      slotMs: z.nullable(z.number()),
      endpoints: z.array(fromBus<LiveEndpoint>()),
    }),
  ),
  /** Gaps of the chain since the start: filled, not filled, and the slots announced as missing by cause. */
  gaps: z.object({ filled: z.int(), notFilled: z.int(), slots: z.record(z.string(), z.int()) }),
  /** Data since the start that may have meant an event but gave none. */
  refusals: z.array(z.object({ venue: z.string(), reason: z.string(), count: z.int() })),
  /** Programs with unknown instructions since the start; the rest only where the share has grown. */
  unknown: z.array(
    z.object({
      ...{ venue: z.string(), program: z.string(), count: z.int(), share: z.number() },
      ...{ usualShare: z.nullable(z.number()), discriminator: MaybeText, example: MaybeText },
    }),
  ),
  /** The comparison with the chain; null without one. */
  audit: z.nullable(fromBus<AuditState>()),
  /** Events that clients can resume from; `bytes` null where NATS has them. */
  kept: z.object({ bytes: Count, oldestCursor: MaybeText }),
  archive: z.nullable(
    z.object({ hours: z.int(), bytes: z.int(), gapHours: z.int(), completeTo: z.string() }),
  ),
  /** Of the archivers: null if none archives. */
  archiving: z.nullable(z.object({ lagSeconds: z.number(), waitingUploads: z.int(), failures: z.int() })),
  /** What clients have not read yet. */
  queues: z.object({
    connections: z.int(),
    subscriptions: z.int(),
    queuedBytes: z.int(),
    heldBytes: z.int(),
  }),
  /** Connections that count towards limits across gateways; 0 for a gateway alone. */
  seats: Count,
  /** Work that one process does at a time, and until when one has it. */
  leases: z.array(z.object({ work: z.string(), until: z.string(), isHeld: z.boolean() })),
  processes: z.array(ProcessRow),
  disks: z.array(z.object({ process: z.string(), freeBytes: z.int() })),
  mails: z.nullable(
    z.object({ queued: z.int(), oldestAt: MaybeText, sent24h: z.int(), givenUp24h: z.int() }),
  ),
  /** Reports of the payment provider since each process began. */
  webhooks: z.object({ received: z.int(), refused: z.int() }),
})

/** Verbs on the whole service. */
export const OVERVIEW_VERBS = {
  'overview show': verb({
    access: 'read',
    input: {},
    row: OverviewRow,
    words: {},
    help: 'how the service and the business stand',
  }),
  'stream show': verb({
    access: 'read',
    input: {},
    row: StreamRow,
    words: {},
    help: 'the stream and its processes in full',
  }),
}
