import type { Ingest } from './create-ingest.ts'

/** Milliseconds after the start during which the first block of a source is waited for. */
const FIRST_BLOCK_MS = 15_000

/**
 * Whether events flow, or waiting for them is pointless so long after the start: a source that is away gives none. One
 * that is connecting may have to replay slots, and learn of a gap, before its first block.
 */
export function isSettled(
  { blocks, sourceUp, source }: Pick<ReturnType<Ingest['stats']>, 'blocks' | 'sourceUp' | 'source'>,
  runningMs: number,
): boolean {
  const isAway = source && !sourceUp && source.endpoints.every(({ state }) => state !== 'connecting')
  return blocks > 0 || isAway === true || runningMs >= FIRST_BLOCK_MS
}
