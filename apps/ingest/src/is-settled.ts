import type { Ingest } from './create-ingest.ts'

/** Milliseconds from the start in which a source gives its first block, for it to be waited for. */
const FIRST_BLOCK_MS = 15_000

/**
 * Whether events flow, or none are worth waiting for so long after the start: a source that is away gives none. One
 * that connects may have a replay to send, and a hole to be told of, before its first block.
 */
export function isSettled(
  { blocks, sourceUp, source }: Pick<ReturnType<Ingest['stats']>, 'blocks' | 'sourceUp' | 'source'>,
  runningMs: number,
): boolean {
  const isAway = source && !sourceUp && source.endpoints.every(({ state }) => state !== 'connecting')
  return blocks > 0 || isAway === true || runningMs >= FIRST_BLOCK_MS
}
