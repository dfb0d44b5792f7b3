import { describe, expect, it } from 'vitest'
import { startDns } from '../../testing/dns-double.ts'
import { findWith } from '../../testing/doctor-under-test.ts'

const SOUND = {
  'TXT stream.example': ['v=spf1 include:_spf.google.com ~all', 'other=1'],
  'TXT google._domainkey.stream.example': ['v=DKIM1; p=key'],
  'TXT _dmarc.stream.example': ['v=DMARC1; p=reject'],
}

async function find(records: Record<string, string[]>, from = 'Mara <hello@stream.example>') {
  const environment = { SMTP_URL: 'smtps://smtp.gmail.com', MAIL_FROM: from }
  return findWith('mail-dns', environment, { nameServers: [await startDns(records)] })
}

describe('the check of the sender’s domain', () => {
  it('is content with SPF, DKIM and DMARC, the last also of the domain above', async () => {
    expect(await find(SOUND)).toMatchObject({
      state: 'ok',
      sentence: 'stream.example has SPF, DKIM and DMARC.',
    })
    const below = Object.fromEntries(
      Object.entries(SOUND).map(([name, texts]) => [name.replace(/(?<=[ .])stream/, 'mail.stream'), texts]),
    )
    const { 'TXT _dmarc.mail.stream.example': policy, ...others } = below
    const found = await find({ ...others, 'TXT _dmarc.stream.example': policy! }, 'hello@mail.stream.example')
    expect(found).toMatchObject({ state: 'ok' })
  })

  it('finds the DMARC of any domain above, however long the ending under which domains are registered is', async () => {
    const records = {
      'TXT mail.news.stream.co.example': SOUND['TXT stream.example'],
      'TXT google._domainkey.mail.news.stream.co.example': SOUND['TXT google._domainkey.stream.example'],
    }
    const from = 'hello@mail.news.stream.co.example'

    expect(await find(records, from)).toMatchObject({
      state: 'warn',
      sentence: expect.stringMatching('DMARC'),
    })
    expect(
      await find({ ...records, 'TXT _dmarc.stream.co.example': ['v=DMARC1; p=reject'] }, from),
    ).toMatchObject({ state: 'ok' })
  })

  it.each([
    ['no SPF', 'TXT stream.example', [], 'warn', /^Add a TXT record for stream\.example/],
    ['two SPF records', 'TXT stream.example', ['v=spf1 -all', 'v=spf1 ~all'], 'fail', /^Join the TXT/],
    [
      'no DKIM of a provider that is known',
      'TXT google._domainkey.stream.example',
      [],
      'warn',
      /^Turn DKIM on/,
    ],
    ['no DMARC', 'TXT _dmarc.stream.example', [], 'warn', /_dmarc\.stream\.example: v=DMARC1/],
  ])('names %s', async (_name, name, texts, state, fix) => {
    expect(await find({ ...SOUND, [name]: texts })).toMatchObject({ state, fix: expect.stringMatching(fix) })
  })

  it('has nothing to look at where no emails leave', async () => {
    expect(await findWith('mail-dns')).toMatchObject({ state: 'skipped', fix: null })
  })
})
