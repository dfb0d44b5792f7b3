import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApiParts } from '../../parts.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../../testing/api-under-test.ts'
import { readAdminAllow } from './admin-allow.ts'

const HOME = '198.51.100.4'
const AWAY = '203.0.113.9'
const PROXY = '10.0.0.2'

async function appWith(over: Partial<ApiParts>) {
  const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, ...over })
  /** Whether the room answers this request: without a session with 401, else as an unknown path. */
  const isOpen = async (given: InjectOptions) => {
    const { statusCode } = await app.inject({ url: '/api/operator/session', ...given })
    expect([401, 404]).toContain(statusCode)
    return statusCode === 401
  }
  return { app, isOpen }
}

const from = (remoteAddress: string, headers: Record<string, string> = {}) => ({ remoteAddress, headers })

describe('the door of the room', () => {
  it('is open to this machine on a local host, and to nobody else', async () => {
    const local = await appWith({})
    const production = await appWith({
      isLocal: false,
      production: true,
      publicUrl: 'https://pairwire.example',
    })

    expect(await local.isOpen({})).toBe(true)
    expect(await local.isOpen(from(HOME))).toBe(false)
    expect(await local.isOpen({ headers: { 'x-forwarded-for': '127.0.0.1' } })).toBe(false)
    expect(await local.isOpen({ headers: { host: 'rebound.example' } })).toBe(false)
    expect(await production.isOpen({})).toBe(false)
  })

  it('is open to the addresses of ADMIN_ALLOW, as TRUST_PROXY gives them', async () => {
    const plain = await appWith({ adminAllow: `${HOME}, 2001:db8::/32` })
    const proxied = await appWith({ adminAllow: HOME, trustProxy: [PROXY] })

    expect(await plain.isOpen(from(HOME))).toBe(true)
    expect(await plain.isOpen(from(`::ffff:${HOME}`))).toBe(true)
    expect(await plain.isOpen(from('2001:db8::7'))).toBe(true)
    expect(await plain.isOpen(from(AWAY))).toBe(false)
    expect(await plain.isOpen(from(AWAY, { 'x-forwarded-for': HOME }))).toBe(false)
    expect(await plain.isOpen({})).toBe(false)
    expect(await proxied.isOpen(from(PROXY, { 'x-forwarded-for': HOME }))).toBe(true)
    expect(await proxied.isOpen(from(PROXY, { 'x-forwarded-for': AWAY }))).toBe(false)
    expect(await proxied.isOpen(from(PROXY, { 'x-forwarded-for': `${HOME}, ${AWAY}` }))).toBe(false)
  })

  it('takes a proxy that nobody named for neither this machine nor a private network', async () => {
    const { isOpen } = await appWith({ adminAllow: '127.0.0.1, ::1, 10.0.0.0/8' })
    const trusting = await appWith({ adminAllow: '127.0.0.1', trustProxy: ['127.0.0.1'] })

    expect(await isOpen({})).toBe(true)
    expect(await isOpen({ headers: { 'x-real-ip': '127.0.0.1' } })).toBe(false)
    expect(await isOpen({ headers: { forwarded: 'for=127.0.0.1' } })).toBe(false)
    expect(await isOpen(from(PROXY))).toBe(true)
    expect(await isOpen(from(PROXY, { via: '1.1 proxy' }))).toBe(false)
    expect(await trusting.isOpen({ headers: { 'x-forwarded-for': '127.0.0.1' } })).toBe(false)
  })

  it('is open to anybody with any, but shut on a production host without https', async () => {
    const any = { adminAllow: 'any', isLocal: false, production: true }
    const open = await appWith({ ...any, publicUrl: 'https://pairwire.example' })
    const shut = await appWith({ ...any, publicUrl: 'http://pairwire.example' })

    expect(await open.isOpen(from(AWAY, { 'x-forwarded-for': '127.0.0.1' }))).toBe(true)
    expect(await shut.isOpen(from(AWAY))).toBe(false)
  })

  it('is on the host of ADMIN_URL alone, which has nothing else', async () => {
    const adminUrl = 'https://ops.pairwire.example'
    const { app, isOpen } = await appWith({ adminAllow: HOME, adminUrl })
    const host = 'ops.pairwire.example'

    expect(await isOpen(from(HOME, { host }))).toBe(true)
    expect(await isOpen(from(HOME, { host: 'OPS.pairwire.example' }))).toBe(true)
    expect(await isOpen(from(AWAY, { host }))).toBe(false)
    expect(await isOpen(from(HOME, { host: 'pairwire.example' }))).toBe(false)
    for (const url of ['/healthz', '/dashboard', '/docs', '/', '/metrics', '/404']) {
      const there = await app.inject({ url, ...from(HOME, { host }) })
      const elsewhere = await app.inject({ url, ...from(HOME, { host: 'pairwire.example' }) })
      expect([404, 302], url).toContain(there.statusCode)
      if (there.statusCode === 302) expect(there.headers.location, url).toBe('/404')
      expect(elsewhere.headers.location, url).not.toBe('/404')
    }
    const lost = await app.inject({ url: '/404', ...from(HOME, { host }) })
    expect(lost.statusCode, 'a redirect to itself').toBe(404)
  })

  // Guards the room's existence: neither a header nor a body may tell a stranger that it is there.
  it('answers everyone else as any unknown path, header for header', async () => {
    const cases = [
      ['GET', '/api/operator/session', '/api/unknown/session'],
      ['HEAD', '/api/operator/session', '/api/unknown/session'],
      ['POST', '/api/operator/session/link', '/api/unknown/session/link'],
      ['POST', '/api/operator/session/open', '/api/unknown/session/open'],
      ['POST', '/api/operator/account/list', '/api/unknown/account/list'],
      ['PUT', '/api/operator/account/list', '/api/unknown/account/list'],
      ['OPTIONS', '/api/operator/account/list', '/api/unknown/account/list'],
      ['GET', '/admin', '/nidma'],
      ['GET', '/admin/sign-in?t=x', '/nidma/sign-in?t=x'],
      ['GET', '/admin/first.js', '/nidma/first.js'],
      ['GET', '/admin/assets/index-abc123.js', '/nidma/assets/index-abc123.js'],
      ['POST', '/admin', '/nidma'],
    ] as const
    const bodies = [
      { payload: '{}', headers: { 'content-type': 'application/json' } },
      { payload: '{', headers: { 'content-type': 'application/json' } },
      { payload: 'a=b', headers: { 'content-type': 'text/plain' } },
      { payload: 'x'.repeat(70_000), headers: { 'content-type': 'application/json' } },
      { headers: {} },
    ]
    for (const over of [{}, { adminAllow: HOME }, { adminAllow: HOME, adminUrl: 'https://ops.example' }]) {
      const { app, clock } = await createApiUnderTest({ accounts: NO_ACCOUNTS, ...over })
      for (const [method, url, unknown] of cases) {
        for (const body of bodies) {
          clock.now += 60_000
          const hidden = await app.inject({ method, url, remoteAddress: AWAY, ...body })
          clock.now += 60_000
          const known = await app.inject({ method, url: unknown, remoteAddress: AWAY, ...body })

          const plain = ({ statusCode, headers, payload }: typeof hidden) =>
            JSON.stringify([statusCode, { ...headers, date: '' }, payload]).replaceAll('nidma', 'admin')
          expect(plain(hidden), `${method} ${url}`).toBe(plain(known))
        }
      }
    }
  })

  it('shows those inside the room’s page at each of its addresses, and its files, with its own headers', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const get = async (url: string) => {
      const { statusCode, headers, payload } = await app.inject({ url })
      expect(headers['content-security-policy'], url).toMatch(/^default-src 'none'; script-src 'self';/)
      return { statusCode, payload, type: headers['content-type'], kept: headers['cache-control'] }
    }

    for (const url of ['/admin', '/admin/', '/admin/sign-in?t=x', '/admin/people/7']) {
      const page = { statusCode: 200, type: 'text/html; charset=utf-8', kept: 'no-store' }
      expect(await get(url), url).toMatchObject({ ...page, payload: expect.stringContaining('room') })
    }
    expect(await get('/admin/first.js')).toMatchObject({ statusCode: 200, payload: '// first' })
    expect(await get('/admin/assets/index-abc123.js')).toMatchObject({
      payload: 'export {}',
      kept: 'public, max-age=31536000, immutable',
    })
    expect((await app.inject({ url: '/admin/assets/missing.js' })).headers.location).toBe('/404')
  })

  it('answers a stranger behind a proxy over a real socket as any unknown path', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, adminAllow: '127.0.0.1' })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const ask = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        httpRequest({ port, host: '127.0.0.1', path: '/api/operator/session', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })

    expect(await ask({})).toBe(401)
    expect(await ask({ 'x-forwarded-for': '127.0.0.1' })).toBe(404)
    await app.close()
  })
})

describe('ADMIN_ALLOW', () => {
  it.each(['10.0.0.1/33', 'everyone', '', '10.0.0.1,', '10.0.0', '::1/129', 'any, 10.0.0.1', '10.0.0.1/'])(
    'is refused as %j',
    (text) => {
      expect(() => readAdminAllow(text)).toThrow(/^".*" is no address; give addresses/)
    },
  )
})
