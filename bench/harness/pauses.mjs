import { existsSync, openSync, readSync } from 'node:fs'

/** Milliseconds between two looks at the loop; a delay includes it. */
export const RESOLUTION_MS = 1

/** Milliseconds from which a pause of the loop is noted by itself. */
export const LONG_MS = 10

/** Long pauses of this thread's loop as they come, each from when to when, in milliseconds of the machine's own clock. */
export function noteLongPauses() {
  const pauses = []
  const now = () => Number(process.hrtime.bigint()) / 1e6
  let lookedAt = now()
  setInterval(() => {
    const at = now()
    if (at - lookedAt > LONG_MS) pauses.push([lookedAt, at])
    lookedAt = at
  }, RESOLUTION_MS).unref()
  return pauses
}

/**
 * Milliseconds that this thread was ready to run up to now, and waited for a core; 0 where the system does not say.
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export function createCoreWait() {
  const path = `/proc/self/task/${process.pid}/schedstat`
  if (!existsSync(path)) return () => 0
  const file = openSync(path, 'r')
  const text = Buffer.alloc(64)
  return () => {
    const [, waited] = text.latin1Slice(0, readSync(file, text, 0, text.length, 0)).split(' ')
    return Number(waited) / 1e6
  }
}

/** Milliseconds of the longest of some pauses, less the time that lies in one of `others`. */
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
