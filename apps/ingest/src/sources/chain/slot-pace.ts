/** Weight of a new measurement in the mean. */
const WEIGHT = 0.05

/** A longer time between two blocks is a break, and does not count; milliseconds. */
const BREAK_MS = 10_000

/** Measures the length of a slot, which the chain changes: a mean over about the last twenty blocks. */
export function createSlotPace() {
  let before: { slot: number; at: number } | undefined
  let mean: number | null = null
  return {
    /** `at`: when the block arrived, in milliseconds of a monotonic clock. */
    add(slot: number, at: number): void {
      const slots = before ? slot - before.slot : 0
      const passed = before ? at - before.at : 0
      before = { slot, at }
      if (slots <= 0 || passed > BREAK_MS) return
      const each = passed / slots
      mean = mean === null ? each : mean + (each - mean) * WEIGHT
    },
    /** Milliseconds; null before two blocks have arrived. */
    slotMs: (): number | null => mean,
  }
}
