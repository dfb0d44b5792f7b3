import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'
import { createRecaptchaCaptcha } from './captcha-recaptcha.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

describe('reCAPTCHA', () => {
  it('asks the provider with secret, token and address', async () => {
    const provider = await startProvider('{"success":true,"hostname":"pairwire.example"}')
    const captcha = createRecaptchaCaptcha({ siteKey: 'site', secret: 'the-secret', verifyUrl: provider.url })

    await captcha.verify('the-token', '192.0.2.7')

    expect(provider.asked).toEqual(['secret=the-secret&response=the-token&remoteip=192.0.2.7'])
  })

  it('refuses a token that the provider refuses', async () => {
    const provider = await startProvider('{"success":false,"error-codes":["timeout-or-duplicate"]}')
    const captcha = createRecaptchaCaptcha({ siteKey: 'site', secret: 'x', verifyUrl: provider.url })

    await expect(captcha.verify('old', '192.0.2.7')).rejects.toMatchObject({ errorType: 'CAPTCHA_FAILED' })
  })

  it('refuses an empty token without asking the provider', async () => {
    const provider = await startProvider('{"success":true}')
    const captcha = createRecaptchaCaptcha({ siteKey: 'site', secret: 'x', verifyUrl: provider.url })

    await expect(captcha.verify('', '192.0.2.7')).rejects.toMatchObject({ errorType: 'CAPTCHA_FAILED' })
    expect(provider.asked).toEqual([])
  })

  it.each(['not JSON', '{}', '{"success":"yes"}', '[]'])(
    'is unavailable when the answer is %s',
    async (body) => {
      const provider = await startProvider(body)
      const captcha = createRecaptchaCaptcha({ siteKey: 'site', secret: 'x', verifyUrl: provider.url })

      await expect(captcha.verify('token', '192.0.2.7')).rejects.toMatchObject({
        errorType: 'ERR_UNAVAILABLE',
      })
    },
  )

  it('is unavailable when the provider does not answer in time', async () => {
    const provider = await startProvider(undefined)
    const captcha = createRecaptchaCaptcha({
      siteKey: 'site',
      secret: 'x',
      verifyUrl: provider.url,
      timeoutMs: 50,
    })

    await expect(captcha.verify('token', '192.0.2.7')).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
  })

  it('guards the register call', async () => {
    const provider = await startProvider('{"success":true}')
    const captcha = createRecaptchaCaptcha({ siteKey: 'site', secret: 'x', verifyUrl: provider.url })
    const login = { email: 'mara@example.com', token: 'x', expiresAt: new Date(0) }
    const { register } = await createApiUnderTest({
      captcha,
      accounts: { ...NO_ACCOUNTS, register: async () => login },
    })

    const answer = await register({ recaptcha_token: 'the-token' })

    expect(answer.statusCode).toBe(200)
    expect(provider.asked).toHaveLength(1)
  })
})

/** A test double of the provider on this machine; without a body it never answers. */
async function startProvider(body: string | undefined) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (bytes) => {
      text += bytes
    })
    request.on('end', () => {
      asked.push(text)
      if (body !== undefined) response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`, asked }
}
