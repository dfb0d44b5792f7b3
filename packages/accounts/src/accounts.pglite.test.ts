import { describeAccounts } from './accounts.suite.ts'
import { openDatabase } from './open-database.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from './testing/pglite-folders.ts'

describeAccounts('the embedded database', async () => {
  const { folder, remove } = await createPgliteFolder()
  const database = await openDatabase(
    { folder, workerUrl: WORKER_URL },
    { migrationsFolder: MIGRATIONS, log: () => {} },
  )
  return { database, remove: async () => remove() }
})
