import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFolderStorage } from './folder-storage.ts'
import { describeStorage, listed } from './storage.suite.ts'
import { StorageAwayError } from './storage.ts'
import { aFolder } from './testing/an-hour.ts'

describeStorage('a folder as storage', () => openFolderStorage(aFolder()))

describe('a folder as storage, on disk,', () => {
  it('is created if it does not exist', async () => {
    const folder = join(aFolder(), 'a', 'b')

    await (await openFolderStorage(folder)).putText('chain/a', 'text')

    expect(existsSync(join(folder, 'chain', 'a'))).toBe(true)
  })

  it.skipIf(process.platform !== 'linux').each(['/proc/pairwire', '/proc/pairwire/a', import.meta.filename])(
    'is refused, not waited for, where no folder can be made: %s',
    async (folder) => {
      await expect(openFolderStorage(folder)).rejects.toThrow(/^(ENOENT|ENOTDIR)/)
    },
  )

  it.each([
    { umask: 0o022, mode: 0o750 },
    { umask: 0o007, mode: 0o770 },
  ])('lets a group in as far as the umask allows, and nobody else: $umask', async ({ umask, mode }) => {
    const folder = join(aFolder(), 'hours')
    const before = process.umask(umask)
    onTestFinished(() => void process.umask(before))

    await (await openFolderStorage(folder)).putText('chain/2026-11/a', 'text')

    const folders = [folder, join(folder, '.partial'), join(folder, 'chain', '2026-11')]
    expect(folders.map((path) => statSync(path).mode & 0o777)).toEqual([mode, mode, mode])
    const file = statSync(join(folder, 'chain', '2026-11', 'a')).mode & 0o777
    expect(file).toBe(0o666 & ~umask)
  })

  it('removes partial files an hour after a kill, and never lists them', async () => {
    const folder = aFolder()
    const storage = await openFolderStorage(folder)
    const [old, young] = [join(folder, '.partial', 'old'), join(folder, '.partial', 'young')]
    for (const file of [old, young]) writeFileSync(file, 'half')
    const longAgo = new Date(Date.now() - 3_700_000)
    utimesSync(old, longAgo, longAgo)

    await storage.putText('chain/a', 'text')

    expect((await listed(storage, 'chain')).map(({ name }) => name)).toEqual(['chain/a'])
    expect(readdirSync(join(folder, '.partial'))).toEqual(['young'])
  })

  it('is away, rather than empty, once its disk is unmounted', async () => {
    const folder = aFolder()
    const storage = await openFolderStorage(folder)
    await storage.putText('chain/a', 'text')

    rmSync(folder, { recursive: true })

    await expect(storage.readText('chain/a')).rejects.toThrow(StorageAwayError)
    await expect(storage.putText('chain/a', 'text')).rejects.toThrow(StorageAwayError)
    await expect(listed(storage, 'chain')).rejects.toThrow(StorageAwayError)
  })

  it('passes over what has no name of an object, as what a NAS or a desktop puts into every folder', async () => {
    const folder = aFolder()
    const storage = await openFolderStorage(folder)
    await storage.putText('chain/2026-11/a', 'text')
    mkdirSync(join(folder, 'chain/2026-11/@eaDir'))
    writeFileSync(join(folder, 'chain/2026-11/.DS_Store'), '')
    mkdirSync(join(folder, 'chain/lost+found'))

    expect((await listed(storage, 'chain')).map(({ name }) => name)).toEqual(['chain/2026-11/a'])
    expect(await storage.folders('chain')).toEqual(['2026-11'])
  })

  it('leaves nothing behind if a file cannot be stored', async () => {
    const folder = aFolder()
    const storage = await openFolderStorage(folder)

    await expect(storage.putFile('chain/a', join(folder, 'none'))).rejects.toThrow(StorageAwayError)

    expect(readdirSync(join(folder, '.partial'))).toEqual([])
    expect(await listed(storage, 'chain')).toEqual([])
  })
})
