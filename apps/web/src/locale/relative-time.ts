/**
 * How long ago: `now` within the first second, then `12s ago`, then `2m 05s ago`; from a hundred minutes on, as in a
 * recording, the seconds say nothing: `27356m ago`. Both times in Unix milliseconds.
 */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - atMs) / 1000)
  if (seconds < 1) return 'now'
  const minutes = Math.floor(seconds / 60)
  if (minutes >= LONG_AGO) return `${minutes}m ago`
  return minutes === 0 ? `${seconds}s ago` : `${minutes}m ${String(seconds % 60).padStart(2, '0')}s ago`
}

/** Minutes from which the seconds are left out. */
const LONG_AGO = 100

/** A length of time in the same form without the `ago`: `12s`, `4m 12s`, `1h 02m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds}s`
  const hours = Math.floor(minutes / 60)
  return hours === 0
    ? `${minutes}m ${String(seconds % 60).padStart(2, '0')}s`
    : `${hours}h ${String(minutes % 60).padStart(2, '0')}m`
}
