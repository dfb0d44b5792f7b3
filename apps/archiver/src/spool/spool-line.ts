import { GapParams, SOURCE_KINDS } from '@pairwire/contract'
import { z } from 'zod'

/**
 * The first line of the second spool: what is known of the place at which the hour begins. Up to `cursor` all is in earlier
 * hours, or not archived. `isJoined`: the last block before was seen, and what follows comes next; `blockhash` is its hash.
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
 * A place from which both spools can go on: `at` is how long the first one is there, in bytes. Since the line before so many
 * `swaps` and `pairs` came to it, and `sum` is the CRC-32 of those.
 */
const place = {
  cursor: z.string(),
  at: z.number().int(),
  sum: z.number().int(),
  swaps: z.number().int(),
  pairs: z.number().int(),
}

/** `slot` and what follows are the columns of the blocks' file. */
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

/** The text of a line, with its end. */
export function spoolLineText(line: SpoolLine): string {
  return `${JSON.stringify(line)}\n`
}

/** Reads a line of the second spool. @throws Error for any other text */
export function readSpoolLine(text: string): SpoolLine {
  return SpoolLine.parse(JSON.parse(text))
}
