import { DAY_MS } from '@pairwire/contract/time-units'

/**
 * Returns the filter term for the rows of one bucket of the chart: `@14:03:07.200+412`, the bucket's beginning in this
 * device's time, and its milliseconds.
 *
 * @param start Unix milliseconds.
 */
export function bucketTerm(start: number, end: number): string {
  const from = new Date(start)
  const two = (number: number) => String(number).padStart(2, '0')
  const ms = String(from.getMilliseconds()).padStart(3, '0')
  return `@${two(from.getHours())}:${two(from.getMinutes())}:${two(from.getSeconds())}.${ms}+${Math.ceil(end - start)}`
}

/** Makes the test for a bucket's term. @returns `undefined` for any other term. */
export function bucketTest(term: string): ((at: number) => boolean) | undefined {
  const parts = /^@(\d\d):(\d\d):(\d\d)\.(\d{3})\+(\d+)$/.exec(term)?.slice(1).map(Number)
  if (!parts) return undefined
  const [hours, minutes, seconds, ms, length] = parts as [number, number, number, number, number]
  const start = ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms
  return (at) => {
    const time = new Date(at)
    const ofDay =
      ((time.getHours() * 60 + time.getMinutes()) * 60 + time.getSeconds()) * 1000 + time.getMilliseconds()
    return (ofDay - start + DAY_MS) % DAY_MS < length
  }
}
