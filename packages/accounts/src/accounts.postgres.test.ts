import { describe, it } from 'vitest'
import { describeAccounts } from './accounts.suite.ts'
import { openDatabase } from './open-database.ts'
import { MIGRATIONS } from './testing/pglite-folders.ts'
import { createPostgresDatabase, hasPostgres, startPostgres } from './testing/postgres-server.ts'

/** Address of a PostgreSQL on which the tests may make databases; without it they start one of their own. */
const given = process.env.PAIRWIRE_TEST_POSTGRES

if (given || hasPostgres()) {
  describeAccounts('PostgreSQL', async () => {
    const server = given ? { adminUrl: given, stop: async () => {} } : await startPostgres()
    const { url, drop } = await createPostgresDatabase(server.adminUrl)
    const database = await openDatabase({ url }, { migrationsFolder: MIGRATIONS, log: () => {} })
    return {
      database,
      remove: async () => {
        await drop()
        await server.stop()
      },
    }
  })
} else {
  describe('accounts on PostgreSQL', () => {
    it.skip('needs PostgreSQL from the distribution, or its address in PAIRWIRE_TEST_POSTGRES', () => {})
  })
}
