import { readFileSync } from 'node:fs'
import type { Letter } from '@pairwire/accounts'
import { anyText } from '@pairwire/basics/testing/any-text'
import { PAIRWIRE } from '@pairwire/process/brand'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html as escapedHtml } from '../pages/html.ts'
import { renderMail } from './render-mail.tsx'

const endsAt = new Date('2026-02-04T12:00:00Z')
const HOURS = { orderId: 482_913_377, from: endsAt, to: new Date('2026-02-05T12:00:00Z') }

const LETTERS: readonly [string, Letter, { subject: string; path: string; says: string[] }][] = [
  [
    'a welcome',
    { template: 'welcome', token: 'T0k-en_' },
    {
      subject: 'Welcome to Pairwire: your login link',
      path: '/dashboard/login?t=T0k-en_',
      says: ['works once, for 15 minutes', 'free trial of 5 days'],
    },
  ],
  [
    'a login link',
    { template: 'login', token: 'T0k-en_' },
    {
      subject: 'Your Pairwire login link',
      path: '/dashboard/login?t=T0k-en_',
      says: ['works once, for 15 minutes'],
    },
  ],
  [
    'a trial that ends',
    { template: 'trial_ending', planId: 1, endsAt },
    {
      subject: 'Your Pairwire trial ends soon',
      path: '/dashboard/upgrade',
      says: ['NewPairs Only', '4 Feb 2026, 12:00 UTC', 'Nothing is charged'],
    },
  ],
  [
    'a payment that failed',
    { template: 'payment_failed', planId: 2, endsAt },
    {
      subject: 'Your payment for Pairwire failed',
      path: '/dashboard/account',
      says: ['Basic', '4 Feb 2026, 12:00 UTC', 'Manage Plan'],
    },
  ],
  [
    'a cancellation',
    { template: 'cancelled', planId: 3, endsAt },
    {
      subject: 'Your Pairwire plan is cancelled',
      path: '/dashboard/account',
      says: ['Pro', 'You keep it until 4 Feb 2026, 12:00 UTC'],
    },
  ],
  [
    'an end',
    { template: 'ended', planId: 3, endsAt },
    {
      subject: 'Your Pairwire plan has ended',
      path: '/dashboard/upgrade',
      says: ['Pro', 'ended on 4 Feb 2026'],
    },
  ],
  [
    'history that is ready',
    { template: 'history_ready', ...HOURS, missing: 0 },
    {
      subject: 'Your history is ready',
      path: '/dashboard/historical/orders',
      says: ['order 482913377', '4 Feb 2026, 12:00 UTC to 5 Feb 2026, 12:00 UTC', 'for 30 days'],
    },
  ],
  [
    'history that lacks hours',
    { template: 'history_failed', ...HOURS, missing: 2 },
    {
      subject: 'Your Pairwire order is incomplete',
      path: '/dashboard/historical/orders',
      says: ['2 hours of order 482913377', 'get your money back'],
    },
  ],
]

const write = (letter: Letter, publicUrl = 'https://pairwire.example') =>
  renderMail({ id: 'id', to: 'mara@example.com', letter, createdAt: new Date(0) }, publicUrl)

describe('renderMail', () => {
  it.each(LETTERS)(
    'says the same of %s as plain text and as HTML, with its link in both',
    async (_, letter, expected) => {
      const { subject, link, text, html } = await write(letter)

      expect(subject).toBe(expected.subject)
      expect(link).toBe(`https://pairwire.example${expected.path}`)
      expect(text.split('\n')).toContain(link)
      expect(html).toContain(`href="${link}"`)
      for (const words of expected.says) {
        expect(text.replaceAll(/\s+/g, ' ')).toContain(words)
        expect(html.replaceAll('<!-- -->', '').replaceAll(/\s+/g, ' ')).toContain(words)
      }
    },
  )

  it.each(LETTERS)(
    'names the service and shows its colours, and not ours, in the mail of %s',
    async (_, letter) => {
      const brand = { ...PAIRWIRE, name: 'Acme & Co', isOwn: true, accent: '#0A58CA', accentDark: '#6EA8FE' }
      const mail = { id: 'id', to: 'mara@example.com', letter, createdAt: new Date(0) }

      const { subject, text, html } = await renderMail(mail, 'https://acme.example', brand)

      expect(`${subject}${text}${html}`).not.toMatch(/pairwire|00627a|5cc8de|\{\{/i)
      expect(html).toContain('>Acme &amp; Co<')
      expect(html).toContain('#0A58CA')
      if (letter.template !== 'history_ready') expect(subject).toContain('Acme & Co')
    },
  )

  it.each(LETTERS)(
    'loads nothing from the network in the mail of %s, and runs nothing',
    async (_, letter) => {
      const { html, link } = await write(letter)

      expect(html).not.toMatch(
        /<(script|img|link|iframe|object|form|video|audio)\b|url\(|@import|@font-face|\bsrc=/i,
      )
      const addresses = [...html.matchAll(/https?:\/\/[^"'<\s]+/g)].map(([address]) => address)
      expect(new Set(addresses.filter((address) => !address.startsWith('http://www.w3.org/')))).toEqual(
        new Set([link]),
      )
    },
  )

  it.each(LETTERS)('has dark colours for the mail of %s', async (_, letter) => {
    const { html } = await write(letter)

    expect(html).toContain('<meta name="color-scheme" content="light dark"/>')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html).toContain('[data-ogsc]')
  })

  it('has no colours but those of the design', async () => {
    const tokens = readFileSync(new URL('../../../../design/tokens.css', import.meta.url), 'utf8')
    const known = new Set(tokens.toLowerCase().match(/#[0-9a-f]{6}\b/g))

    const { html } = await write(LETTERS[0]![1])
    const used = html.toLowerCase().match(/#[0-9a-f]{6}\b/g) ?? []

    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((colour) => !known.has(colour))).toEqual([])
  })

  it('renders the same mail in every attempt', async () => {
    expect(await write(LETTERS[0]![1])).toEqual(await write(LETTERS[0]![1]))
  })

  it('takes a public address that ends in a slash', async () => {
    const { link } = await write({ template: 'login', token: 't' }, 'https://pairwire.example/')

    expect(link).toBe('https://pairwire.example/dashboard/login?t=t')
  })

  it('escapes whatever a token holds', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 1 }), async (token) => {
        const { link, html, text } = await write({ template: 'login', token })

        expect(new URL(link).searchParams.get('t')).toBe(token)
        expect(html).toContain(`href="${escapedHtml`${link}`.text.replaceAll('&#39;', '&#x27;')}"`)
        expect(text).toContain(link)
      }),
      { numRuns: 30, examples: [['"><script>alert(1)</script>'], ['a+b/c=&<'], ["'"]] },
    )
  })
})
