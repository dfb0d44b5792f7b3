import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { signIn } from '../session/session.ts'
import { callApi, onSessionEnded } from './http-client.ts'

/** Claims `{}` without an expiry. */
const TOKEN = 'e30.e30.signature'

let sent: { url: string; init: RequestInit } | undefined

beforeEach(() => {
  sent = undefined
  vi.stubGlobal('localStorage', aStorage())
  signIn(TOKEN)
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('a call', () => {
  it('sends JSON and, if required, the session', async () => {
    theServerAnswers(200, '{"a":1}')

    const body = await callApi({ method: 'POST', path: '/api/x' }, { body: { b: 2 }, session: true })

    expect(body).toEqual({ a: 1 })
    expect(sent?.url).toBe('/api/x')
    expect(sent?.init).toMatchObject({
      method: 'POST',
      body: '{"b":2}',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    })
  })

  it('sends no session and no body by default', async () => {
    theServerAnswers(200, '{}')

    await callApi({ method: 'GET', path: '/api/x' })

    expect(sent?.init.headers).toEqual({ accept: 'application/json' })
    expect(sent?.init.body).toBeNull()
  })

  it('gives up after ten seconds', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    theServerAnswers(200, '{}')

    await callApi({ method: 'GET', path: '/api/x' })

    expect(timeout).toHaveBeenCalledWith(10_000)
    expect(sent?.init.signal).toBe(timeout.mock.results[0]?.value)
  })

  it('treats an empty success as one', async () => {
    theServerAnswers(200, '')

    await expect(callApi({ method: 'DELETE', path: '/api/x' })).resolves.toBeUndefined()
  })

  it.each(['OK', ' '])('treats %j as a success without content', async (text) => {
    theServerAnswers(200, text)

    await expect(callApi({ method: 'POST', path: '/api/x' })).resolves.toBeUndefined()
  })

  it('treats a success that is a page as no answer', async () => {
    theServerAnswers(200, '<!doctype html>')

    await expect(callApi({ method: 'GET', path: '/api/x' })).rejects.toMatchObject({
      errorType: 'ERR_UNKNOWN',
      serverMessage: undefined,
    })
  })

  it('treats a broken connection as no answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))

    await expect(callApi({ method: 'GET', path: '/api/x' })).rejects.toMatchObject({
      errorType: 'ERR_UNKNOWN',
      message: 'There was an unexpected error. Please try again.',
    })
  })

  it('uses the status of a failure whose body is not JSON', async () => {
    theServerAnswers(429, 'Too many')

    await expect(callApi({ method: 'GET', path: '/api/x' })).rejects.toMatchObject({
      errorType: 'ERR_RATE_LIMITED',
    })
  })

  // Guards the first read of the account, which begins before anything listens.
  it('reports a session that ended before there was a listener', async () => {
    vi.resetModules()
    const fresh = await import('./http-client.ts')
    theServerAnswers(401, '{}')
    const call = fresh.callApi({ method: 'GET', path: '/api/account' }, { session: true })
    await expect(call).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })

    const ended = vi.fn()
    fresh.onSessionEnded(ended)

    expect(ended).toHaveBeenCalledOnce()
  })

  it('ends the session on a 401 of an authenticated call', async () => {
    const ended = vi.fn()
    onSessionEnded(ended)
    theServerAnswers(401, '{}')

    const call = callApi({ method: 'GET', path: '/api/account' }, { session: true })

    await expect(call).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })
    expect(ended).toHaveBeenCalledOnce()
  })

  // Guards somebody who signed in again in another tab while a call of the session before was under way.
  it('leaves a session alone that began after the call that was answered 401', async () => {
    const ended = vi.fn()
    onSessionEnded(ended)
    theServerAnswers(401, '{}')

    const call = callApi({ method: 'GET', path: '/api/account' }, { session: true })
    signIn('e30.e30.another')

    await expect(call).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })
    expect(ended).not.toHaveBeenCalled()
  })

  it.each([
    ['has expired', 'e30.eyJleHAiOjF9.signature'],
    ['is gone', ''],
  ])('is not sent with a session that %s, and ends it', async (_, token) => {
    const ended = vi.fn()
    onSessionEnded(ended)
    theServerAnswers(200, '{}')
    signIn(token)

    const call = callApi({ method: 'POST', path: '/api/disconnect' }, { session: true })

    await expect(call).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })
    expect(ended).toHaveBeenCalledOnce()
    expect(sent).toBeUndefined()
  })

  it('ends no session on a 401 of a login', async () => {
    const ended = vi.fn()
    onSessionEnded(ended)
    theServerAnswers(401, '{}')

    const call = callApi({ method: 'POST', path: '/api/login' }, { body: {} })

    await expect(call).rejects.toMatchObject({ errorType: 'ERR_LOGIN_REQUIRED' })
    expect(ended).not.toHaveBeenCalled()
  })
})

function theServerAnswers(status: number, body: string): void {
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent = { url, init }
    return new Response(body, { status })
  })
}

function aStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}
