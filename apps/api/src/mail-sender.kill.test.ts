import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccounts, MAIL_LEASE_MS } from '@pairwire/accounts'
import { copyPgliteTemplate } from '@pairwire/accounts/testing/pglite-folders'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSmtpMail } from './adapters/mail-smtp.ts'
import { createLeases } from './leases.ts'
import { MailSender } from './mail-sender.ts'
import { startSmtpDouble } from './testing/smtp-double.ts'
import { openTestDatabase, TEST_SECRETS } from './testing/test-database.ts'

const CHILD = new URL('./testing/mail-child.ts', import.meta.url)

describe('a mail whose sender is killed with SIGKILL', () => {
  // Guards the only case in which a mail may be sent twice.
  it('after the server accepted it and before that was recorded, is sent once more, with its Message-ID', async () => {
    const folder = await copyPgliteTemplate(mkdtempSync(join(tmpdir(), 'pairwire-mail-kill-')))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    let isSilent = true
    const smtp = await startSmtpDouble({
      answer: () => (isSilent ? new Promise(() => {}) : Promise.resolve()),
    })
    onTestFinished(smtp.close)
    const child = fork(await bundleScript(CHILD), [folder, smtp.url, 'mara@example.com'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ended = once(child, 'exit')
    const early = ended.then(() => Promise.reject(new Error('the child process ended by itself')))
    await Promise.race([smtp.gets(1), early])
    early.catch(() => {})
    child.kill('SIGKILL')
    await ended

    isSilent = false
    const database = await openTestDatabase(folder)
    onTestFinished(() => database.close())
    const clock = createManualClock(Date.now() + MAIL_LEASE_MS)
    const accounts = createAccounts({ ...database, clock: clock.now, secrets: TEST_SECRETS })
    const sender = new MailSender({
      accounts,
      leases: createLeases(accounts),
      mail: createSmtpMail({ url: smtp.url, from: 'hello@pairwire.example' }),
      publicUrl: 'https://pairwire.example',
      clock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
    })
    sender.start()
    await sender.settled()
    await clock.advance(2 * MAIL_LEASE_MS)
    await sender.settled()
    await sender.close()

    expect(smtp.received).toHaveLength(2)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
    expect(smtp.received[1]!.text.replace(/--.*/g, '')).toBe(smtp.received[0]!.text.replace(/--.*/g, ''))
  })
})
