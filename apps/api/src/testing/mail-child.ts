import { createAccounts } from '@pairwire/accounts'
import { createSmtpMail } from '../adapters/mail-smtp.ts'
import { createLeases } from '../leases.ts'
import { MailSender } from '../mail-sender.ts'
import { openTestDatabase, TEST_SECRETS } from './test-database.ts'

/** A separate process that registers somebody and sends what is queued, until it is killed. */
const [folder, smtpUrl, email] = process.argv.slice(2)
if (!folder || !smtpUrl || !email) throw new Error('folder, address of the mail server and email are needed')

const { db, barrier } = await openTestDatabase(folder)
const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: TEST_SECRETS })
const sender = new MailSender({
  accounts,
  leases: createLeases(accounts),
  mail: createSmtpMail({ url: smtpUrl, from: 'hello@pairwire.example' }),
  publicUrl: 'https://pairwire.example',
  clock: {
    now: Date.now,
    elapsed: () => performance.now(),
    // Sleeps until it is woken.
    wait: (_milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve(), { once: true })
      }),
  },
  log: { info: () => {}, warn: () => {}, error: () => {} },
})
sender.start()
await accounts.register({ email, origin: 'other', enableMarketingEmails: false })
