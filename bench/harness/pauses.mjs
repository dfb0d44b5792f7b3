import { monitorEventLoopDelay } from 'node:perf_hooks'
import { now } from './clock.mjs'

/** Milliseconds between two checks of the loop; a delay includes it. */
export const RESOLUTION_MS = 1

/** Milliseconds from which a pause of the loop is recorded individually. */
export const LONG_MS = 10

/**
 * Watches this thread's loop from one `begin` on. `read` returns its delays, and the long pauses since the last `read`, with
 * start and end in milliseconds of the machine's own clock.
 */
export function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const pauses = []
  let lookedAt = now()
  setInterval(() => {
    const at = now()
    if (at - lookedAt > LONG_MS) pauses.push([lookedAt, at])
    lookedAt = at
  }, RESOLUTION_MS).unref()
  const part = (percent) => delay.percentile(percent) / 1e6
  return {
    begin() {
      delay.reset()
      pauses.length = 0
    },
    read: () => ({
      ...{ p50Ms: part(50), p99Ms: part(99), p999Ms: part(99.9), longestMs: delay.max / 1e6 },
      pauses: pauses.splice(0),
    }),
  }
}

/** Milliseconds of the longest pause, minus the time that overlaps `others`. */
export function longestBeside(pauses, others) {
  const rests = pauses.map((pause) => lengthOf([pause]) - lengthOf(overlap([pause], others)))
  return Math.max(0, ...rests)
}

/** Where pauses of both overlap. */
export function overlap(ones, others) {
  return ones.flatMap(([from, to]) =>
    others
      .map(([since, until]) => [Math.max(from, since), Math.min(to, until)])
      .filter(([since, until]) => since < until),
  )
}

function lengthOf(pauses) {
  return pauses.reduce((sum, [from, to]) => sum + to - from, 0)
}
