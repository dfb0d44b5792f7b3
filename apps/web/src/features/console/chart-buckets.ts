/** Buckets of the chart: a minute of them. */
export const BUCKETS = 200
/** Length of a bucket in milliseconds. */
export const BUCKET_MS = 300
/** Numbers of a bucket, in this order: buys, sells, new pairs. */
export const SERIES = 3

/**
 * Buys, sells and new pairs of the last minute, in buckets of 300 ms. Times are Unix milliseconds and are passed in;
 * one that lies before the newest is counted in the newest.
 */
export type ChartBuckets = Readonly<{
  add(series: 0 | 1 | 2, now: number): void
  /** Oldest bucket first, {@link SERIES} numbers each; the last one is still filling. */
  read(now: number): Uint32Array<ArrayBuffer>
  /** Events a second over the last complete buckets: at most three seconds, and not before `since`. */
  perSecond(now: number, since: number): number
  /** Adds the numbers of another minute, bucket by bucket. */
  merge(other: ChartBuckets, now: number): void
}>

/** Makes buckets that hold nothing. */
export function createChartBuckets(): ChartBuckets {
  const counts = new Uint32Array(BUCKETS * SERIES)
  let newest = 0

  return {
    add(series, now) {
      advance(now)
      const at = (newest % BUCKETS) * SERIES + series
      counts[at] = counts[at]! + 1
    },
    read(now) {
      advance(now)
      const first = ((newest + 1) % BUCKETS) * SERIES
      const read = new Uint32Array(BUCKETS * SERIES)
      read.set(counts.subarray(first))
      read.set(counts.subarray(0, first), counts.length - first)
      return read
    },
    perSecond(now, since) {
      advance(now)
      const complete = Math.min(SMOOTH_BUCKETS, newest - Math.floor(since / BUCKET_MS) - 1)
      if (complete < 1) return 0
      let sum = 0
      for (let back = 1; back <= complete; back++) {
        const at = ((newest - back) % BUCKETS) * SERIES
        sum += counts[at]! + counts[at + 1]! + counts[at + 2]!
      }
      return (sum * 1000) / (complete * BUCKET_MS)
    },
    merge(other, now) {
      const theirs = other.read(now)
      advance(now)
      const first = ((newest + 1) % BUCKETS) * SERIES
      for (let index = 0; index < theirs.length; index++) {
        const at = (first + index) % counts.length
        counts[at] = counts[at]! + theirs[index]!
      }
    },
  }

  function advance(now: number) {
    const current = Math.floor(now / BUCKET_MS)
    if (current <= newest) return
    const gone = Math.min(current - newest, BUCKETS)
    for (let step = 0; step < gone; step++) {
      const at = ((current - step) % BUCKETS) * SERIES
      counts.fill(0, at, at + SERIES)
    }
    newest = current
  }
}

/** Three seconds: long enough to read a rate, short enough to see it change. */
const SMOOTH_BUCKETS = 10
