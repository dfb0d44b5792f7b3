import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS, theApp, theDocs } from '../testing/api-under-test.ts'

describe('the web app', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/account?s=subscription',
    '/dashboard/console',
    '/dashboard/login?t=x',
    '/dashboard/register',
    '/dashboard/upgrade',
    '/dashboard/help',
    '/dashboard/historical/orders',
    '/logout',
  ])('is sent at %s, to be revalidated each time', async (url) => {
    const app = await theApp()

    const answer = await app.inject(url)

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.payload).toContain('<div id="root">')
  })

  it('is sent with status 404 at /404', async () => {
    const app = await theApp()

    const answer = await app.inject('/404')

    expect(answer.statusCode).toBe(404)
    expect(answer.payload).toContain('<div id="root">')
  })

  it('describes itself for shared links, with its picture by an absolute address', async () => {
    const app = await theApp()

    for (const url of ['/dashboard', '/docs/swaps']) {
      const { payload } = await app.inject(url)
      expect(payload, url).toMatch(/<meta property="og:image" content="https?:\/\/[^"]+\/card.png"/)
    }
  })

  it('begins at /dashboard', async () => {
    const app = await theApp()

    const answer = await app.inject('/')

    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/dashboard')
  })

  it.each([
    '/nowhere',
    '/dashboard/nowhere',
    '/dashboard/account/deeper',
    '/index.html',
    '/login',
    '/apis',
    '/..%2f',
  ])('sends the unknown path %s to /404', async (url) => {
    const app = await theApp()

    const answer = await app.inject({ url, headers: { accept: 'text/html' } })

    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/404')
  })

  it('passes the requested path to /404 only, for seconds, without its query', async () => {
    const app = await theApp()

    const answer = await app.inject('/nowhere/%3Bx%0d%0a?t=secret')

    expect(answer.headers['set-cookie']).toBe(
      'asked=%2Fnowhere%2F%253Bx%250d%250a; Path=/404; Max-Age=10; SameSite=Lax',
    )
    expect((await app.inject(`/${'x'.repeat(4_000)}`)).headers['set-cookie']).toHaveLength(245)
  })

  it('sends an address that cannot be read to /404', async () => {
    const app = await theApp()

    const answer = await app.inject('/dashboard/%zz')

    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/404')
  })

  it('shows the requested path, as the dashboard does, below a reserved path', async () => {
    const app = await theApp()

    const { payload } = await app.inject({
      url: "/docs/it's&nothing?t=secret",
      headers: { accept: 'text/html' },
    })

    expect(payload).toContain('There is nothing at <bdi class="address">/docs/it&#39;s&amp;nothing</bdi>')
    expect(payload).not.toContain('secret')
  })

  it.each([
    '/frame/nothing',
    '/dev/nothing',
    '/docs/nothing',
    '/docs/errors/nothing',
    '/docs/assets/nothing.js',
    '/status/nothing',
    '/sandbox/x',
    '/img/x',
  ])('answers 404 itself below a reserved path: %s', async (url) => {
    const app = await theApp()

    const page = await app.inject({ url, headers: { accept: 'text/html' } })
    const other = await app.inject(url)

    expect(page.statusCode).toBe(404)
    expect(page.payload).toContain('Page not found')
    expect(other.statusCode).toBe(404)
    expect(other.json().errorType).toBe('ERR_NOT_FOUND')
  })

  it.each([
    ['text/html;q=0, application/json', false],
    ['text/html; level=1 ; q=0.000', false],
    ['application/json, Text/HTML;q=0.1', true],
    ['text/html, application/json;q=0', true],
  ])('shows a page below a reserved path only to a client that takes one: %s', async (accept, isShown) => {
    const app = await theApp()

    const answer = await app.inject({ url: '/docs/nothing', headers: { accept } })

    expect(answer.headers['content-type']).toMatch(isShown ? /^text\/html/ : /^application\/json/)
  })

  it('answers 404 to a call that does not read a page', async () => {
    const app = await theApp()

    const answer = await app.inject({ method: 'POST', url: '/dashboard' })

    expect(answer.statusCode).toBe(404)
    expect(answer.json().errorType).toBe('ERR_NOT_FOUND')
  })
})

describe('files of the web app', () => {
  it('may be cached for ever below /assets', async () => {
    const app = await theApp()

    const answer = await app.inject('/assets/index-abc123.js')

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers['content-type']).toMatch(/javascript/)
    expect(answer.payload).toBe('export {}')
  })

  it('are sent compressed to clients that accept it', async () => {
    const app = await theApp()

    const answer = await app.inject({
      url: '/assets/index-abc123.js',
      headers: { 'accept-encoding': 'gzip, br' },
    })

    expect(answer.headers['content-encoding']).toBe('br')
    expect(answer.headers['content-type']).toMatch(/javascript/)
    expect(answer.headers.vary).toMatch(/accept-encoding/i)
    expect(answer.payload).toBe('brotli bytes')
  })

  it('give a client their length when it asks for a range beyond their end', async () => {
    const app = await theApp()
    const rangeOf = (range: string) => app.inject({ url: '/assets/index-abc123.js', headers: { range } })

    const answer = await rangeOf('bytes=9-')

    expect(answer.statusCode).toBe(416)
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes */9', 'content-length': '0' })
    expect(answer.payload).toBe('')
    expect(await rangeOf('bytes=7-20')).toMatchObject({ statusCode: 206, payload: '{}' })
  })

  it('exist beside the page too, to be revalidated each time', async () => {
    const app = await theApp()

    const answer = await app.inject('/theme.js')

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-cache')
  })

  it.each([
    '/assets/missing.js',
    '/assets/',
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/%00',
    '/assets/..\\index.html',
  ])('are 404 and no page if missing or outside: %s', async (url) => {
    const app = await theApp()

    const answer = await app.inject({ url, headers: { accept: 'text/html' } })

    expect([302, 400, 404]).toContain(answer.statusCode)
    expect(answer.payload).not.toContain('<')
  })

  it('are not needed: without them the API and its own pages work', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, docs: theDocs(), webRoot: undefined })

    expect((await app.inject('/dashboard')).headers.location).toBe('/404')
    expect((await app.inject('/404')).statusCode).toBe(404)
    expect((await app.inject('/docs')).statusCode).toBe(200)
  })

  it('must be built if they are configured', async () => {
    await expect(createApiUnderTest({ accounts: NO_ACCOUNTS, webRoot: '/nonexistent' })).rejects.toThrow(
      'is not built',
    )
  })
})
