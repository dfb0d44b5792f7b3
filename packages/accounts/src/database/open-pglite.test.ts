import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
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

/** A user without rights, if there is one: root may open every file. */
const NOBODY = 65_534

/** A folder with files of a database and a dump from before. */
function aDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-opened-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
  await vi.advanceTimersByTimeAsync(120_000)

  await refused
  expect(warned).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])
  expect(existsSync(join(folder, 'cluster/PG_VERSION'))).toBe(true)
})
