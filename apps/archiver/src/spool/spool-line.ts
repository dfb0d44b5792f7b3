import { GapParams, SOURCE_KINDS } from '@pairwire/contract'
import * as z from 'zod'

/**
 * The first line of the second spool: the state at the beginning of the hour. Events up to `cursor` are in earlier hours, or
 * not archived. `isJoined` means that the previous block was seen and no event is missing after it; `blockhash` is its hash.
 */
const Begin = z.object({
  kind: z.literal('begin'),
  hour: z.string(),
  source: z.enum(SOURCE_KINDS),
  made: z.enum(['stream', 'backfill']),
  cursor: z.string(),
  isJoined: z.boolean(),
  blockhash: z.string().optional(),
})
export type SpoolBegin = z.infer<typeof Begin>

/**
 * A position from which both spools can continue: `at` is the size of the first one in bytes. `swaps` and `pairs` count the
 * events added since the previous line, and `sum` is their CRC-32.
 */
const place = {
  cursor: z.string(),
  at: z.number().int(),
  sum: z.number().int(),
  swaps: z.number().int(),
  pairs: z.number().int(),
}

/** `slot` and the members after it are the columns of the blocks' file. */
const Block = z.object({
  kind: z.literal('block'),
  ...place,
  slot: z.number().int(),
  blockTime: z.number().int(),
  receivedAt: z.number().int().optional(),
  blockhash: z.string().optional(),
  parentBlockhash: z.string().optional(),
})

const Gap = z.object({ kind: z.literal('gap'), ...place, ...GapParams.omit({ resume_from: true }).shape })

const SpoolLine = z.discriminatedUnion('kind', [Begin, Block, Gap])
type SpoolLine = z.infer<typeof SpoolLine>
export type SpoolBlock = z.infer<typeof Block>
export type SpoolGap = z.infer<typeof Gap>

/** The text of a line, with its line feed. */
export function spoolLineText(line: SpoolLine): string {
  return `${JSON.stringify(line)}\n`
}

/** Reads a line of the second spool. @throws Error for any other text */
export function readSpoolLine(text: string): SpoolLine {
  return SpoolLine.parse(JSON.parse(text))
}
