import { z } from 'zod'
import type { StreamKind } from './methods.ts'

/** Milliseconds for which a gateway counts as running after it last said so. */
export const GATEWAY_LEASE_MS = 4_000

/*
 * What processes tell each other of how they are, as answers to requests over the bus.
 */

/** The price of SOL and the pools that it is made of; all null, and no pool, while it is not known. */
export const SolPriceState = z.object({
  usdPerSol: z.number().nullable(),
  /** Seconds of block time since the newest trade that it is made of. */
  ageSeconds: z.number().nullable(),
  /** Share by which the highest of its pools stands above the lowest. */
  spread: z.number().nullable(),
  /** The heaviest first. */
  pools: z.array(
    z.object({
      address: z.string(),
      exchange: z.string(),
      /** Whether it is one of those that are known by address, else it is deep enough. */
      isKnown: z.boolean(),
      usdPerSol: z.number(),
    }),
  ),
})
export type SolPriceState = Unchanging<z.infer<typeof SolPriceState>>

/** How one endpoint of a source is. */
export const LiveEndpoint = z.object({
  /** Its kind and its host. */
  name: z.string(),
  state: z.enum(['connecting', 'connected', 'resting']),
  /** Its software and version; null before it said so. */
  version: z.string().nullable(),
  /** Newest slot of which it had everything first; null before one. */
  slot: z.number().nullable(),
  /** What it lacks or why it failed; null while nothing is wrong. */
  trouble: z.string().nullable(),
  /** Messages that could not be read, since the start. */
  unreadable: z.number().optional(),
})
export type LiveEndpoint = Unchanging<z.infer<typeof LiveEndpoint>>

/** How a source of the live chain is; no text in it holds a token. */
export const LiveSourceState = z.object({
  /** What is wrong, in a sentence for people; null while nothing is. */
  trouble: z.string().nullable(),
  endpoints: z.array(LiveEndpoint),
  /** Milliseconds from one slot to the next as measured; null before it is known. */
  slotMs: z.number().nullable(),
  /** Holes that were filled, and those that were not, of which a gap was said. */
  holesFilled: z.number(),
  holesNotFilled: z.number(),
  /** Slots within the gaps that were said. */
  slotsMissed: z.number(),
  /** What should never happen on a sound chain, by kind. */
  alarms: z.record(z.string(), z.number()),
  /** What sources of its kind cannot see, in sentences for people; absent where they see all. */
  cannotSee: z.string().optional(),
})
export type LiveSourceState = Unchanging<z.infer<typeof LiveSourceState>>

/** How late events were: counts by upper bound in milliseconds, the last without one. */
const Lags = z.object({ bounds: z.array(z.number()), counts: z.array(z.number()), sum: z.number() })

/** What was compared with the chain since the start, one slot a minute. */
export const AuditState = z.object({
  /** Host of the endpoint that is asked. */
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
  /** The same of the last 60 slots that were compared, its faults together. */
  recent: z.object({ slots: z.number(), events: z.number(), faults: z.number() }).optional(),
  /** The newest slot that was compared, and when, Unix milliseconds. */
  newest: z.object({ slot: z.number(), at: z.number() }).nullable(),
  /** Why the last one could not be compared; null where it was. */
  trouble: z.string().nullable(),
})
export type AuditState = Unchanging<z.infer<typeof AuditState>>

/** What shows whether the data is right and whole. */
export const ProofState = z.object({
  /** Calls of the programs that are decoded, by address: how many were understood, and how many not. */
  programs: z.record(
    z.string(),
    z.object({ exchange: z.string(), understood: z.number(), unknown: z.number() }),
  ),
  /** Programs whose calls began to be unknown more often than they were, the largest share first. */
  decoderAlarms: z.array(
    z.object({
      program: z.string(),
      exchange: z.string(),
      /** What names the unknown instruction that was called most, in hex; null where there are too many. */
      discriminator: z.string().nullable(),
      /** Share of the calls that are unknown now, and that were before. */
      share: z.number(),
      usualShare: z.number(),
      /** Signature of a transaction with such a call. */
      example: z.string().nullable(),
    }),
  ),
  /** How late the events of each exchange were; empty for a recording. */
  lagsByExchange: z.record(z.string(), Lags),
  /** Slots of which a gap was said since the start, by its cause; absent where none was. */
  gapSlots: z.object({ upstream: z.number(), deploy: z.number() }).optional(),
  /** What a running comparison with the chain found; absent where there is no RPC to ask. */
  audit: AuditState.optional(),
})
export type ProofState = Unchanging<z.infer<typeof ProofState>>

/** Share of the last new pairs, 0 to 1, of which something was known so soon; null before one is a minute old. */
const Share = z.number().nullable()

/** How the names and pictures of tokens are found out. */
export const MetadataState = z.object({
  /** New pairs that the shares are of. */
  pairs: z.number(),
  nameWithin1s: Share,
  nameWithin60s: Share,
  pictureWithin1s: Share,
  pictureWithin60s: Share,
  bothWithin1s: Share,
  bothWithin60s: Share,
  /** Mints that wait to be asked of the chain; pages that are read now, and that wait. */
  mintsWaiting: z.number(),
  pagesReading: z.number(),
  pagesWaiting: z.number(),
  /** Why the chain does not answer, in a sentence; null while it does, or nobody is asked. */
  trouble: z.string().nullable(),
})
export type MetadataState = Unchanging<z.infer<typeof MetadataState>>

/** What the source of transactions is doing now. */
export const SourceState = z.object({
  up: z.boolean(),
  /** How far the newest block was behind the clock; null before the first one, and for a recording. */
  lagMs: z.number().nullable(),
  /** Slot of the newest block. */
  latestBlock: z.number().nullable(),
  /** How late the events since the start were. */
  lags: Lags,
  /** Events published since the start, by exchange as people are shown it; `buys` of the swaps were buys. */
  events: z.record(z.string(), z.object({ newPairs: z.number(), swaps: z.number(), buys: z.number() })),
  /** Mean over the last seconds. */
  eventsPerSecond: z.number(),
  /** Counters since the start by name, camelCase: each becomes a metric of its own. */
  totals: z.record(z.string(), z.number()),
  /** Bytes that gave no event although they may have meant one, by `exchange reason`. */
  refusals: z.record(z.string(), z.number()),
  /** What a SOL is worth by the stream's own trades. */
  solPrice: SolPriceState,
  /** Absent until the source is read. */
  metadata: MetadataState.optional(),
  /** How the source of a live chain is; undefined for a simulator and for a recording. */
  live: LiveSourceState.optional(),
  /** Which chain it is, as far as an RPC says so; `other` for one of its own, as a stand-in's. */
  chain: z.enum(['mainnet', 'devnet', 'testnet', 'other']).optional(),
  proof: ProofState.optional(),
})
export type SourceState = Unchanging<z.infer<typeof SourceState>>

/** One open stream connection. Times are Unix milliseconds. */
export const OpenStream = z.object({
  /** Names it in `closeConnection`. */
  id: z.string(),
  address: z.string(),
  /** What the client calls itself; empty when it does not say. */
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

/** What is made fresh for each answer and changed by nobody. */
type Unchanging<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
  : Value

/**
 * Requests over the bus, by their subjects. `alive` has a gateway probe an account's connections, so that one that is
 * dead makes room: the answer is how many are open.
 */
export const ASKS = {
  ingestState: () => 'ingest.state',
  tokens: () => 'ingest.tokens',
  openStreams: (gatewayId: string) => `gateway.${gatewayId}.streams`,
  alive: (gatewayId: string) => `gateway.${gatewayId}.alive`,
} as const

/** The body of what a gateway is asked of an account. */
export const OfAccount = z.object({ accountId: z.string() })
export type OfAccount = z.infer<typeof OfAccount>

/** What the gateway answers to `alive`. */
export const AliveAnswer = z.object({ open: z.number() })
