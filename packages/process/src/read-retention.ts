import type { Retention } from '@pairwire/bus'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@pairwire/contract'

/** The retention for resuming, unless set. */
export const DEFAULT_RETENTION = '24h 10GB'

const MILLISECONDS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

const BYTES: Readonly<Record<string, number>> = { MB: 1_000_000, GB: 1_000_000_000, TB: 1_000_000_000_000 }

/**
 * Reads a time, a size, or both, such as `24h 10GB`; the missing one is taken from `usualText`.
 *
 * @throws Error with the fault
 */
export function readRetention(text: string, usualText = DEFAULT_RETENTION): Retention {
  const { milliseconds, bytes } = readBounds(text)
  const usual = readBounds(usualText)
  return { milliseconds: milliseconds ?? usual.milliseconds!, bytes: bytes ?? usual.bytes! }
}

function readBounds(text: string): Partial<Retention> {
  const match = /^\s*(?:([1-9]\d{0,5})\s*([mhd]))?\s*(?:([1-9]\d{0,5})\s*([MGT]B))?\s*$/i.exec(text)
  const [, time, timeUnit, size, sizeUnit] = match ?? []
  if (!time && !size) {
    throw new Error('must be a time in m, h or d, a size in MB, GB or TB, or both, such as 24h 10GB.')
  }
  return {
    ...(time ? { milliseconds: Number(time) * MILLISECONDS[timeUnit!.toLowerCase()]! } : {}),
    ...(size ? { bytes: Number(size) * BYTES[sizeUnit!.toUpperCase()]! } : {}),
  }
}
