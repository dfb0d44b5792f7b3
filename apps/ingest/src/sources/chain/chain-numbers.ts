import { FeedError } from './feed.ts'

/** Slots as cursors have room for: twelve digits. */
const SLOTS = 1e12

/** Unix seconds before the chain began; no block is older. */
const FIRST_TIME = 1_500_000_000
/** Seconds by which a block's time may be ahead of our clock. */
const DAY = 86_400

/** Whether what an endpoint names can be a slot. */
export function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < SLOTS
}

/** The slot that an endpoint names. @throws FeedError when it can be none */
export function readSlot(value: unknown): number {
  if (isSlot(value)) return value
  throw new FeedError('unusable', 'The endpoint names a slot that cannot exist.')
}

/** The block time that an endpoint names, in Unix seconds; null where it can be none. `now`: Unix milliseconds. */
export function readBlockTime(value: unknown, now: number): number | null {
  const isTime = Number.isInteger(value) && (value as number) >= FIRST_TIME
  return isTime && (value as number) <= now / 1000 + DAY ? (value as number) : null
}
