import { FeedError } from './feed.ts'

/** Slots have to fit into cursors: twelve digits. */
const SLOTS = 1e12

/** Unix seconds before the chain began; no block is older. */
const FIRST_TIME = 1_500_000_000
/** Seconds by which a block's time may be ahead of our clock. */
const DAY = 86_400

/** Whether a value from an endpoint can be a slot. */
export function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < SLOTS
}

/** Reads a slot from an endpoint. @throws FeedError when it is impossible */
export function readSlot(value: unknown): number {
  if (isSlot(value)) return value
  throw new FeedError('unusable', 'The endpoint names a slot that cannot exist.')
}

/** Reads a block time from an endpoint, in Unix seconds; null if impossible. `now`: Unix milliseconds. */
export function readBlockTime(value: unknown, now: number): number | null {
  const isTime = Number.isInteger(value) && (value as number) >= FIRST_TIME
  return isTime && (value as number) <= now / 1000 + DAY ? (value as number) : null
}
