import type { Ingest } from './create-ingest.ts'

/** Milliseconds from the start in which a source connects, and then gives its first block, for it to be waited for. */
const CONNECT_MS = 2_000
const FIRST_BLOCK_MS = 15_000

/** Whether events flow, or none are worth waiting for so long after the start: a source that is away gives none. */
export function isSettled(
  { blocks, sourceUp, source }: Pick<ReturnType<Ingest['stats']>, 'blocks' | 'sourceUp' | 'source'>,
  runningMs: number,
): boolean {
  const isAway = source?.endpoints.every(({ state }) => state === 'resting')
  const waitMs = isAway ? 0 : sourceUp ? FIRST_BLOCK_MS : CONNECT_MS
  return blocks > 0 || runningMs >= waitMs
}
