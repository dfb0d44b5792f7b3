/** Buckets of the chart: about a minute of them. */
export const BUCKETS = 150
/** Milliseconds after which a bucket ends without a block: the duration of a block of the chain. */
export const BUCKET_MS = 400
/** Numbers in a bucket, in this order: buys, sells, new pairs. */
export const SERIES = 3

/**
 * Buys, sells and new pairs of the last minute. A bucket is one block, so that the chart shows the market and not how
 * blocks fall into equal slices of time; without blocks, buckets follow each other every 400 ms. Times are Unix
 * milliseconds and are passed in; one before the newest counts in the newest.
 */
export type ChartBuckets = Readonly<{
  add(series: 0 | 1 | 2, now: number): void
  /** A block is complete: later events belong to the next one. */
  beat(now: number): void
  /** Oldest bucket first, {@link SERIES} numbers each; the last one is still filling. */
  read(now: number): Uint32Array<ArrayBuffer>
  /** When each bucket began, oldest first. */
  starts(now: number): Float64Array<ArrayBuffer>
  /** Events a second over the last complete buckets: at most three seconds, and not before `since`. */
  perSecond(now: number, since: number): number
  /** Adds the numbers of another minute, each to its bucket. */
  merge(other: ChartBuckets, now: number): void
}>

/** Creates empty buckets. */
export function createChartBuckets(): ChartBuckets {
  const counts = new Uint32Array(BUCKETS * SERIES)
  const began = new Float64Array(BUCKETS)
  let newest = 0
  let beatAt = Number.NEGATIVE_INFINITY

  return {
    add(series, now) {
      advance(now)
      count(newest, series, 1)
    },
    beat(now) {
      advance(now)
      beatAt = now
      // Blocks that arrive together after a delay do not get separate buckets.
      if (now - startOf(newest) >= BUCKET_MS / 4) begin(now)
    },
    read(now) {
      advance(now)
      return inOrder(counts, SERIES)
    },
    starts(now) {
      advance(now)
      return inOrder(began, 1)
    },
    perSecond(now, since) {
      advance(now)
      const end = startOf(newest)
      let from = end
      let sum = 0
      for (let at = newest - 1; at > newest - BUCKETS; at--) {
        if (startOf(at) < since || startOf(at) < end - SMOOTH_MS) break
        from = startOf(at)
        for (const series of [0, 1, 2]) sum += counts[placeOf(at) * SERIES + series]!
      }
      return from === end ? 0 : (sum * 1000) / (end - from)
    },
    merge(other, now) {
      const theirs = other.read(now)
      const theirStarts = other.starts(now)
      advance(now)
      for (let bucket = 0; bucket < BUCKETS; bucket++) {
        let at = newest
        while (at > newest - BUCKETS + 1 && startOf(at) > theirStarts[bucket]!) at--
        for (const series of [0, 1, 2] as const) count(at, series, theirs[bucket * SERIES + series]!)
      }
    },
  }

  function placeOf(bucket: number): number {
    return (bucket + BUCKETS) % BUCKETS
  }

  function startOf(bucket: number): number {
    return began[placeOf(bucket)]!
  }

  function count(bucket: number, series: 0 | 1 | 2, more: number) {
    const at = placeOf(bucket) * SERIES + series
    counts[at] = counts[at]! + more
  }

  function begin(at: number) {
    newest++
    began[placeOf(newest)] = at
    const place = placeOf(newest) * SERIES
    counts.fill(0, place, place + SERIES)
  }

  function advance(now: number) {
    const isNew = now - startOf(newest) > BUCKETS * BUCKET_MS
    if (isNew) {
      counts.fill(0)
      const first = Math.floor(now / BUCKET_MS) * BUCKET_MS
      for (let back = 0; back < BUCKETS; back++) began[placeOf(newest - back)] = first - back * BUCKET_MS
      return
    }
    if (now - beatAt < LONGEST_BEAT_MS) return
    while (now - startOf(newest) >= BUCKET_MS) begin(startOf(newest) + BUCKET_MS)
  }

  function inOrder<Numbers extends Uint32Array | Float64Array>(ring: Numbers, each: number): Numbers {
    const first = placeOf(newest + 1) * each
    const read = ring.slice()
    read.set(ring.subarray(first))
    read.set(ring.subarray(0, first), ring.length - first)
    return read as Numbers
  }
}

/** Three seconds: long enough to read a rate, short enough to see it change. */
const SMOOTH_MS = 3_000
/** Milliseconds to wait for the next block before time continues without it. */
const LONGEST_BEAT_MS = 1_200
