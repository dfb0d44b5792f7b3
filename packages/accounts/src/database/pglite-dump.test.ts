import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Accounts } from '../create-accounts.ts'
import { createAccounts } from '../create-accounts.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { openDatabase } from './open-database.ts'
import { openPglite, type Pglite } from './open-pglite.ts'
import { dumpCluster } from './pglite-dump.mjs'
import * as schema from './schema.ts'

const SECRETS = { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) }

/** Accounts in the database at the beginning. */
const ACCOUNTS = 20

/** Dumps over which the longest wait is measured: the shortest is not due to other work on the machine. */
const ROUNDS = 5

describe('a dump of the embedded database', () => {
  let folder: string
  let cluster: string
  let dump: string
  let remove: () => void
  let pglite: Pglite
  let pool: Pool
  let accounts: Accounts
  const keys: string[] = []

  const makeAccount = async () => {
    const email = `person-${keys.length}@example.org`
    const { account } = await accounts.createAccount(email)
    await accounts.grantPlan(email, 3)
    keys.push(account.user.APIKey)
  }

  beforeAll(async () => {
    ;({ folder, remove } = await createPgliteFolder())
    cluster = join(folder, 'cluster')
    dump = join(folder, 'dump.tar.gz')
    pglite = await openPglite({ folder, workerUrl: WORKER_URL }, { warn: (line) => expect.fail(line) })
    pool = new Pool({
      stream: pglite.connect,
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      max: 1,
    })
    accounts = createAccounts({
      db: drizzle(pool, { schema }),
      barrier: pglite.barrier,
      clock: Date.now,
      secrets: SECRETS,
    })
    for (let count = 0; count < ACCOUNTS; count++) await makeAccount()
  })
  afterAll(async () => {
    await pool.end()
    await pglite.close(60_000)
    remove()
  })

  /** The content of a database restored from the dump alone. */
  async function restored<Answer>(look: (accounts: Accounts) => Promise<Answer>): Promise<Answer> {
    const other = await mkdtemp(join(tmpdir(), 'pairwire-restored-'))
    await rename(dump, join(other, 'dump.tar.gz'))
    const lines: string[] = []
    const database = await openDatabase(
      { folder: other, workerUrl: WORKER_URL },
      { migrationsFolder: MIGRATIONS, log: { warn: (line) => lines.push(line) }, closeWithinMs: 60_000 },
    )
    try {
      expect(lines).toEqual([expect.stringContaining('WAS MISSING AND WAS RESTORED FROM ITS DUMP')])
      return await look(createAccounts({ ...database, clock: Date.now, secrets: SECRETS }))
    } finally {
      await database.close(0) // at once: nobody needs its dump
      rmSync(other, { recursive: true })
    }
  }

  // Guards the last copy of the accounts.
  it('holds every account that existed when it began, whatever is written meanwhile', async () => {
    const before = [...keys]
    let files = 0

    await dumpCluster(cluster, dump, {
      betweenFiles: async () => {
        if (files++ % 40 === 0) await makeAccount()
      },
    })

    expect(keys.length).toBeGreaterThan(before.length + 5)
    await restored(async (kept) => {
      for (const key of before)
        expect(await kept.authorizeKey(key)).toMatchObject({ outcome: 'allowed', planId: 3 })
      // Each of the others is complete or absent.
      for (const key of keys.slice(before.length))
        expect(['allowed', 'no_plan', 'unknown_key']).toContain((await kept.authorizeKey(key)).outcome)
      await kept.createAccount('later@example.org')
    })
  })

  it('holds writes in a segment of the log created meanwhile', async () => {
    let isFirst = true
    await dumpCluster(cluster, dump, {
      betweenFiles: async () => {
        if (!isFirst) return
        isFirst = false
        await pool.query('select pg_switch_wal()')
        await makeAccount()
      },
    })

    await restored(async (kept) =>
      expect(await kept.authorizeKey(keys.at(-1) ?? '')).toMatchObject({ planId: 3 }),
    )
  })

  it('starts again when a checkpoint interrupts it, and gives up when one always does', async () => {
    writeFileSync(dump, 'the last dump')
    let checkpoints = 0
    const always = dumpCluster(cluster, dump, {
      betweenFiles: async () => {
        if (checkpoints++ % 100 === 0) await pool.query('checkpoint')
      },
    })
    await expect(always).rejects.toThrow('Other work on the database kept interrupting; try again')
    expect(readFileSync(dump, 'utf8')).toBe('the last dump')
    expect(readdirSync(folder).sort()).toEqual(['cluster', 'dump.tar.gz'])

    let isFirst = true
    await dumpCluster(cluster, dump, {
      betweenFiles: async () => {
        if (isFirst) await pool.query('checkpoint')
        isFirst = false
      },
    })

    await restored(async (kept) =>
      expect(await kept.authorizeKey(keys[0] ?? '')).toMatchObject({ planId: 3 }),
    )
  })

  // Guards backups beside verbs without a service: each of those opens and closes the database.
  it('ends although checkpoints interrupt five attempts', async () => {
    const perAttempt = readdirSync(cluster, { recursive: true }).length
    let [files, checkpoints] = [0, 0]

    await dumpCluster(cluster, dump, {
      betweenFiles: async () => {
        if (files++ % perAttempt > 0 || checkpoints === 5) return
        checkpoints++
        await pool.query('checkpoint')
      },
    })

    expect(checkpoints).toBe(5)
    rmSync(dump)
  })

  it('leaves nothing behind when it is cancelled', async () => {
    const off = new AbortController()

    const dumping = dumpCluster(cluster, dump, {
      signal: off.signal,
      betweenFiles: async () => off.abort(),
    })

    await expect(dumping).rejects.toThrow()
    expect(readdirSync(folder)).toEqual(['cluster'])
  })

  it.skipIf(process.platform !== 'linux')(
    'says that the disk is full, and leaves nothing behind',
    async () => {
      symlinkSync('/dev/full', `${dump}.part`)

      await expect(dumpCluster(cluster, dump)).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(readdirSync(folder)).toEqual(['cluster'])
    },
  )

  // Guards connecting clients: keys are looked up in the same database, which handles one query at a time.
  it('delays no key by more than 100 ms', async () => {
    const longestWaitDuring = async (action: () => Promise<void>) => {
      let longestMs = 0
      let isOver = false
      const over = action().finally(() => {
        isOver = true
      })
      for (let turn = 0; !isOver; turn++) {
        const askedAt = performance.now()
        await accounts.authorizeKey(keys[turn % keys.length] ?? '')
        longestMs = Math.max(longestMs, performance.now() - askedAt)
        // So that the dump makes progress; a wait of 100 ms would still be noticed.
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      await over
      return longestMs
    }
    const withoutMs = await longestWaitDuring(async () => {
      for (let count = 0; count < 100; count++) await accounts.authorizeKey(keys[count % keys.length] ?? '')
    })

    const waits: number[] = []
    while (waits.length < ROUNDS && !(Math.min(...waits) < 100 + withoutMs)) {
      rmSync(dump, { force: true })
      waits.push(await longestWaitDuring(pglite.dumpIfOld))
      expect(existsSync(dump)).toBe(true)
    }

    expect(Math.min(...waits)).toBeLessThan(100 + withoutMs)
  })
})
