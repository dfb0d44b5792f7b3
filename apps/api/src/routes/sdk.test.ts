import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

describe('the SDK', () => {
  it('200 lists its version and its files, each exactly as served', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const { version, files } = (await app.inject('/sdk')).json()

    expect(version).toBe('0.2.0')
    expect(files).not.toHaveLength(0)
    for (const { name, bytes, sha256 } of files) {
      const { statusCode, headers, rawPayload } = await app.inject(`/sdk/${name}`)
      expect([statusCode, rawPayload.length]).toEqual([200, bytes])
      expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(sha256)
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
    }
  })

  it('serves a page’s modules as scripts', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const { headers } = await app.inject('/sdk/pairwire.js')

    expect(headers['content-type']).toMatch(/^(text|application)\/javascript/)
  })

  it.each(['/sdk/pairwire.rs', '/sdk/index.json'])('404 in JSON at %s', async (url) => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject(url)

    expect([answer.statusCode, answer.json().errorType]).toEqual([404, 'ERR_NOT_FOUND'])
  })
})
