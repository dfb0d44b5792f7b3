import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const PATHS = ['/dev/mail', '/dev/mail.json', '/sandbox/checkout/none', '/sandbox/portal/none', '/metrics']

/** Headers that common proxies add. */
const FORWARDED = [
  { 'x-forwarded-for': '192.0.2.1' },
  { 'x-forwarded-host': 'localhost' },
  { 'X-Forwarded-Proto': 'https' },
  { forwarded: 'for=192.0.2.1' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '127.0.0.1' },
  { 'cf-connecting-ip': '192.0.2.1' },
  { 'x-forwarded-for': '' },
]

const FOREIGN_HOSTS = [
  'stream.example',
  'localhost.stream.example',
  'localhost@stream.example',
  '127.0.0.1.stream.example:8080',
  '0.0.0.0:8080',
  '[::]:8080',
  '10.0.0.1',
  'localhost, stream.example',
]

// Guards login links and test payments against strangers: the mailbox signs its reader in as any user.
describe('a page for this machine only', () => {
  it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '127.8.9.10', '[::1]:8080'])(
    'exists under the host %s',
    async (host) => {
      const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

      for (const path of ['/dev/mail.json', '/dev/mail', '/metrics']) {
        const { statusCode } = await app.inject({ url: path, headers: { host } })
        expect(statusCode, path).toBe(200)
      }
    },
  )

  it.each(PATHS)('is like any unknown address for everyone else: %s', async (path) => {
    const { app, clock } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const away = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false, clock: () => clock.now })
    const unknown = (await app.inject(`${path.split('/', 2).join('/')}/unknown`)).payload

    const answers = await Promise.all([
      away.app.inject(path),
      app.inject({ url: path, remoteAddress: '192.0.2.7' }),
      ...FORWARDED.map((headers) => app.inject({ url: path, headers })),
      ...FOREIGN_HOSTS.map((host) => app.inject({ url: path, headers: { host } })),
    ])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 404))
    for (const { payload } of answers) expect(payload).toBe(unknown)
  })

  it.each(['/sandbox/checkout/none', '/sandbox/portal/none'])(
    'accepts nothing from anyone else either: POST %s',
    async (url) => {
      const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

      const answer = await app.inject({
        method: 'POST',
        url,
        headers: { 'x-forwarded-for': '192.0.2.1' },
        payload: { outcome: 'pay' },
      })

      expect(answer.statusCode).toBe(404)
    },
  )

  it('does not exist behind a proxy that adds no header, speaks HTTP/1.0 and requests localhost, nor for a request with two hosts', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const ask = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\nConnection: close\r\n\r\n`))
        let answer = ''
        socket.on('data', (bytes) => {
          answer += bytes
        })
        socket.on('end', () => resolve(answer.split(' ', 2)[1] ?? ''))
        socket.on('error', reject)
      })

    expect(await ask('GET /dev/mail.json HTTP/1.1\r\nHost: localhost')).toBe('200')
    expect(await ask('GET /dev/mail.json HTTP/1.0\r\nHost: localhost')).toBe('404')
    expect(await ask('GET /dev/mail.json HTTP/1.1\r\nHost: localhost\r\nHost: evil.example')).toBe('404')
    expect(await ask('GET http://stream.example/dev/mail.json HTTP/1.1\r\nHost: localhost')).toBe('302')
    await app.close()
  })

  it('does not trust even a trusted proxy that claims to be this machine', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, trustProxy: ['127.0.0.1'] })

    const answer = await app.inject({ url: '/dev/mail.json', headers: { 'x-forwarded-for': '127.0.0.1' } })

    expect(answer.statusCode).toBe(404)
  })

  it('is not named in the settings of a page that others see', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const here = await app.inject('/api/config')
    const there = await app.inject({ url: '/api/config', headers: { host: 'stream.example' } })

    expect(here.json()).toHaveProperty('devMailbox', '/dev/mail')
    expect(there.json()).not.toHaveProperty('devMailbox')
  })
})
