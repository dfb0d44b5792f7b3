import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const LOGO = 'https://logo.example/a.png'

/** The service with logos whose fetches a test counts. */
async function setUp() {
  const asked: string[] = []
  const logos = {
    get: async (url: string) => {
      asked.push(url)
      return Buffer.from('a picture')
    },
  }
  const api = await createApiUnderTest({ logos })
  return { ...api, asked }
}

describe('POST /api/logos', () => {
  it('200 returns a signed path for a possible logo, the same each time, and null for the rest', async () => {
    const { post, signIn } = await setUp()
    const token = await signIn()

    const urls = [LOGO, 'http://logo.example/a.png', 'javascript:alert(1)', LOGO]
    const { paths } = (await post('/api/logos', { urls }, token)).json()

    expect(paths[0]).toMatch(/^\/img\/logo\?url=https%3A%2F%2Flogo.example%2Fa.png&s=[\w-]{24}$/)
    expect(paths).toEqual([paths[0], null, null, paths[0]])
  })

  it('401 without a session, 400 for more than fifty', async () => {
    const { post, signIn } = await setUp()

    expect((await post('/api/logos', { urls: [LOGO] })).statusCode).toBe(401)
    const many = { urls: new Array(51).fill(LOGO) }
    expect((await post('/api/logos', many, await signIn())).statusCode).toBe(400)
  })
})

describe('GET /img/logo', () => {
  it('200 returns the picture to anybody with the path, and allows caching', async () => {
    const { app, post, signIn, asked } = await setUp()
    const { paths } = (await post('/api/logos', { urls: [LOGO] }, await signIn())).json()

    const answer = await app.inject(paths[0])

    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=604800, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(answer.payload).toBe('a picture')
    expect(asked).toEqual([LOGO])
  })

  it('404, cached briefly, when no logo is available', async () => {
    const { app, post, signIn } = await createApiUnderTest({ logos: { get: async () => undefined } })
    const { paths } = (await post('/api/logos', { urls: [LOGO] }, await signIn())).json()

    const answer = await app.inject(paths[0])

    expect(answer.statusCode).toBe(404)
    expect(answer.headers['cache-control']).toBe('public, max-age=4')
  })

  it('404 without a fetch if the signature is missing, wrong or for another address', async () => {
    const { app, post, signIn, asked } = await setUp()
    const { paths } = (await post('/api/logos', { urls: [LOGO] }, await signIn())).json()

    for (const path of [
      `/img/logo?url=${encodeURIComponent(LOGO)}`,
      `/img/logo?url=${encodeURIComponent(LOGO)}&s=`,
      `/img/logo?url=${encodeURIComponent(LOGO)}&s=${'A'.repeat(24)}`,
      paths[0].replace('a.png', 'b.png'),
      `${paths[0]}&s=x`,
      '/img/logo',
    ]) {
      expect((await app.inject(path)).statusCode, path).toBe(404)
    }
    expect(asked).toEqual([])
  })

  it('404 for paths signed with another secret', async () => {
    const { post, signIn } = await setUp()
    const { paths } = (await post('/api/logos', { urls: [LOGO] }, await signIn())).json()
    const other = await createApiUnderTest({
      accounts: NO_ACCOUNTS,
      sessionSecret: new Uint8Array(32).fill(8),
      logos: { get: async () => Buffer.from('a picture') },
    })

    expect((await other.app.inject(paths[0])).statusCode).toBe(404)
  })
})
