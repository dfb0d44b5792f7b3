// What the machine itself stands still for, beside what runs on it: `still.mjs` on each core, of a priority that nothing
// else on the machine has. Linux alone has it, for root: elsewhere it is one process as any other.
import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { overlap } from './pauses.mjs'
import { start } from './processes.mjs'

/** Runs what follows on one core, ahead of everything that is not of real-time priority. */
const onCore = (core) => ['chrt', '-f', '50', 'taskset', '-c', String(core)]

/** Begins to watch it. */
export async function watchMachine() {
  const [command, ...words] = onCore(0)
  const isRealTime = spawnSync(command, [...words, 'true']).status === 0
  const cores = isRealTime ? [...cpus().keys()] : [undefined]
  const watchers = await Promise.all(
    cores.map((core) => {
      if (core === undefined) return start('still')
      // Threads of one core and one such priority would wait for one another without end.
      const [execPath, ...rest] = onCore(core)
      return start('still', {}, { execPath, execArgv: [...rest, process.execPath, '--single-threaded'] })
    }),
  )
  return {
    begin: () => Promise.all(watchers.map((watcher) => watcher.ask('begin'))),
    /** The longest pause of any of them, and the pauses in which all stood still: from when to when, in milliseconds. */
    async read() {
      const seen = await Promise.all(watchers.map((watcher) => watcher.ask('read')))
      return {
        isRealTime,
        p999Ms: Math.max(...seen.map(({ p999Ms }) => p999Ms)),
        longestMs: Math.max(...seen.map(({ longestMs }) => longestMs)),
        pauses: seen.map(({ pauses }) => pauses).reduce(overlap),
      }
    },
    stop: () => Promise.all(watchers.map((watcher) => watcher.stop())),
  }
}
