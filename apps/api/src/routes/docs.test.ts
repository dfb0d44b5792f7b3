import { CLOSE_REASONS, PLANS, STREAM_ERROR_TYPES } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { ERROR_PAGES } from '../pages/error-pages.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const PAGES = [
  '/docs',
  '/docs/errors',
  '/docs/terms',
  '/docs/privacy',
  '/docs/disclaimer',
  '/docs/new-tokens',
  '/docs/token-pricing',
]

describe('the docs', () => {
  it.each(PAGES)('stand at %s, with the notice and nothing that the policy forbids', async (url) => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.payload).toContain('Data is simulated.')
    expect(answer.payload.match(/<h1/g)).toHaveLength(1)
    expect(answer.payload).not.toMatch(/<script>|<style| style=| on\w+=/)
  })

  it('name every code, every plan and this deployment’s stream', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const { payload } = await app.inject('/docs')

    for (const code of Object.values(STREAM_ERROR_TYPES)) expect(payload).toContain(`<code>${code}</code>`)
    for (const { code } of Object.values(CLOSE_REASONS)) expect(payload).toContain(`<code>${code}</code>`)
    for (const plan of PLANS) expect(payload).toContain(`$${plan.usdPerMonth}/month`)
    expect(payload).toContain('ws://localhost:23000/')
  })

  it('have a page for every error', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    for (const { name, title } of ERROR_PAGES) {
      const answer = await app.inject(`/docs/errors/${name}`)
      expect(answer.statusCode, name).toBe(200)
      expect(answer.payload).toContain(`<h1>${title}</h1>`)
    }
  })

  it('lead from other spellings of an error to its page', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject('/docs/errors/KEY_UNKNOWN')

    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/docs/errors/key-unknown')
  })

  it('link only to pages and files that are there', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const links = new Set<string>()
    for (const page of [...PAGES, '/status']) {
      const { payload } = await app.inject(page)
      for (const [, link] of payload.matchAll(/(?:href|src)="(\/[^"#]*)/g)) links.add(link!)
    }

    for (const link of links) expect((await app.inject(link)).statusCode, link).toBe(200)
    expect(links.size).toBeGreaterThan(30)
  })

  it('bring the web app’s face', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject('/docs/assets/instrument-sans.woff2')

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('font/woff2')
  })
})
