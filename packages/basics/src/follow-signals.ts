/** A controller whose signal also aborts with the first of the signals that it follows. */
export type FollowingController = ReturnType<typeof followSignals>

/**
 * Follows `sources` until it is aborted, which the caller always does in the end. What `AbortSignal.any` makes is kept
 * for as long as the longest of its sources lives: 1.3 kB for each question to an endpoint that is read for months.
 */
export function followSignals(...sources: readonly AbortSignal[]) {
  const controller = new AbortController()
  /** Aborts, and follows nobody any more. Does nothing the second time. */
  const abort = (reason?: unknown) => {
    for (const source of sources) source.removeEventListener('abort', follow)
    controller.abort(reason)
  }
  const follow = () => abort(sources.find(({ aborted }) => aborted)?.reason)
  if (sources.some(({ aborted }) => aborted)) follow()
  else for (const source of sources) source.addEventListener('abort', follow)
  return { signal: controller.signal, abort }
}
