import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { openDatabase } from './open-database.ts'
import { refreshStatistics } from './refresh-statistics.ts'

// Guards the operator's lists: without statistics, one of 10,000 people took the embedded database seconds.
it('tells the embedded database how large each of its tables is', async () => {
  const { folder, remove } = await createPgliteFolder()
  const { db, close } = await openDatabase(
    { folder, workerUrl: WORKER_URL },
    { migrationsFolder: MIGRATIONS, log: { warn: () => {} } },
  )
  const unknown = async () => {
    const { rows } = await db.execute(sql`select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples < 0`)
    return rows.length
  }
  const before = await unknown()

  await refreshStatistics(db)

  expect(before).toBeGreaterThan(10)
  expect(await unknown()).toBe(0)
  await close(0)
  remove()
})
