// What the machine itself stands still for, beside what runs on it: `bare.mjs` on each core, of a priority that nothing
// else on the machine has. Linux alone has it, for root: elsewhere it is one process as any other.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

const BARE = fileURLToPath(new URL('bare.mjs', import.meta.url))
/** Runs what follows on one core, ahead of everything that is not of real-time priority. */
const onCore = (core) => ['chrt', '-f', '50', 'taskset', '-c', String(core)]

/** Begins to watch it. */
export function watchMachine() {
  const [command, ...args] = onCore(0)
  const isRealTime = spawnSync(command, [...args, 'true']).status === 0
  // Threads of one core and one such priority would wait for one another without end.
  const children = isRealTime
    ? cpus().map((_, core) => {
        const [command, ...args] = onCore(core)
        return fork(BARE, { execPath: command, execArgv: [...args, process.execPath, '--single-threaded'] })
      })
    : [fork(BARE)]
  return {
    begin() {
      for (const child of children) child.send('begin')
    },
    /** The longest pause of any of them, and the pauses in which all stood still: from when to when, in milliseconds. */
    async read() {
      const seen = await Promise.all(
        children.map(async (child) => {
          child.send('ask')
          return (await once(child, 'message'))[0]
        }),
      )
      return {
        isRealTime,
        p999Ms: Math.max(...seen.map(({ p999Ms }) => p999Ms)),
        longestMs: Math.max(...seen.map(({ longestMs }) => longestMs)),
        pauses: seen.map(({ pauses }) => pauses).reduce(common),
      }
    },
    stop() {
      for (const child of children) child.kill()
    },
  }
}

/** Milliseconds of the longest of some pauses, less the time that lies in one of `others`. */
export function longestBeside(pauses, others) {
  const rests = pauses.map((pause) => lengthOf([pause]) - lengthOf(common([pause], others)))
  return Math.max(0, ...rests)
}

/** Where pauses of both overlap. */
function common(ones, others) {
  return ones.flatMap(([from, to]) =>
    others
      .map(([since, until]) => [Math.max(from, since), Math.min(to, until)])
      .filter(([since, until]) => since < until),
  )
}

function lengthOf(pauses) {
  return pauses.reduce((sum, [from, to]) => sum + to - from, 0)
}
