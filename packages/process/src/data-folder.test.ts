import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { beforeEach, describe, expect, it } from 'vitest'
import { hasDatabase, insistOnEmpty, isDataFolder, prepareFolder } from './data-folder.ts'

/** A user without rights, if there is one: root may write everywhere. */
const NOBODY = 65_534

describe('the data folder', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
    chmodSync(folder, 0o755)
  })

  it('is created, and the check leaves nothing behind', () => {
    prepareFolder(join(folder, 'a/b'), 'DATA_DIR')

    expect(readdirSync(join(folder, 'a/b'))).toEqual([])
  })

  it('may be checked by several processes at once, as by two of the operator’s tool', async () => {
    const script = await bundleScript(new URL('./testing/preparing-child.ts', import.meta.url))
    const children = Array.from({ length: 4 }, () => spawn(process.execPath, [script, folder]))

    expect(await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))).toEqual([
      0, 0, 0, 0,
    ])
  })

  // Guards a restore while a supervisor keeps starting the service on its folder.
  it('counts as empty while another process checks it, and after one that was killed then', () => {
    for (const name of ['lock', 'lock.0a1b2c3d', '.writable']) writeFileSync(join(folder, name), 'x')
    insistOnEmpty(folder)

    writeFileSync(join(folder, 'secrets.json'), 'x')
    expect(() => insistOnEmpty(folder)).toThrow(`DATA_DIR: ${folder} is not empty`)
  })

  it('that cannot be written to stops the start with a sentence that names the variable', () => {
    const mine = process.geteuid?.() ?? NOBODY
    if (mine === 0) process.seteuid?.(NOBODY)
    else chmodSync(folder, 0o555)
    try {
      expect(() => prepareFolder(folder, 'DATA_DIR')).toThrow(
        `DATA_DIR: ${folder} cannot be used: this user may not write there (EACCES).`,
      )
    } finally {
      if (mine === 0) process.seteuid?.(0)
      else chmodSync(folder, 0o755)
    }
  })

  it('that is a file, or would be below one, stops the start the same way', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')

    expect(() => prepareFolder(file, 'DATA_DIR')).toThrow(/^DATA_DIR: .* it is a file \(EEXIST\)\.$/)
    expect(() => prepareFolder(join(file, 'data'), 'DATA_DIR')).toThrow(/^DATA_DIR: .*\(ENOTDIR\)\.$/)
  })

  it.skipIf(process.platform !== 'linux')('fails at once if the system cannot create folders', () => {
    expect(() => prepareFolder('/proc/pairwire/data', 'DATA_DIR')).toThrow(/^DATA_DIR: .*\(ENOENT\)\.$/)
  })

  it.skipIf(process.platform !== 'linux')('may be full if it is that of the backups', () => {
    symlinkSync('/dev/full', join(folder, '.writable'))

    expect(() => prepareFolder(folder, 'DATA_DIR')).toThrow(/^DATA_DIR: .* the disk is full \(ENOSPC\)\.$/)
    expect(() => prepareFolder(folder, 'BACKUP_DIR')).not.toThrow()
    expect(() => prepareFolder('/proc/pairwire', 'BACKUP_DIR')).toThrow(/^BACKUP_DIR: .*\(ENOENT\)\.$/)
  })

  it('is recognised by the files of a service', () => {
    expect(isDataFolder(folder, true)).toBe(false)
    expect(isDataFolder(join(folder, 'missing'), false)).toBe(false)

    writeFileSync(join(folder, 'secrets.json'), '{}')
    expect(isDataFolder(folder, true)).toBe(false)
    expect(isDataFolder(folder, false)).toBe(true)

    mkdirSync(join(folder, 'database/cluster'), { recursive: true })
    expect(hasDatabase(folder)).toBe(true)
    expect(isDataFolder(folder, true)).toBe(true)
  })
})
