import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { expect, it } from 'vitest'
import { ownFolder } from './own-folder.ts'

it('removes folders of dead processes, and keeps those of running ones', async () => {
  const parent = aFolder()
  for (const pid of [999_999_999, process.pid, process.ppid]) mkdirSync(join(parent, String(pid)))

  expect(await ownFolder(parent)).toBe(join(parent, String(process.pid)))
  expect(readdirSync(parent)).toEqual([String(process.ppid)])
})

it.skipIf(process.platform !== 'linux')('fails at once where no folder can be made', async () => {
  await expect(ownFolder('/proc/pairwire')).rejects.toThrow('ENOENT')
})
