import { describe, expect, it } from 'vitest'
import { BUCKET_MS, BUCKETS, createChartBuckets, SERIES } from './chart-buckets.ts'

const sum = (numbers: Uint32Array, series: number) =>
  numbers.reduce((total, number, index) => total + (index % SERIES === series ? number : 0), 0)

describe('chart buckets', () => {
  it('stand oldest first, with buys, sells and new pairs apart', () => {
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

  it('give a rate soon after the start, from what is complete', () => {
    const buckets = createChartBuckets()
    const start = 600_000
    for (let at = 0; at < 300; at += 10) buckets.add(0, start + at)
    expect(buckets.perSecond(start + 299, start)).toBe(0)

    for (let at = 300; at < 900; at += 10) buckets.add(0, start + at)
    expect(buckets.perSecond(start + 900, start)).toBe(100)
  })

  it('take in another minute', () => {
    const [one, other] = [createChartBuckets(), createChartBuckets()]
    one.add(0, 100_000)
    other.add(0, 100_000)
    other.add(2, 110_000)

    one.merge(other, 110_000)

    expect(sum(one.read(110_000), 0)).toBe(2)
    expect(sum(one.read(110_000), 2)).toBe(1)
  })
})
