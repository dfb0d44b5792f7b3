import { describe, expect, it } from 'vitest'
import { readyLines } from './ready-lines.ts'

const FACTS = {
  publicUrl: 'http://localhost:8080',
  hasMailbox: true,
  smtpUrl: undefined,
  localKey: '0123456789abcdef0123456789abcdef',
}

describe('the lines of a ready service', () => {
  it('begin with the promised sentence, alone on its line', () => {
    expect(readyLines(FACTS)[0]).toBe('Pairwire is ready at http://localhost:8080')
  })

  it('say where mails are', () => {
    expect(readyLines(FACTS)).toContain('Emails are at http://localhost:8080/dev/mail')
  })

  it('name the mail server without its password', () => {
    const lines = readyLines({ ...FACTS, hasMailbox: false, smtpUrl: 'smtps://mara:secret@mail.example:465' })

    expect(lines[1]).toBe('Emails are sent by mail.example:465')
  })

  it('give one command that shows the stream, with the local key', () => {
    expect(readyLines(FACTS).at(-1)?.trim()).toBe(
      `npx -y wscat -c ws://localhost:8080/ -H "X-API-KEY: 0123456789abcdef0123456789abcdef" -x '{"id":1,"method":"swapSubscribe"}' -w -1`,
    )
  })

  it('give no command if there is no local key', () => {
    expect(readyLines({ ...FACTS, localKey: undefined }).join()).not.toContain('wscat')
  })
})
