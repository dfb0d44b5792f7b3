import { describe, expect, it } from 'vitest'
import { BUCKET_MS, BUCKETS, createChartBuckets, SERIES } from './chart-buckets.ts'

const sum = (numbers: Uint32Array, series: number) =>
  numbers.reduce((total, number, index) => total + (index % SERIES === series ? number : 0), 0)

describe('chart buckets', () => {
  it('are oldest first, with buys, sells and new pairs separate', () => {
    const buckets = createChartBuckets()
    buckets.add(0, 100_000)
    buckets.add(1, 100_000 + BUCKET_MS)
    buckets.add(2, 100_000 + BUCKET_MS)

    const read = buckets.read(100_000 + BUCKET_MS)

    expect([...read.slice(-2 * SERIES)]).toEqual([1, 0, 0, 0, 1, 1])
  })

  it('forget what is older than a minute', () => {
    const buckets = createChartBuckets()
    buckets.add(0, 100_000)

    expect(sum(buckets.read(100_000 + (BUCKETS - 1) * BUCKET_MS), 0)).toBe(1)
    expect(sum(buckets.read(100_000 + BUCKETS * BUCKET_MS), 0)).toBe(0)
  })

  it('are empty after a pause of any length', () => {
    const buckets = createChartBuckets()
    for (let at = 0; at < 60_000; at += 100) buckets.add(1, 1_000_000 + at)

    expect(sum(buckets.read(1_000_000_000), 1)).toBe(0)
  })

  it('give a rate over at most three complete seconds', () => {
    const buckets = createChartBuckets()
    const start = 600_000
    for (let at = 0; at < 6_000; at += 10) buckets.add(0, start + at)

    expect(buckets.perSecond(start + 6_000, start)).toBe(100)
  })

  it('give a rate soon after the start, from complete buckets', () => {
    const buckets = createChartBuckets()
    const start = 600_000
    for (let at = 0; at < 400; at += 10) buckets.add(0, start + at)
    expect(buckets.perSecond(start + 399, start)).toBe(0)

    for (let at = 400; at < 900; at += 10) buckets.add(0, start + at)
    expect(buckets.perSecond(start + 900, start)).toBe(100)
  })

  it('merge another minute', () => {
    const [one, other] = [createChartBuckets(), createChartBuckets()]
    one.add(0, 100_000)
    other.add(0, 100_000)
    other.add(2, 110_000)

    one.merge(other, 110_000)

    expect(sum(one.read(110_000), 0)).toBe(2)
    expect(sum(one.read(110_000), 2)).toBe(1)
  })

  it('contain one block each, however irregular blocks are', () => {
    const buckets = createChartBuckets()
    let now = 600_000
    for (let block = 0; block < 300; block++) {
      for (let index = 0; index < 50; index++) buckets.add(index % 2 === 0 ? 0 : 1, now)
      buckets.beat(now)
      now += 400 + (block % 5) * 40 - 80
    }

    const read = buckets.read(now - 1)
    const bars = Array.from({ length: BUCKETS - 1 }, (_, bucket) => read[bucket * SERIES])

    expect(new Set(bars)).toEqual(new Set([25]))
    const starts = buckets.starts(now - 1)
    expect(starts.every((start, index) => index === 0 || start > starts[index - 1]!)).toBe(true)
    expect(buckets.perSecond(now - 1, 0)).toBeCloseTo(125, -1)
  })

  it('continue without blocks', () => {
    const buckets = createChartBuckets()
    buckets.add(0, 600_000)
    buckets.beat(600_000)

    expect(sum(buckets.read(600_000 + 59_000), 0)).toBe(1)
    expect(sum(buckets.read(600_000 + 61_000), 0)).toBe(0)
  })
})
