import { afterEach, describe, expect, it, vi } from 'vitest'
import { mailedExchange, mailedExchangeHeard } from './mailed-exchange.ts'

afterEach(() => {
  mailedExchangeHeard()
  vi.unstubAllGlobals()
})

/** A page opened by a mailed link, whose calls are answered at once. */
function openLink(emailToken: string, answer: () => Response): { calls: () => number } {
  const fetch = vi.fn(async () => answer())
  vi.stubGlobal('window', { pairwireLoginToken: emailToken })
  vi.stubGlobal('fetch', fetch)
  return { calls: () => fetch.mock.calls.length }
}

describe('the exchange of a mailed token', () => {
  // A page drawn twice, the second time after the answer, showed the form and the token was lost.
  it('is available to a page drawn again after the answer, and requested once', async () => {
    const { calls } = openLink('mailed', () => Response.json({ token: 'session' }))
    const first = mailedExchange()
    await first

    expect(await mailedExchange()).toBe('session')
    expect(calls()).toBe(1)
  })

  it('is gone once its outcome was received', async () => {
    openLink('mailed', () => Response.json({ token: 'session' }))
    await mailedExchange()
    mailedExchangeHeard()

    expect(mailedExchange()).toBeUndefined()
  })

  it('keeps a failure for the page too, with no unhandled rejection before', async () => {
    openLink('used', () => Response.json({ errorType: 'ERR_LOGIN_REQUIRED' }, { status: 401 }))
    await mailedExchange()?.catch(() => {})

    await expect(mailedExchange()).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })
  })

  it('does not exist on a page that no link opened', () => {
    vi.stubGlobal('window', {})

    expect(mailedExchange()).toBeUndefined()
  })
})
