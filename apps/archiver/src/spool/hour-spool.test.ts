import type * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { aFolder } from '../testing/a-folder.ts'

const disk = vi.hoisted(() => ({ opened: [] as fs.FileHandle[], refused: '' }))

/** The real disk, which can refuse to open one file for writing. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof fs>()
  return {
    ...real,
    open: async (...how: Parameters<typeof fs.open>) => {
      if (how[0] === disk.refused) throw new Error('EMFILE')
      const file = await real.open(...how)
      disk.opened.push(file)
      return file
    },
  }
})

it('a spool of which one file cannot be opened leaves the other one closed', async () => {
  vi.resetModules() // Another file in the same process may have loaded it, with the real disk.
  onTestFinished(() => void vi.resetModules())
  const { HourSpool, spoolPaths } = await import('./hour-spool.ts')
  const folder = join(aFolder(), '000000001-20261123-130000')
  const begin = { kind: 'begin', hour: '20261123-130000', source: 'chain', made: 'stream' } as const
  await (await HourSpool.create(folder, { ...begin, cursor: '', isJoined: false })).close()
  disk.refused = spoolPaths(folder).blocks

  await expect(HourSpool.reopen(folder)).rejects.toThrow('EMFILE')

  expect(disk.opened.map(({ fd }) => fd)).toEqual(disk.opened.map(() => -1))
})
