/**
 * How long ago: `now` within the first second, then `12s ago`, then `2m 05s ago`; from a hundred minutes on, as in a
 * recording, `5h 12m ago`, and from two days on `19d ago`. Both times are in Unix milliseconds.
 */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - atMs) / 1000)
  if (seconds < 1) return 'now'
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds}s ago`
  if (minutes < IN_HOURS) return `${minutes}m ${twoDigits(seconds % 60)}s ago`
  const hours = Math.floor(minutes / 60)
  return hours < IN_DAYS ? `${hours}h ${twoDigits(minutes % 60)}m ago` : `${Math.floor(hours / 24)}d ago`
}

/** Minutes from which hours are shown, and hours from which days are shown. */
const IN_HOURS = 100
const IN_DAYS = 48

function twoDigits(count: number): string {
  return String(count).padStart(2, '0')
}

/** A length of time in the same format without the `ago`: `12s`, `4m 12s`, `1h 02m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds}s`
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}m ${twoDigits(seconds % 60)}s` : `${hours}h ${twoDigits(minutes % 60)}m`
}
