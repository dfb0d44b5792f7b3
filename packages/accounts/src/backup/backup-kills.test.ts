import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNFINISHED } from '../database/lock-data-folder.ts'
import * as schema from '../database/schema.ts'
import type { BackupOrder } from '../testing/backup-child.ts'
import {
  accountRows,
  createParts,
  KEPT_SECRETS,
  openParts,
  removeParts,
  sumsOf,
  temporaryFolder,
} from '../testing/backup-parts.ts'
import { type Child, startChild } from '../testing/child.ts'
import { MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { hasPostgres } from '../testing/postgres-server.ts'
import { type BackupParts, backUpToFile } from './backup.ts'
import { openBackupZip } from './backup-zip.ts'

afterAll(removeParts)

describe.skipIf(!hasPostgres())('a process killed with SIGKILL', () => {
  /** How often each is killed. */
  const KILLS = inCi(6, 1)
  const CHILD = new URL('../testing/backup-child.ts', import.meta.url)
  const KEYS = 3_000

  const run = (verb: BackupOrder['verb'], file: string, { dataFolder, place }: BackupParts) => {
    const url = 'url' in place ? place.url : undefined
    const folder = join(dataFolder, 'database')
    const order = {
      verb,
      file,
      folder,
      dataFolder,
      url,
      workerUrl: WORKER_URL.href,
      migrationsFolder: MIGRATIONS,
    }
    return startChild<'begun' | 'done'>(CHILD, [JSON.stringify(order)])
  }
  /** Milliseconds of a whole run. */
  const timeOf = async (child: Child<'begun' | 'done'>) => {
    await child.next()
    const begunMs = performance.now()
    await child.next()
    return performance.now() - begunMs
  }
  const killWithin = async (ms: number, child: Child<'begun' | 'done'>) => {
    await child.next()
    await new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
    return (await child.kill()).includes('done')
  }

  let source: BackupParts
  let file: string
  beforeAll(async () => {
    source = await createParts('PostgreSQL')
    const database = await openParts(source)
    await database.db.insert(schema.accounts).values(accountRows(KEYS))
    await database.close()
    writeFileSync(join(source.dataFolder, 'secrets.json'), KEPT_SECRETS)
    file = join(temporaryFolder(), 'whole.zip')
    await backUpToFile(source, file)
  })

  it('in a backup leaves no half file under the name of a whole one, and the source as it was', async () => {
    const folder = temporaryFolder()
    const ms = await timeOf(await run('backup', join(folder, 'first.zip'), source))
    for (let turn = 0; turn < KILLS; turn++) {
      const target = join(folder, `${turn}.zip`)
      await killWithin(ms, await run('backup', target, source))
      if (existsSync(target)) (await openBackupZip(target)).close()
    }

    expect((await sumsOf(source)).find(({ name }) => name === 'accounts')?.rows).toBe(KEYS)
  })

  it('in a restore leaves a target that is whole, empty or refused', async () => {
    const whole = await sumsOf(source)
    const ms = await timeOf(await run('restore', file, await createParts('PostgreSQL')))
    const ends = new Set<string>()
    for (let turn = 0; turn < KILLS; turn++) {
      const target = await createParts('PostgreSQL')
      const isDone = await killWithin(ms, await run('restore', file, target))
      const names = readdirSync(target.dataFolder)
      const end = names.includes(UNFINISHED) ? 'refused' : names.length === 0 ? 'empty' : 'whole'
      ends.add(end)
      if (isDone) expect(end).toBe('whole')
      if (end === 'whole') expect(await sumsOf(target)).toEqual(whole)
      if (end === 'empty') await expect(sumsOf(target)).rejects.toThrow('The database is empty')
    }
    expect(ends.size).toBeGreaterThan(0)
  })
})
