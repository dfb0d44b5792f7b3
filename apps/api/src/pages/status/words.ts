/** Digits grouped as in the rest of the product. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}

/** `2.1 M` from a million up, `640 K` from ten thousand; exact below. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${(Math.floor(value / 100_000) / 10).toFixed(1)} M`
  return value >= 10_000 ? `${Math.floor(value / 1_000)} K` : grouped(value)
}

/** `14:05` in UTC. */
export function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}

/** `20 Nov` in UTC, from Unix milliseconds or a day `2026-11-20`. */
export function dateOf(at: number | string): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

/** `41 min`, `3 h 05 min`; `under a minute` below one. */
export function lengthOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return 'under a minute'
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** `0.8 s`. */
export function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
