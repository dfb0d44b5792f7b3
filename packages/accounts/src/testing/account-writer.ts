import { createAccounts } from '../create-accounts.ts'
import { lockDataFolder } from '../database/lock-data-folder.ts'
import { openDatabase } from '../database/open-database.ts'
import { MIGRATIONS, WORKER_URL } from './pglite-folders.ts'

/** Messages of the writer: that it starts to open, that it is open, and that each order is done. */
export type WriterWord =
  | { done: 'opening' }
  | { done: 'open' }
  | { done: 'register'; email: string }
  | { done: 'resetKey'; email: string; key: string }
  | { done: 'startTrial'; email: string; key: string }

/** The secrets of the accounts that the writer creates. */
export const WRITER_SECRETS = {
  keyEncryption: new Uint8Array(32).fill(7),
  pepper: new Uint8Array(32).fill(8),
}

/** Creates accounts, resets their keys and starts trials, as fast as possible, until it is killed. */
async function write(folder: string, run: string): Promise<void> {
  say({ done: 'opening' })
  await lockDataFolder(folder)
  const { db, barrier } = await openDatabase(
    { folder, workerUrl: WORKER_URL },
    { migrationsFolder: MIGRATIONS, log: { warn: () => {} } },
  )
  const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: WRITER_SECRETS })
  say({ done: 'open' })

  for (let number = 0; ; number++) {
    const email = `${run}-${number}@example.org`
    const { token } = await accounts.register({ email, origin: 'other', enableMarketingEmails: false })
    say({ done: 'register', email })
    const { accountId } = await accounts.exchangeLoginToken(token)
    const reset = await accounts.resetKey(accountId)
    say({ done: 'resetKey', email, key: reset.user.APIKey })
    const trial = await accounts.startTrial(accountId, 1)
    say({ done: 'startTrial', email, key: trial.user.APIKey })
  }
}

function say(word: WriterWord): void {
  process.send?.(word)
}

const [, , folder, run] = process.argv
if (folder && run) await write(folder, run)
