import { existsSync, lstatSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HOUR_MS } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createMigratedParts, removeParts, temporaryFolder } from '../testing/backup-parts.ts'
import type { BackupParts } from './backup.ts'
import { backUpInto, lastBackupAt } from './backup-folder.ts'

afterAll(removeParts)

/** Where Linux lists the files that this process has open. */
const OPEN_FILES = '/proc/self/fd'

describe('backups that a service keeps', () => {
  let source: BackupParts
  beforeAll(async () => {
    source = await createMigratedParts('embedded')
  })

  it('are the newest of their occasion, beside files of others and one that another process is writing', async () => {
    const folder = join(temporaryFolder(), 'backups')
    const make = (keep: number) => backUpInto(folder, source, { occasion: 'daily', keep })
    expect(lastBackupAt(folder)).toBe(0)
    const before = Date.now()
    const first = await make(2)
    expect(lastBackupAt(folder)).toBeGreaterThanOrEqual(before)
    const [left, written] = [77, 78].map((pid) => `daily-2026-01-01T03-00-00.000Z.zip.${pid}.part`)
    for (const name of ['mine.zip', 'daily.txt', left!, written!]) writeFileSync(join(folder, name), '')
    const anHourAgo = new Date(before - HOUR_MS)
    utimesSync(join(folder, left!), anHourAgo, anHourAgo)

    const [second, third] = [await make(2), await make(2)]

    expect(readdirSync(folder).sort()).toEqual(
      [second, third]
        .map((path) => basename(path))
        .concat('daily.txt', 'mine.zip', written!)
        .sort(),
    )
    expect(existsSync(first)).toBe(false)
  })

  it('are those of today too when a clock that ran ahead has filled the folder', async () => {
    const folder = temporaryFolder()
    const ahead = [1, 2, 3].map((day) => `daily-2999-01-0${day}T03-00-00.000Z.zip`)
    for (const name of ahead) writeFileSync(join(folder, name), '')
    const make = async () => basename(await backUpInto(folder, source, { occasion: 'daily', keep: 3 }))

    const made = [await make(), await make()]

    expect(readdirSync(folder).sort()).toEqual([...made, ahead[2]])
  })

  it.skipIf(process.platform !== 'linux')('fail at once where the system makes no folders', async () => {
    const made = backUpInto('/proc/pairwire/backups', source, { occasion: 'daily', keep: 2 })

    await expect(made).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('end with nothing left behind when they are aborted', async () => {
    const folder = temporaryFolder()
    const signal = AbortSignal.abort()

    await expect(backUpInto(folder, source, { occasion: 'daily', keep: 2, signal })).rejects.toThrow('abort')

    expect(readdirSync(folder)).toEqual([])
  })

  // Guards the service: on Node 26 a file that the garbage collector closes ends the process.
  it.skipIf(!existsSync(OPEN_FILES))('leave no file open when the database is away', async () => {
    const folder = temporaryFolder()
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const away: BackupParts = { ...source, place: { url: 'postgres://pairwire@127.0.0.1:1/pairwire' } }

    await expect(backUpInto(folder, away, { occasion: 'daily', keep: 2 })).rejects.toThrow('ECONNREFUSED')

    await expect.poll(() => openFilesIn(folder)).toEqual([])
    expect(warnings).toEqual([])
  })
})

function openFilesIn(folder: string): string[] {
  // The descriptor of this very reading is closed before its link is read.
  const files = readdirSync(OPEN_FILES).flatMap((name) => {
    const link = join(OPEN_FILES, name)
    return lstatSync(link, { throwIfNoEntry: false }) ? [readlinkSync(link)] : []
  })
  return files.filter((file) => file.startsWith(folder))
}
