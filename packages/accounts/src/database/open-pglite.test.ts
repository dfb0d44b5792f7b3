import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WORKER_URL } from '../testing/pglite-folders.ts'
import { openPglite } from './open-pglite.ts'

/** A thread that hangs on the files of the database, and opens a dump. */
const HANGS = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    if (workerData.restore) parentPort.postMessage({ type: 'ready' })
    parentPort.on('message', () => {})
  `)}`,
)

/** A thread that fails like the database on a file that it may not open, and opens a dump. */
const FAILS = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    const failed = { type: 'failed', message: 'Aborted(). Build with -sASSERTIONS for more info.' }
    parentPort.postMessage(workerData.restore ? { type: 'ready' } : failed)
    parentPort.on('message', () => {})
  `)}`,
)

/** A thread that makes a part of the database's files, as one on a full disk or one that is killed. */
const HALF = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { mkdirSync, writeFileSync } from 'node:fs'
    import { parentPort, workerData } from 'node:worker_threads'
    mkdirSync(workerData.cluster, { recursive: true })
    writeFileSync(workerData.cluster + '/PG_VERSION', '18')
    parentPort.postMessage({ type: 'failed', message: 'ENOSPC', code: 'ENOSPC' })
  `)}`,
)

/** A thread that opens, beside a mark that cannot be removed. */
const STUCK = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { mkdirSync, rmSync } from 'node:fs'
    import { parentPort, workerData } from 'node:worker_threads'
    rmSync(workerData.cluster + '-unfinished')
    mkdirSync(workerData.cluster + '-unfinished')
    parentPort.postMessage({ type: 'ready' })
    parentPort.on('message', () => {})
  `)}`,
)

/** A user without rights, if there is one: root may open every file. */
const NOBODY = 65_534

/** A folder with files of a database and a dump from before. */
function aDatabase(): string {
  const folder = aFolder()
  mkdirSync(join(folder, 'cluster'))
  writeFileSync(join(folder, 'cluster/PG_VERSION'), '17')
  writeFileSync(join(folder, 'dump.tar.gz'), 'of yesterday')
  return folder
}

it.skipIf(process.platform === 'win32')(
  'stays as it is with a file that this user may not open, and says which: no older dump takes its place',
  async () => {
    const folder = aDatabase()
    const file = join(folder, 'cluster/PG_VERSION')
    chmodSync(folder, 0o777)
    chmodSync(file, 0)
    const mine = process.geteuid?.() ?? NOBODY
    if (mine === 0) process.seteuid?.(NOBODY)
    const warned: string[] = []

    try {
      await expect(
        openPglite({ folder, workerUrl: FAILS }, { warn: (line) => warned.push(line) }),
      ).rejects.toThrow(
        `The database in ${folder} cannot be opened: EACCES: permission denied, open '${file}'`,
      )
    } finally {
      if (mine === 0) process.seteuid?.(0)
    }
    expect(warned).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
  },
)

it('stays as it is on a disk that hangs: no older dump takes its place', async () => {
  const folder = aDatabase()
  const warned: string[] = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())

  const opening = openPglite({ folder, workerUrl: HANGS }, { warn: (sentence) => warned.push(sentence) })
  const refused = expect(opening).rejects.toThrow(
    `The database in ${folder} cannot be opened: it did not answer within 120 s`,
  )
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(120_000)

  await refused
  expect(warned).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
  expect(existsSync(join(folder, 'cluster/PG_VERSION'))).toBe(true)
})

it.each(['its disk was full', 'it was killed'])(
  'is made again, and then stays, after a first start that had made a part of it when %s',
  async (why) => {
    const folder = aFolder()
    const log = { warn: () => {} }
    const first = openPglite({ folder, workerUrl: HALF }, log)
    await expect(first).rejects.toThrow('cannot be opened: ENOSPC')
    if (why === 'it was killed') {
      mkdirSync(join(folder, 'cluster'))
      writeFileSync(join(folder, 'cluster/PG_VERSION'), '18')
      writeFileSync(join(folder, 'cluster-unfinished'), '')
    }

    const made = await openPglite({ folder, workerUrl: WORKER_URL }, log)
    await made.close(20_000)
    const before = statSync(join(folder, 'cluster')).ino
    const opened = await openPglite({ folder, workerUrl: WORKER_URL }, log)
    await opened.close(20_000)

    expect(statSync(join(folder, 'cluster')).ino).toBe(before)
    expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
  },
)

// A release before the mark finishes such a first start without removing it.
it('is not made again if it has been in use since, which a newer dump shows', async () => {
  const folder = aFolder()
  const log = { warn: () => {} }
  const mark = join(folder, 'cluster-unfinished')
  await (await openPglite({ folder, workerUrl: WORKER_URL }, log)).close(20_000)
  const before = statSync(join(folder, 'cluster')).ino
  writeFileSync(mark, '')
  utimesSync(mark, 1_000, 1_000)

  await (await openPglite({ folder, workerUrl: WORKER_URL }, log)).close(20_000)

  expect(statSync(join(folder, 'cluster')).ino).toBe(before)
  expect(existsSync(mark)).toBe(false)
})

// A verb would print its sentence and then never end.
it('leaves no thread behind if it opened but a later step of a first start fails', async () => {
  const terminated = vi.spyOn(Worker.prototype, 'terminate')
  onTestFinished(() => terminated.mockRestore())

  const opened = openPglite({ folder: aFolder(), workerUrl: STUCK }, { warn: () => {} })

  await expect(opened).rejects.toThrow('cannot be opened: ')
  expect(terminated).toHaveBeenCalledTimes(1)
})
