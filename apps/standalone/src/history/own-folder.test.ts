import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { expect, it } from 'vitest'
import { ownFolder } from './own-folder.ts'

const here = (pid: number) => `${pid}@${hostname()}`

it('removes folders of dead processes, and keeps those of running ones', () => {
  const parent = aFolder()
  for (const pid of [999_999_999, process.pid, process.ppid]) mkdirSync(join(parent, here(pid)))

  expect(ownFolder(parent)).toBe(join(parent, here(process.pid)))
  expect(readdirSync(parent)).toEqual([here(process.ppid)])
})

// Guards a backfill in another container on this volume, whose process may have the same id.
it('removes a folder of another machine only if nothing was begun in it for a day', () => {
  const parent = aFolder()
  const [fresh, old] = [`${process.pid}@elsewhere`, '7@elsewhere']
  for (const name of [fresh, old]) mkdirSync(join(parent, name))
  utimesSync(join(parent, old), 0, 0)

  ownFolder(parent)

  expect(readdirSync(parent)).toEqual([fresh])
})

it.skipIf(process.platform !== 'linux')('fails at once where no folder can be made', () => {
  expect(() => ownFolder('/proc/pairwire')).toThrow('ENOENT')
})
