import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS, theDocs } from '../testing/api-under-test.ts'

const PAGES = [
  '/healthz',
  '/readyz',
  '/status',
  '/status.json',
  '/docs',
  '/docs/swaps',
  '/docs/self-hosting',
  '/docs/many-machines',
  '/docs/search.json',
  '/docs/openapi.json',
  '/docs/errors/not-found',
  '/docs/nowhere',
  '/docs/assets/pages.css',
  '/llms.txt',
  '/dashboard',
  '/404',
  '/nowhere',
  '/api/config',
  '/api/systemstatus',
  '/api/captcha',
  '/api/nowhere',
]

// Guards keys: the embedded database runs one query at a time, and a stranger must not cause any.
describe('pages that anyone may open', () => {
  it.each(PAGES)('query no database: %s', async (url) => {
    const asked: string[] = []
    const accounts = new Proxy(NO_ACCOUNTS, {
      get: (target, verb, receiver) => {
        if (typeof verb === 'string') asked.push(verb)
        return Reflect.get(target, verb, receiver)
      },
    })
    const { app } = await createApiUnderTest({ accounts, docs: theDocs() })
    // A start makes these queries, then shares the results.
    asked.length = 0

    for (const accept of ['text/html', 'application/json']) {
      const { statusCode } = await app.inject({ url, headers: { accept } })
      expect(statusCode).toBeLessThan(500)
    }

    expect(asked).toEqual([])
  })

  it('show a notice as soon as the board is refreshed, and keep it while the database is away', async () => {
    let notices = [
      {
        details: 'Tea at five.',
        id: 1,
        kind: 'notice' as const,
        startsAt: null,
        endsAt: null,
        createdAt: new Date(),
        clearedAt: null,
      },
    ]
    const accounts = {
      ...NO_ACCOUNTS,
      listNotices: async () => {
        if (notices.length === 0) throw new Error('away')
        return notices
      },
    }
    const { app, refreshNotices, logged } = await createApiUnderTest({ accounts, docs: theDocs() })
    notices = []
    await refreshNotices()

    expect((await app.inject('/api/systemstatus')).json()[0].Details).toContain('Tea at five.')
    expect((await app.inject('/docs')).payload).toContain('Tea at five.')
    expect(logged).toEqual([expect.stringContaining('The notices could not be read')])
  })
})
