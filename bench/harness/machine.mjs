// Pauses of the machine itself, apart from what runs on it: `still.mjs` on each core, with a priority above everything else.
// Linux only, as root: elsewhere it is one ordinary process.
import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { overlap } from './pauses.mjs'
import { start } from './processes.mjs'

/** Runs a program on one core, ahead of everything without real-time priority. */
const onCore = (core) => ['chrt', '-f', '50', 'taskset', '-c', String(core)]

/** Starts to watch the machine. */
export async function watchMachine() {
  const [command, ...words] = onCore(0)
  const isRealTime = spawnSync(command, [...words, 'true']).status === 0
  const cores = isRealTime ? [...cpus().keys()] : [undefined]
  const watchers = await Promise.all(
    cores.map((core) => {
      if (core === undefined) return start('still')
      // Threads with this priority on one core would wait for each other for ever.
      const [execPath, ...rest] = onCore(core)
      return start('still', {}, { execPath, execArgv: [...rest, process.execPath, '--single-threaded'] })
    }),
  )
  return {
    begin: () => Promise.all(watchers.map((watcher) => watcher.ask('begin'))),
    /** The longest pause of any process, and the pauses in which all stood still: start and end in milliseconds. */
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
