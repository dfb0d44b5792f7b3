import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Accounts, createAccounts } from '../create-accounts.ts'
import { UNFINISHED } from '../database/lock-data-folder.ts'
import { type Database, openDatabase } from '../database/open-database.ts'
import * as schema from '../database/schema.ts'
import { WRITER_SECRETS } from '../testing/account-writer.ts'
import type { BackupOrder } from '../testing/backup-child.ts'
import { accountRows } from '../testing/backup-parts.ts'
import { startChild } from '../testing/child.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { type BackupParts, backUp, backUpToFile } from './backup.ts'

const ACCOUNTS = 500

/** Backups over which the longest wait is measured: the shortest is not due to other work on the machine. */
const ROUNDS = 5

/** How often a restore is killed. */
const KILLS = inCi(2, 1)

describe('the embedded database', () => {
  let folder: string
  let remove: () => void
  let database: Database
  let accounts: Accounts
  let parts: BackupParts
  let key: string
  let file: string

  beforeAll(async () => {
    ;({ folder, remove } = await createPgliteFolder())
    file = join(mkdtempSync(join(tmpdir(), 'pairwire-backup-test-')), 'one.zip')
    const place = { folder, workerUrl: WORKER_URL }
    parts = { place, dataFolder: folder, migrationsFolder: MIGRATIONS, version: '0.1.0' }
    database = await openDatabase(place, { migrationsFolder: MIGRATIONS, log: { warn: () => {} } })
    accounts = createAccounts({ ...database, clock: Date.now, secrets: WRITER_SECRETS })
    key = (await accounts.createAccount('mara@example.org')).account.user.APIKey
    await database.db.insert(schema.accounts).values(accountRows(ACCOUNTS))
  })
  afterAll(async () => {
    await database.close(0)
    remove()
    rmSync(join(file, '..'), { recursive: true })
  })

  const rowsOf = async (of: BackupParts) => {
    const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() })
    return rowsIn(await backUp(of, nowhere))
  }

  // Guards connecting clients: keys are looked up in the same database, which handles one query at a time.
  it('delays no key by more than 100 ms for a backup', async () => {
    const longestWaitDuring = async (action: Promise<unknown>) => {
      let longestMs = 0
      let isOver = false
      const over = action.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const askedAt = performance.now()
        await accounts.authorizeKey(key)
        longestMs = Math.max(longestMs, performance.now() - askedAt)
        // So that the backup makes progress; a wait of 100 ms would still be noticed.
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      await over
      return longestMs
    }
    const withoutMs = await longestWaitDuring(new Promise((resolve) => setTimeout(resolve, 3_000)))

    const waits: number[] = []
    while (waits.length < ROUNDS && !(Math.min(...waits) < 100 + withoutMs)) {
      waits.push(await longestWaitDuring(backUpToFile(parts, file)))
    }

    expect(Math.min(...waits)).toBeLessThan(100 + withoutMs)
  }, 300_000)

  it('is whole in a backup while accounts are written', async () => {
    let made = 0
    let isOver = false
    const before = await database.db.$count(schema.accounts)
    const writing = (async () => {
      while (!isOver) await accounts.createAccount(`late-${made++}@example.org`)
    })()

    const rows = await rowsOf(parts)
    isOver = true
    await writing

    expect(rows).toBeGreaterThanOrEqual(before)
    expect(rows).toBeLessThanOrEqual(before + made)
    expect(made).toBeGreaterThan(5)
  }, 300_000)

  // A process may be allowed few open files, and a brand may have hundreds.
  it.skipIf(!existsSync('/proc/self/fd'))(
    'opens the files beside it one by one for a backup',
    async () => {
      const brand = join(folder, 'brand')
      mkdirSync(brand, { recursive: true })
      for (let at = 0; at < 300; at++) writeFileSync(join(brand, `${at}.svg`), '<svg/>')
      let [most, isOver] = [0, false]

      const backedUp = rowsOf(parts).finally(() => {
        isOver = true
      })
      for (; !isOver; await turn()) most = Math.max(most, openBelow(brand))

      expect(await backedUp).toBeGreaterThan(ACCOUNTS)
      expect(most).toBeLessThan(5)
      rmSync(brand, { recursive: true })
    },
    300_000,
  )

  it('is whole, refused or empty after a restore that was killed with SIGKILL', async () => {
    const rows = rowsIn(await backUpToFile(parts, file))
    for (let turn = 0; turn < KILLS; turn++) {
      const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-killed-'))
      const order: BackupOrder = {
        ...{ verb: 'restore', file, dataFolder, url: undefined, migrationsFolder: MIGRATIONS },
        ...{ folder: join(dataFolder, 'database'), workerUrl: WORKER_URL.href },
      }
      const child = await startChild<'begun' | 'done'>(
        new URL('../testing/backup-child.ts', import.meta.url),
        [JSON.stringify(order)],
      )
      await child.next()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10_000))
      const isDone = (await child.kill()).includes('done')

      const names = readdirSync(dataFolder)
      if (isDone) expect(names).not.toContain(UNFINISHED)
      if (names.length > 0 && !names.includes(UNFINISHED)) {
        expect(await rowsOf({ ...parts, dataFolder, place: { ...parts.place, folder: order.folder } })).toBe(
          rows,
        )
      }
      rmSync(dataFolder, { recursive: true })
    }
  }, 300_000)
})

/** Accounts in a backup. */
function rowsIn({ tables }: Awaited<ReturnType<typeof backUp>>): number | undefined {
  return tables.find(({ name }) => name === 'accounts')?.rows
}

/** Files below a folder that this process has open. */
function openBelow(folder: string): number {
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder)
    } catch {
      return false // closed meanwhile
    }
  }).length
}
