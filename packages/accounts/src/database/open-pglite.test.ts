import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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

it('stays as it is on a disk that hangs: no older dump takes its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-hangs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'cluster'))
  writeFileSync(join(folder, 'cluster/PG_VERSION'), '17')
  writeFileSync(join(folder, 'dump.tar.gz'), 'of yesterday')
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
