import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ApiParts } from '../../parts.ts'
import { createApiUnderTest, NO_ACCOUNTS, SESSION_SECRET } from '../../testing/api-under-test.ts'
import { startDns } from '../../testing/dns-double.ts'
import { findWith, PUBLIC_HOST } from '../../testing/doctor-under-test.ts'
import { aCertificate, startProxy } from '../../testing/proxy-double.ts'

const HOST = 'stream.example'
const CLIENT = '203.0.113.9'
let good: ReturnType<typeof aCertificate>
let ending: ReturnType<typeof aCertificate>
beforeAll(() => {
  good = aCertificate(HOST, 90)
  ending = aCertificate(HOST, 3)
})

/** The service behind a proxy with TLS, and what the checks find at this address. */
async function setUp({
  certificate = good,
  ca = certificate.cert,
  proxy = {},
  secret = SESSION_SECRET,
  records = { [`A ${HOST}`]: ['127.0.0.1'] },
  ...over
}: Partial<ApiParts> & {
  certificate?: ReturnType<typeof aCertificate>
  ca?: string | undefined
  proxy?: Parameters<typeof startProxy>[2]
  secret?: Uint8Array
  records?: Record<string, string[]>
} = {}) {
  const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, ...over })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const port = await startProxy(certificate, (app.server.address() as AddressInfo).port, proxy)
  const nameServers = [await startDns(records)]
  const environment = { ...PUBLIC_HOST, PUBLIC_URL: `https://${HOST}:${port}` }
  return (check: 'address' | 'proxy') =>
    findWith(check, environment, { nameServers, ca, sessionSecret: () => secret })
}

describe('the check of the address', () => {
  it('is content with a name that leads here by a certificate that lasts', async () => {
    const find = await setUp()

    expect(await find('address')).toMatchObject({
      state: 'ok',
      sentence: expect.stringMatching(
        /^https:\/\/stream\.example:\d+ leads to this deployment and its certificate is good for 90 days\.$/,
      ),
    })
  })

  it('names a certificate that ends in three days', async () => {
    expect(await (await setUp({ certificate: ending }))('address')).toMatchObject({
      state: 'warn',
      sentence: 'The certificate at 127.0.0.1 ends in 3 days.',
      fix: expect.stringMatching(/^Renew it now/),
    })
  })

  it('names a certificate that nobody vouches for, or of another host', async () => {
    const fix = expect.stringMatching(/^Let the proxy get a certificate for stream\.example/)
    const other = aCertificate('other.example', 90)

    expect(await (await setUp({ ca: other.cert }))('address')).toMatchObject({ state: 'fail', fix })
    expect(await (await setUp({ certificate: other }))('address')).toMatchObject({ state: 'fail', fix })
  })

  it('names a name that leads nowhere, or to another deployment', async () => {
    const find = await setUp({ records: {} })
    expect(await find('address')).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Add an A or AAAA/),
    })

    const away = await setUp({ records: { [`A ${HOST}`]: ['127.0.0.1', '127.0.0.2'] } })
    expect(await away('address')).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('at 127.0.0.2: ECONNREFUSED'),
      fix: expect.stringContaining('correct the DNS record'),
    })

    const foreign = await setUp({ secret: new Uint8Array(32).fill(9) })
    expect(await foreign('address')).toMatchObject({
      state: 'fail',
      sentence: 'What answers at 127.0.0.1 is not this deployment.',
      fix: expect.stringContaining('SESSION_SECRET'),
    })
  })

  it('only warns of a service on this machine that does not run yet', async () => {
    expect(await findWith('address', { PORT: '1' })).toMatchObject({
      state: 'warn',
      fix: 'Start it with npm start.',
    })
    expect(await findWith('proxy', { PORT: '1' })).toMatchObject({ state: 'skipped' })
  })
})

describe('the check of the proxy', () => {
  it('is content if websockets pass and the address of a client arrives', async () => {
    const find = await setUp({ proxy: { forwards: CLIENT }, trustProxy: ['127.0.0.1'] })

    expect(await find('proxy')).toMatchObject({
      state: 'ok',
      sentence: 'Websockets pass, and addresses of clients arrive.',
    })
  })

  it('names the proxies that TRUST_PROXY has to name', async () => {
    const one = await setUp({ proxy: { forwards: CLIENT } })
    expect(await one('proxy')).toMatchObject({
      state: 'fail',
      sentence: 'Every client counts as 127.0.0.1, which is a proxy.',
      fix: 'Set TRUST_PROXY=127.0.0.1 and restart the service.',
    })

    const two = await setUp({ proxy: { forwards: `${CLIENT}, 10.0.0.7` }, trustProxy: ['127.0.0.1'] })
    expect(await two('proxy')).toMatchObject({
      fix: expect.stringContaining('TRUST_PROXY=10.0.0.7,127.0.0.1'),
    })
  })

  it('names a proxy that tells no addresses, and one that passes no websockets', async () => {
    expect(await (await setUp({ trustProxy: ['127.0.0.1'] }))('proxy')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('X-Forwarded-For'),
    })
    const proxy = { forwards: CLIENT, passesWebsockets: false }
    expect(await (await setUp({ proxy, trustProxy: ['127.0.0.1'] }))('proxy')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('proxy_http_version 1.1'),
    })
  })
})

// Guards what a deployment says of its inside: only who knows its secret is told.
it('proves a deployment to everybody, and tells of its proxies only who can prove the same', async () => {
  const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
  const nonce = '0123456789abcdef'.repeat(2)
  const ask = async (path: string) => app.inject(`/.well-known/pairwire/${path}`)

  const { body, headers } = await ask(nonce)

  expect(body).toMatch(/^[0-9a-f]{64}$/)
  expect(headers).toMatchObject({ 'cache-control': 'no-store' })
  expect((await ask(`${nonce}?proof=${body}`)).body).toBe(body)
  for (const proof of ['x', '%C3%A9'.repeat(64), `${body}&proof=${body}`]) {
    expect((await ask(`${nonce}?proof=${proof}`)).body).toBe(body)
  }
  for (const other of ['', 'x', nonce.toUpperCase(), `${nonce}0`]) {
    expect((await ask(other)).body, other).not.toMatch(/^[0-9a-f]{64}$/)
  }
})
