import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BAD_KEY } from '../pages/code-examples-frame.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

describe('the code examples frame', () => {
  it('shows five languages, three samples, the email and the joined date to the owner of a key', async () => {
    const { app, accounts, email } = await createApiUnderTest()
    const { account } = await accounts.createAccount(email)

    const answer = await app.inject(`/frame/code-examples?key=${account.user.APIKey}`)

    expect(answer.statusCode).toBe(200)
    expect(answer.payload.match(/role="tab"/g)).toHaveLength(5)
    expect(answer.payload.match(/<pre /g)).toHaveLength(15)
    expect(answer.payload).toContain(email)
    expect(answer.payload).toContain(`<time datetime="${account.user.CreatedAt}">`)
    expect(answer.payload).toContain('ws://localhost:23000/')
    expect(answer.payload).not.toContain('localhost:8080')
  })

  it('never contains the key, may be framed by our own pages only, and is never cached', async () => {
    const { app, accounts, email, logged } = await createApiUnderTest()
    const { account } = await accounts.createAccount(email)

    const { payload, headers } = await app.inject(`/frame/code-examples?key=${account.user.APIKey}`)

    expect(payload).not.toContain(account.user.APIKey)
    expect(payload).not.toMatch(/<script>|<style|<[^>]* (style|on\w+)=/)
    expect(headers['content-security-policy']).toContain("frame-ancestors 'self'")
    expect(headers['content-security-policy']).toContain("script-src 'self'")
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(logged.join('\n')).not.toContain(account.user.APIKey)
  })

  it.each([
    ['an unknown key', `?key=${randomBytes(16).toString('hex')}`],
    ['a key of another form', '?key=%3Cscript%3E'],
    ['two keys', '?key=a&key=b'],
    ['no key', ''],
  ])('shows one line for %s', async (_what, query) => {
    const { app } = await createApiUnderTest()

    const answer = await app.inject(`/frame/code-examples${query}`)

    expect(answer.statusCode).toBe(401)
    expect(answer.payload).toContain(`<p>${BAD_KEY}</p>`)
    expect(answer.payload).not.toContain('<pre')
    expect(answer.payload).not.toContain('script&gt;')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('shows the same line for a key that was reset', async () => {
    const { app, accounts, email } = await createApiUnderTest()
    const { account, accountId } = await accounts.createAccount(email)
    await accounts.resetKey(accountId)

    const answer = await app.inject(`/frame/code-examples?key=${account.user.APIKey}`)

    expect(answer.payload).toContain(BAD_KEY)
  })

  it('follows ?theme= if it names one', async () => {
    const { app } = await createApiUnderTest()

    const themes = await Promise.all(
      ['dark', 'light', '"><script>'].map((theme) =>
        app.inject(`/frame/code-examples?theme=${encodeURIComponent(theme)}`),
      ),
    )

    expect(themes.map(({ payload }) => /<html[^>]*>/.exec(payload)?.[0])).toEqual([
      '<html lang="en-GB" data-theme="dark">',
      '<html lang="en-GB" data-theme="light">',
      '<html lang="en-GB">',
    ])
  })

  it('says that keys cannot be checked, and logs no key', async () => {
    const { app, logged } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject('/frame/code-examples?key=0123456789abcdef0123456789abcdef')

    expect(answer.statusCode).toBe(503)
    expect(answer.payload).toContain('The key cannot be checked right now.')
    expect(logged.join('\n')).not.toContain('0123456789abcdef')
  })
})
