import * as z from 'zod'
import { GapParams } from './events.ts'
import { SOURCE_KINDS } from './history/source-kinds.ts'
import { HOUR_MS } from './time-units.ts'

export { SOURCE_KINDS, type SourceKind } from './history/source-kinds.ts'

/** Milliseconds after its end for which an hour may still be written; one that is missing later is gone. */
export const HOUR_PENDING_MS = 2 * HOUR_MS

/** The name of a UTC hour by its start, `YYYYMMDD-HHMMSS`. `at` is any moment within it, in Unix milliseconds. */
export function hourName(at: number): string {
  const text = new Date(at - (at % HOUR_MS)).toISOString()
  return `${text.slice(0, 10).replaceAll('-', '')}-${text.slice(11, 19).replaceAll(':', '')}`
}

/** The start of the named hour, in Unix milliseconds; undefined for a name of another form. */
export function hourStart(name: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)-(\d\d)0000$/.exec(name)
  if (!match) return undefined
  const [year, month, day, hour] = match.slice(1)
  const at = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`)
  return Number.isNaN(at) || hourName(at) !== name ? undefined : at
}

/** A time in Unix milliseconds as RFC 3339 to the second, as answers and manifests of history write it. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** The four files of an hour. */
export const HOUR_FILES = ['zip', 'swaps', 'pairs', 'blocks'] as const
export type HourFileKind = (typeof HOUR_FILES)[number]

const HourName = z.string().refine((name) => hourStart(name) !== undefined, 'is not the name of an hour')

/** One file of an hour. `name` is the object's, within the folder of the month; `rows` counts lines of the zip's entry. */
export const HourFile = z.object({
  name: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rows: z.number().int().nonnegative(),
})
export type HourFile = z.infer<typeof HourFile>

/** A range of slots of an hour, both ends inclusive, in which something is missing. */
const HourGap = GapParams.omit({ resume_from: true })

/** The proof of an hour, which exists once its manifest does. Times are RFC 3339 in UTC. */
export const Manifest = z.object({
  format: z.literal(1),
  hour: HourName,
  from: z.string(),
  to: z.string(),
  source: z.enum(SOURCE_KINDS),
  made: z.enum(['stream', 'backfill']),
  /** Rises each time the hour is made again. */
  revision: z.number().int().positive(),
  madeAt: z.string(),
  /** No gaps, `linked` not false, and the last block of the previous hour was seen. */
  complete: z.boolean(),
  counts: z.object({
    swaps: z.number().int(),
    pairs: z.number().int(),
    blocks: z.number().int(),
    /** Events by `sourceExchange`. */
    byExchange: z.record(z.string(), z.number().int()),
    /** Amounts beyond 64 bits, which are NULL in Parquet and exact in the zip. */
    nulls: z.number().int(),
  }),
  /** Null for an hour without a block. */
  slots: z.object({ first: z.number().int(), last: z.number().int() }).nullable(),
  /** `last` is the cursor of the last block: a client that resumes from it continues live. Null without a block. */
  cursors: z.object({ first: z.string(), last: z.string() }).nullable(),
  /** `linked`: each block names the previous one as its parent. Null if a block has no hash. */
  chain: z.object({ parentBlockhash: z.string(), blockhash: z.string(), linked: z.boolean() }).nullable(),
  gaps: z.array(HourGap),
  /** In the order of {@link HOUR_FILES}. */
  files: z.array(HourFile).length(HOUR_FILES.length),
})
export type Manifest = z.infer<typeof Manifest>

/** The file of this kind in a manifest. */
export function fileOf(manifest: Manifest, kind: HourFileKind): HourFile {
  return manifest.files[HOUR_FILES.indexOf(kind)]!
}

/*
 * The archiver's answers over the bus.
 */

/** Bytes of events in one page of an hour. */
export const ARCHIVE_PAGE_BYTES = 512_000

/** Requests over the bus that the archiver answers, by their subjects. */
export const ARCHIVE_ASKS = {
  /** Events of an hour after a cursor: {@link PageAsk}, {@link PageAnswer}. */
  page: 'archive.page',
  /** A filter tried on one hour: {@link TryAsk}, {@link TryAnswer}. */
  try: 'archive.try',
  /** The state of the archiver: {@link ArchiveState}. */
  state: 'archive.state',
} as const

/**
 * Requests events of an hour after the cursor `after`, which need not be an event's; if it is null, from the first block that
 * reaches `from` (Unix seconds of block time), or from the hour's beginning. An hour that ends before is an empty page.
 */
export const PageAsk = z.object({
  source: z.enum(SOURCE_KINDS),
  hour: HourName,
  after: z.string().nullable(),
  from: z.number().int().optional(),
})
export type PageAsk = z.infer<typeof PageAsk>

/**
 * A page. `events` is a list of stream events as written by `eventsText`, in chain order, including blocks and gaps, {@link
 * ARCHIVE_PAGE_BYTES} at most; `isLast` if the hour ends with it. `missing`: there is no such hour.
 */
export const PageAnswer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('page'), events: z.string(), isLast: z.boolean() }),
  z.object({ outcome: z.literal('missing') }),
])
export type PageAnswer = z.infer<typeof PageAnswer>

/** Tries a filter on one hour. `params` are those of a subscribe, as sent. */
export const TryAsk = z.object({
  source: z.enum(SOURCE_KINDS),
  hour: HourName,
  kind: z.enum(['swap', 'newPair']),
  params: z.record(z.string(), z.unknown()),
})
export type TryAsk = z.infer<typeof TryAsk>

/** The matches of a filter in an hour. */
export const TryAnswer = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('tried'),
    matched: z.number().int(),
    /** Events of the kind in the hour. */
    total: z.number().int(),
    /** The minute with the most matches: its start in Unix seconds, and how many. Null without a match. */
    busiestMinute: z.object({ at: z.number().int(), matched: z.number().int() }).nullable(),
    /** `params` with cursor of the newest matches, newest first, 20 at most. */
    sample: z.array(z.object({ cursor: z.string(), params: z.unknown() })),
  }),
  z.object({ outcome: z.literal('missing') }),
])
export type TryAnswer = z.infer<typeof TryAnswer>

/** The state of the archiver. */
export const ArchiveState = z.object({
  source: z.enum(SOURCE_KINDS),
  /** Whether it keeps up: false if it is 2 hours behind, paused or stuck. */
  up: z.boolean(),
  /** What is wrong, in a sentence for people; null if nothing is. */
  trouble: z.string().nullable(),
  /** Start of the first hour that is not written yet, RFC 3339; null before the first block. */
  completeTo: z.string().nullable(),
  /** The hour that everybody may have: the first complete one with a swap, in the newest month that has one. */
  sample: HourName.nullable(),
  /** Seconds of block time between the newest block on the bus and the newest in the spool. */
  lagSeconds: z.number(),
  /** Finished hours that wait for the storage. */
  waitingUploads: z.number().int(),
  /** Failures to make an hour since the start. */
  failures: z.number().int(),
})
export type ArchiveState = z.infer<typeof ArchiveState>
