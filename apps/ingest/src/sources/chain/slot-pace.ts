/** Part of the mean that a new measurement makes up. */
const WEIGHT = 0.05

/** Longer between two blocks than this is a break, and says nothing of the pace; milliseconds. */
const BREAK_MS = 10_000

/** Measures how long a slot takes, since the chain changes it: a mean over about the last twenty blocks. */
export function createSlotPace() {
  let before: { slot: number; at: number } | undefined
  let mean: number | null = null
  return {
    /** `at`: when the block came, in milliseconds of a clock that never steps back. */
    add(slot: number, at: number): void {
      const slots = before ? slot - before.slot : 0
      const passed = before ? at - before.at : 0
      before = { slot, at }
      if (slots <= 0 || passed > BREAK_MS) return
      const each = passed / slots
      mean = mean === null ? each : mean + (each - mean) * WEIGHT
    },
    /** Milliseconds; null before two blocks came. */
    slotMs: (): number | null => mean,
  }
}
