import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@pairwire/accounts'
import { MIGRATIONS, WORKER_URL } from '@pairwire/accounts/testing/pglite-folders'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { takeDataFolder } from './data-folder.ts'
import { listMigrations, lookAtAccounts, openAccounts } from './open-accounts.ts'

describe('a data folder', () => {
  let dataFolder: string
  beforeEach(() => {
    dataFolder = aFolder()
  })

  // Guards the accounts of a service that is upgraded: a migration cannot be taken back.
  it('gets a backup of an embedded database before a new release changes it', async () => {
    const older = join(dataFolder, 'older')
    cpSync(MIGRATIONS, older, { recursive: true })
    const journal = JSON.parse(readFileSync(join(older, 'meta/_journal.json'), 'utf8'))
    journal.entries.pop()
    writeFileSync(join(older, 'meta/_journal.json'), JSON.stringify(journal))
    const log = { warn: () => {} }
    const place = { folder: join(dataFolder, 'database'), workerUrl: WORKER_URL }
    await (await openDatabase(place, { migrationsFolder: older, log, closeWithinMs: 60_000 })).close()
    const secret = 's'.repeat(32)
    const config = { dataFolder, databaseUrl: undefined, sessionSecret: secret, keyEncryptionSecret: secret }

    for (let start = 0; start < 2; start++) await (await openAccounts(config, log)).close(0)

    const backups = readdirSync(join(dataFolder, 'backups'))
    expect(backups).toEqual([expect.stringMatching(/^before-upgrade-.*\.zip$/)])
    expect(statSync(join(dataFolder, 'backups', backups[0]!)).mode & 0o777).toBe(0o600)
  }, 300_000)

  it('is looked at beside the service that holds it, and nothing in it is made', async () => {
    const log = { warn: () => {} }
    const unset = { databaseUrl: undefined, sessionSecret: undefined, keyEncryptionSecret: undefined }
    const config = { dataFolder, ...unset }
    expect(await lookAtAccounts(config)).toBeUndefined()
    expect(readdirSync(dataFolder)).toEqual([])
    const service = await openAccounts(config, log)
    await service.accounts.addOperator('op@example.org', 'operator')
    const before = readdirSync(dataFolder)

    const aside = await lookAtAccounts(config)

    expect(await aside!.accounts.listOperators()).toMatchObject([{ email: 'op@example.org' }])
    expect(await aside!.accounts.canReadKeys()).toBe(true)
    expect(await aside!.accounts.readDatabase()).toMatchObject({
      version: expect.stringMatching(/^\d+/),
      migratedTo: listMigrations().at(-1),
    })
    await aside!.close()
    expect(readdirSync(dataFolder)).toEqual(before)
    await service.close(0)
  }, 120_000)

  it('is not taken after a restore that did not come to its end', async () => {
    writeFileSync(join(dataFolder, 'restore-unfinished'), '')

    const taking = takeDataFolder(dataFolder)

    await expect(taking).rejects.toThrow(`DATA_DIR: a restore into ${dataFolder} did not come to its end.`)
    expect(readdirSync(dataFolder)).toEqual(['restore-unfinished'])
  })
})
