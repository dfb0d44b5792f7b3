/** Result of {@link createLagMedian}. */
export type LagMedian = ReturnType<typeof createLagMedian>

/** Median lag of events over the last five seconds, to a tenth of a second. Times in milliseconds. */
export function createLagMedian() {
  const slices = Array.from({ length: SLICES }, () => ({ time: Number.NaN, tenths: new Uint32Array(TENTHS) }))

  return {
    add(lagMs: number, now: number): void {
      const time = Math.floor(now / SLICE_MS)
      const slice = slices[time % SLICES]!
      if (slice.time !== time) {
        slice.time = time
        slice.tenths.fill(0)
      }
      const tenth = Math.min(TENTHS - 1, Math.max(0, Math.round(lagMs / 100)))
      slice.tenths[tenth] = slice.tenths[tenth]! + 1
    },
    /** @returns `null` without events in the last five seconds. */
    read(now: number): number | null {
      const oldest = Math.floor(now / SLICE_MS) - SLICES
      const recent = slices.filter((slice) => slice.time > oldest)
      const total = recent.reduce((sum, slice) => sum + slice.tenths.reduce((a, b) => a + b, 0), 0)
      if (total === 0) return null
      let seen = 0
      for (let tenth = 0; tenth < TENTHS; tenth++) {
        for (const slice of recent) seen += slice.tenths[tenth]!
        if (seen * 2 >= total) return tenth * 100
      }
      return null
    },
  }
}

const SLICE_MS = 500
const SLICES = 10
/** Lags are distinguished up to two minutes; later ones count as two minutes. */
const TENTHS = 1_201
