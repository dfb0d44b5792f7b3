/** A controller whose signal also aborts with the first of the signals that it follows. */
export type FollowingController = ReturnType<typeof followSignals>

/**
 * Follows `sources` until it is aborted, which the caller must always do. `AbortSignal.any` would keep its signal as
 * long as its longest-lived source: 1.3 kB for each request to an endpoint that is read for months.
 */
export function followSignals(...sources: readonly AbortSignal[]) {
  const controller = new AbortController()
  /** Aborts, and stops following. Does nothing the second time. */
  const abort = (reason?: unknown) => {
    for (const source of sources) source.removeEventListener('abort', follow)
    controller.abort(reason)
  }
  const follow = () => abort(sources.find(({ aborted }) => aborted)?.reason)
  if (sources.some(({ aborted }) => aborted)) follow()
  else for (const source of sources) source.addEventListener('abort', follow)
  return { signal: controller.signal, abort }
}
