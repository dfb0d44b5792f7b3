import * as z from 'zod'
import type { StreamKind } from './methods.ts'
import { PROCESS_PARTS, STREAM_SORTS } from './operator/process-names.ts'

/** Milliseconds for which a gateway counts as running after it last renewed its lease. */
export const GATEWAY_LEASE_MS = 4_000

/*
 * The state that processes report to each other, as answers to requests over the bus.
 */

/** The price of SOL and the pools behind it; all null, and no pools, while it is unknown. */
export const SolPriceState = z.object({
  usdPerSol: z.number().nullable(),
  /** Seconds of block time since the newest trade behind it. */
  ageSeconds: z.number().nullable(),
  /** The relative distance of the highest pool above the lowest. */
  spread: z.number().nullable(),
  /** The heaviest first. */
  pools: z.array(
    z.object({
      address: z.string(),
      exchange: z.string(),
      /** Whether it is one of the pools known by address; otherwise it is deep enough. */
      isKnown: z.boolean(),
      usdPerSol: z.number(),
    }),
  ),
})
export type SolPriceState = Unchanging<z.infer<typeof SolPriceState>>

/** The state of one endpoint of a source. */
export const LiveEndpoint = z.object({
  /** Its kind and its host. */
  name: z.string(),
  state: z.enum(['connecting', 'connected', 'resting']),
  /** Its software and version; null until it has reported them. */
  version: z.string().nullable(),
  /** Newest slot of which it delivered everything first; null before one. */
  slot: z.number().nullable(),
  /** What it lacks or why it failed; null if nothing is wrong. */
  trouble: z.string().nullable(),
  /** Messages that could not be parsed, since the start. */
  unreadable: z.number().optional(),
})
export type LiveEndpoint = Unchanging<z.infer<typeof LiveEndpoint>>

/** The state of a source of the live chain; no text in it contains a token. */
export const LiveSourceState = z.object({
  /** What is wrong, in a sentence for people; null if nothing is. */
  trouble: z.string().nullable(),
  endpoints: z.array(LiveEndpoint),
  /** Measured milliseconds from one slot to the next; null before it is known. */
  slotMs: z.number().nullable(),
  /** Gaps that were filled, and those that were not and were announced. */
  holesFilled: z.number(),
  holesNotFilled: z.number(),
  /** Slots in announced gaps. */
  slotsMissed: z.number(),
  /** Observations that should never happen on a sound chain, by kind. */
  alarms: z.record(z.string(), z.number()),
  /** What sources of its kind cannot see, in sentences for people; absent if they see everything. */
  cannotSee: z.string().optional(),
})
export type LiveSourceState = Unchanging<z.infer<typeof LiveSourceState>>

/** The lag of events: counts by upper bound in milliseconds, the last without one. */
const Lags = z.object({ bounds: z.array(z.number()), counts: z.array(z.number()), sum: z.number() })

/** The comparison with the chain since the start, one slot a minute. */
export const AuditState = z.object({
  /** Host of the endpoint that is queried. */
  host: z.string(),
  slots: z.number(),
  /** Events that the chain has in these slots. */
  events: z.number(),
  missing: z.number(),
  extra: z.number(),
  different: z.number(),
  /** The newest first. */
  faults: z.array(
    z.object({
      kind: z.enum(['missing', 'extra', 'different']),
      venue: z.string(),
      slot: z.number(),
      signature: z.string().nullable(),
    }),
  ),
  /** The same for the last 60 slots that were compared, with all faults together. */
  recent: z.object({ slots: z.number(), events: z.number(), faults: z.number() }).optional(),
  /** The newest slot that was compared, and when, in Unix milliseconds. */
  newest: z.object({ slot: z.number(), at: z.number() }).nullable(),
  /** Why the last one could not be compared; null if it was. */
  trouble: z.string().nullable(),
})
export type AuditState = Unchanging<z.infer<typeof AuditState>>

/** Evidence that the data is right and complete. */
export const ProofState = z.object({
  /** Calls of decoded programs, by address: how many were understood, and how many not. */
  programs: z.record(
    z.string(),
    z.object({ exchange: z.string(), understood: z.number(), unknown: z.number() }),
  ),
  /** Programs whose share of unknown calls has grown, the largest share first. */
  decoderAlarms: z.array(
    z.object({
      program: z.string(),
      exchange: z.string(),
      /** The discriminator of the most frequent unknown instruction, in hex; null if there are too many. */
      discriminator: z.string().nullable(),
      /** Share of unknown calls, now and before. */
      share: z.number(),
      usualShare: z.number(),
      /** Signature of a transaction with such a call. */
      example: z.string().nullable(),
    }),
  ),
  /** The lag of each exchange's events; empty for a recording. */
  lagsByExchange: z.record(z.string(), Lags),
  /** Slots in announced gaps since the start, by cause; absent if there were none. */
  gapSlots: z.object({ upstream: z.number(), deploy: z.number() }).optional(),
  /** When the newest gap was announced, in Unix milliseconds; absent before one. */
  gapAt: z.number().optional(),
  /** Milliseconds by which the newest block's own time was ahead of the clock, which is then behind. */
  blockAheadMs: z.number().optional(),
  /** Result of a running comparison with the chain; absent without an RPC. */
  audit: AuditState.optional(),
})
export type ProofState = Unchanging<z.infer<typeof ProofState>>

/** Share of the last new pairs, 0 to 1, of which something was known within this time; null before one is a minute old. */
const Share = z.number().nullable()

/** How the names and pictures of tokens are looked up. */
export const MetadataState = z.object({
  /** New pairs that the shares are taken over. */
  pairs: z.number(),
  nameWithin1s: Share,
  nameWithin60s: Share,
  pictureWithin1s: Share,
  pictureWithin60s: Share,
  bothWithin1s: Share,
  bothWithin60s: Share,
  /** Mints that wait to be looked up on the chain; pages being read, and waiting. */
  mintsWaiting: z.number(),
  pagesReading: z.number(),
  pagesWaiting: z.number(),
  /** Why the chain does not answer, in a sentence; null while it does, or if nothing is queried. */
  trouble: z.string().nullable(),
})
export type MetadataState = Unchanging<z.infer<typeof MetadataState>>

/** The current state of the source of transactions. */
export const SourceState = z.object({
  up: z.boolean(),
  /** How far the newest block was behind the clock; null before the first one, and for a recording. */
  lagMs: z.number().nullable(),
  /** Slot of the newest block. */
  latestBlock: z.number().nullable(),
  /** The lag of events since the start. */
  lags: Lags,
  /** Events published since the start, by exchange as shown to people; `buys` of the swaps were buys. */
  events: z.record(z.string(), z.object({ newPairs: z.number(), swaps: z.number(), buys: z.number() })),
  /** Mean over the last seconds. */
  eventsPerSecond: z.number(),
  /** Counters since the start by name, camelCase: each becomes a separate metric. */
  totals: z.record(z.string(), z.number()),
  /** Data that gave no event although it may have meant one, by `exchange reason`. */
  refusals: z.record(z.string(), z.number()),
  /** The price of a SOL from the stream's own trades. */
  solPrice: SolPriceState,
  /** Absent before the source is read. */
  metadata: MetadataState.optional(),
  /** The state of a live chain's source; undefined for a simulator and for a recording. */
  live: LiveSourceState.optional(),
  /** The cluster, as far as an RPC reports it; `other` for an unknown one, such as a stand-in's. */
  chain: z.enum(['mainnet', 'devnet', 'testnet', 'other']).optional(),
  proof: ProofState.optional(),
})
export type SourceState = Unchanging<z.infer<typeof SourceState>>

/** One open stream connection. Times are Unix milliseconds. */
export const OpenStream = z.object({
  /** Its id for `closeConnection`. */
  id: z.string(),
  address: z.string(),
  /** The client's name for itself; empty if it gives none. */
  client: z.string(),
  connectedAt: z.number(),
  /** Its last frame of any kind. */
  lastSeenAt: z.number(),
  subscriptions: z.array(
    z.object({ id: z.number(), kind: z.enum(['newPair', 'swap', 'latestBlock'] satisfies StreamKind[]) }),
  ),
  sentEvents: z.number(),
  sentBytes: z.number(),
  queuedBytes: z.number(),
})
export type OpenStream = Unchanging<z.infer<typeof OpenStream>>

/** One open stream connection of any account, as the operator sees it. */
export const AnyStream = OpenStream.extend({
  accountId: z.string(),
  /** Requests that were refused. */
  faults: z.number(),
})
export type AnyStream = Unchanging<z.infer<typeof AnyStream>>

/** What each sort order compares. */
export const STREAM_RANKS: Readonly<
  Record<(typeof STREAM_SORTS)[number], (stream: Omit<AnyStream, 'subscriptions'>) => number>
> = {
  queued: ({ queuedBytes }) => queuedBytes,
  sent: ({ sentBytes }) => sentBytes,
  age: ({ connectedAt }) => -connectedAt,
  faults: ({ faults }) => faults,
}

/** Which connections of a gateway are wanted. */
export const StreamsWanted = z.object({
  /** Of this account only. */
  accountId: z.string().optional(),
  /** Only this one. */
  id: z.string().optional(),
  sort: z.enum(STREAM_SORTS).default('queued'),
  limit: z.number().int().min(1).max(200).default(50),
})
export type StreamsWanted = z.infer<typeof StreamsWanted>

/** How a process of a deployment is doing. */
export const ProcessState = z.object({
  part: z.enum(PROCESS_PARTS),
  /** Its machine and port. */
  name: z.string(),
  version: z.string(),
  /** Unix milliseconds. */
  startedAt: z.number(),
  /** Processor time since the last look, as a share of one core. */
  cores: z.number(),
  memoryBytes: z.number(),
  /** Milliseconds by which its timers were late at worst, in the last minute or two. */
  loopDelayMs: z.number(),
  /** The plans' figures that it goes by, as `plansText` has them. */
  plans: z.string().optional(),
  /** Its part of `/metrics` that others show or watch: values by series, as in `pairwire_part_up{part="bus"}`. */
  figures: z.record(z.string(), z.number()).default({}),
})
export type ProcessState = Unchanging<z.infer<typeof ProcessState>>

/** Values made for each answer and changed by nobody. */
type Unchanging<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
  : Value

/**
 * Requests over the bus, by their subjects. `alive` makes a gateway probe an account's connections, so that a dead one frees
 * its seat: the answer is the number of open ones.
 */
export const ASKS = {
  ingestState: () => 'ingest.state',
  tokens: () => 'ingest.tokens',
  openStreams: (gatewayId: string) => `gateway.${gatewayId}.streams`,
  alive: (gatewayId: string) => `gateway.${gatewayId}.alive`,
  connections: (gatewayId: string) => `gateway.${gatewayId}.connections`,
  /** Every process of the part answers. */
  process: (part: ProcessState['part']) => `${part}.all.process`,
} as const

/** The body of a request to a gateway about an account. */
export const OfAccount = z.object({ accountId: z.string() })
export type OfAccount = z.infer<typeof OfAccount>

/** The body of `alive`: with what a newcomer continues, the connection that sent it that gives way. */
export const AliveAsk = OfAccount.extend({
  successor: z.object({ stream: z.string(), cursor: z.string() }).optional(),
})
export type AliveAsk = z.infer<typeof AliveAsk>

/** The gateway's answer to `alive`. */
export const AliveAnswer = z.object({ open: z.number() })
