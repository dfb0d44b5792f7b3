import { randomInt } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { WRITER_SECRETS, type WriterWord } from '../testing/account-writer.ts'
import { startChild } from '../testing/child.ts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '../testing/pglite-folders.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { openDatabase } from './open-database.ts'

const WRITER = new URL('../testing/account-writer.ts', import.meta.url)

/** Words that a writer prints before it is killed: 1 while its database opens, then at random while it writes. */
const LIVES = [randomInt(2, 80), 1, randomInt(2, 80)]

describe('a service killed with SIGKILL at any moment', () => {
  let remove = () => {}
  afterAll(() => remove())

  it('has lost no account, key or trial that it had acknowledged, and leaves its folder free', async () => {
    const made = await createPgliteFolder()
    remove = made.remove
    const acknowledged: WriterWord[] = []
    for (const [run, words] of LIVES.entries()) {
      const writer = await startChild<WriterWord>(WRITER, [made.folder, `run${run}`])
      for (let count = 0; count < words; count++) acknowledged.push(await writer.next())
      acknowledged.push(...(await writer.kill()))
    }

    const lock = await lockDataFolder(made.folder)
    const database = await openDatabase(
      { folder: made.folder, workerUrl: WORKER_URL },
      { migrationsFolder: MIGRATIONS, log: { warn: (line) => expect.fail(line) }, closeWithinMs: 60_000 },
    )

    const accounts = createAccounts({ ...database, clock: Date.now, secrets: WRITER_SECRETS })
    for (const word of acknowledged) {
      if (word.done === 'opening' || word.done === 'open') continue
      const { account } = await accounts.findAccount(word.email)
      if (word.done === 'register') continue
      expect(account.user.APIKey).toBe(word.key)
      if (word.done === 'startTrial') expect(account.activeSubscription?.isFreeTrial).toBe(true)
    }
    expect(acknowledged.filter(({ done }) => done === 'open')).toHaveLength(LIVES.length - 1)
    await database.close()
    lock.release()
  })
})
