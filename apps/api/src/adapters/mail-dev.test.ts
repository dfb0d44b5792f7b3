import { describe, expect, it } from 'vitest'
import { composeLoginMail } from '../login-mail.ts'
import { createDevMail } from './mail-dev.ts'

const aMail = (token: string) =>
  composeLoginMail('http://localhost:8080', { email: 'mara@example.com', token, expiresAt: new Date(0) })

describe('mail in development', () => {
  it('prints whom it is for, what it is and its link', async () => {
    const lines: string[] = []
    const mail = createDevMail({ clock: () => 0, print: (line) => void lines.push(line) })

    await mail.send(aMail('x'))

    expect(lines).toEqual([
      'Mail to mara@example.com: Your Pairwire login link\n  http://localhost:8080/dashboard/login?t=x',
    ])
  })

  it('keeps the newest 200 mails, newest first', async () => {
    const mail = createDevMail({ clock: () => 0, print: () => {} })
    for (let count = 0; count < 205; count++) await mail.send(aMail(String(count)))

    expect(mail.list()).toHaveLength(200)
    expect(mail.list()[0]!.link).toMatch(/t=204$/)
  })
})
