import { BUCKET_MS } from './chart-buckets.ts'

/**
 * The word of the filter that asks for the rows of one bucket of the chart: `@14:03:07.2`, when the bucket begins, in
 * the time of this device. Buckets begin at whole tenths of a second.
 *
 * @param at Unix milliseconds, anywhere in the bucket.
 */
export function bucketTerm(at: number): string {
  const start = new Date(Math.floor(at / BUCKET_MS) * BUCKET_MS)
  const two = (number: number) => String(number).padStart(2, '0')
  const tenth = Math.floor(start.getMilliseconds() / 100)
  return `@${two(start.getHours())}:${two(start.getMinutes())}:${two(start.getSeconds())}.${tenth}`
}

/** Whether a word of the filter asks for a bucket. */
export function isBucketTerm(term: string): boolean {
  return /^@\d\d:\d\d:\d\d\.\d$/.test(term)
}
