import { describe, expect, it } from 'vitest'
import { aMail } from '../testing/a-mail.ts'
import { createDevMail } from './mail-dev.ts'

describe('mail in development', () => {
  it('prints address, subject and link', async () => {
    const lines: string[] = []
    const mail = createDevMail({ clock: () => 0, print: (line) => void lines.push(line) })

    await mail.send(aMail())

    expect(lines).toEqual([
      'Mail to mara@example.com: Your Pairwire login link\n  http://localhost:23000/dashboard/login?t=a-login-token',
    ])
  })

  it('keeps the newest 200 mails, newest first', async () => {
    const mail = createDevMail({ clock: () => 0, print: () => {} })
    for (let count = 0; count < 205; count++) await mail.send(aMail({ id: String(count) }))

    expect(mail.list()).toHaveLength(200)
    expect(mail.list()[0]!.id).toBe('204')
  })
})
