import { describeAccounts } from './accounts.suite.ts'
import { openDatabase } from './database/open-database.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from './testing/pglite-folders.ts'

const { folder, remove } = await createPgliteFolder()
const database = await openDatabase(
  { folder, workerUrl: WORKER_URL },
  { migrationsFolder: MIGRATIONS, log: { warn: () => {} } },
)

describeAccounts('the embedded database', { database, remove: async () => remove() })
