import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApiParts } from '../../parts.ts'
import { createApiUnderTest } from '../../testing/api-under-test.ts'
import { answerTool } from '../run-verb.ts'

/** The app, tokens made by the tool, and calls with them. */
async function createUnderTest(over: Partial<ApiParts> = {}) {
  const under = await createApiUnderTest(over)
  let made = 0
  const tool = async (verb: string, input: Record<string, unknown>) => {
    const rows: Record<string, unknown>[] = []
    const request = { verb, input, as: 'rows', actor: 'root' } as never
    for await (const said of answerTool(request, under.parts)) if ('row' in said) rows.push(said.row as never)
    return rows
  }
  const add = async (allowed: Record<string, unknown> = {}) => {
    const [row] = await tool('token add', { name: `shop ${made++} ${randomUUID().slice(0, 8)}`, ...allowed })
    return row as { name: string; token: string }
  }
  const call = (token: string, path: string, payload: object = {}, headers = {}) =>
    under.app.inject({
      ...{ method: 'POST', url: `/api/operator/${path}`, payload },
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
  const outcome = async (...args: Parameters<typeof call>) => {
    const answer = await call(...args)
    return [answer.statusCode, answer.json().errorType]
  }
  return { ...under, add, call, outcome, tool }
}

describe('a token of a program', () => {
  it('is shown once, kept as a hash, listed and removed', async () => {
    const { add, call, outcome, tool, accounts } = await createUnderTest()
    const made = await add({
      verbs: ' account  plan,account show',
      from: '192.0.2.0/24',
      until: '2999-01-01',
    })

    expect(made).toEqual({
      ...{ name: made.name, verbs: ['account plan', 'account show'], from: '192.0.2.0/24' },
      ...{ until: '2999-01-01T00:00:00.000Z', token: expect.stringMatching(/^pwo_[\w-]{43}$/) },
    })
    const { token, ...kept } = made
    const listed = await tool('token list', {})
    expect(listed).toContainEqual({ ...kept, createdAt: expect.any(String) })
    expect(JSON.stringify([listed, await accounts.listActs({}, 9)])).not.toContain(token)
    await expect(add({ name: made.name })).rejects.toMatchObject({ errorType: 'ERR_CONFLICT' })
    const { name, token: other } = await add()
    expect((await call(other, 'status/list')).statusCode).toBe(200)
    await tool('token remove', { name })
    expect(await outcome(other, 'status/list')).toEqual([401, 'ERR_LOGIN_REQUIRED'])
    await expect(tool('token remove', { name })).rejects.toMatchObject({ errorType: 'ERR_NOT_FOUND' })
  })

  it('is refused with verbs that no program may use, addresses that are none, or an end that is past', async () => {
    const { add, clock } = await createUnderTest()

    for (const verbs of ['operator add', 'token add', 'account shoe', 'account show,', ''])
      await expect(add({ verbs }), verbs).rejects.toThrow('is no verb that a token may use')
    await expect(add({ from: '192.0.2.0/99' })).rejects.toThrow('--from: "192.0.2.0/99" is no address')
    const until = new Date(clock.now).toISOString()
    await expect(add({ until })).rejects.toThrow('A token ends in the future.')
  })

  it('reads and exports nothing, unless it names verbs: then it uses these', async () => {
    const { add, email, outcome, call } = await createUnderTest()
    const reads = (await add()).token
    const sells = (await add({ verbs: 'account create,account delete,account list' })).token
    const csv = { accept: 'text/csv' }

    expect(await outcome(reads, 'account/create', { emails: [email] })).toEqual([403, 'ERR_FORBIDDEN'])
    expect(await outcome(reads, 'account/list', {}, csv)).toEqual([403, 'ERR_FORBIDDEN'])
    expect(await outcome(reads, 'account/list')).toEqual([200, undefined])
    expect(await outcome(sells, 'status/list')).toEqual([403, 'ERR_FORBIDDEN'])
    expect(await outcome(sells, 'account/create', { emails: [email] })).toEqual([200, undefined])
    expect(await outcome(sells, 'account/create', { emails: 'x' })).toEqual([400, 'ERR_VALIDATION'])
    expect(await outcome(sells, 'account/shoe')).toEqual([404, 'ERR_NOT_FOUND'])
    expect((await call(sells, 'account/list', { search: email }, csv)).payload).toContain(email)
    // Grave, and no code.
    expect(await outcome(sells, 'account/delete', { who: email })).toEqual([200, undefined])
  })

  it('is shown a key whole if it names the verb, and else by its first and last characters', async () => {
    const { accounts, add, call, email } = await createUnderTest()
    const { APIKey } = (await accounts.createAccount(email)).account.user
    const shownTo = async (allowed: Record<string, unknown>) =>
      (await call((await add(allowed)).token, 'account/show', { who: email })).json().rows[0].user.APIKey

    expect(await shownTo({ verbs: 'account show' })).toBe(APIKey)
    expect(await shownTo({})).toBe(`${APIKey.slice(0, 4)}…${APIKey.slice(-2)}`)
  })

  it('is none once it has expired, in another form of the header, or if it was guessed', async () => {
    const { add, clock, outcome } = await createUnderTest()
    const { token } = await add({ until: new Date(clock.now + 60_000).toISOString() })

    expect(await outcome(token, 'status/list')).toEqual([200, undefined])
    for (const wrong of [` ${token}`, `${token}x`, token.slice(0, -1), `pwo_${'a'.repeat(43)}`])
      expect(await outcome(wrong, 'status/list'), wrong).toEqual([401, 'ERR_LOGIN_REQUIRED'])
    clock.now += 60_000
    expect(await outcome(token, 'status/list')).toEqual([401, 'ERR_LOGIN_REQUIRED'])
  })

  it('works from where it allows, whatever ADMIN_ALLOW says, and on both hosts of ADMIN_URL', async () => {
    const { app, add, outcome } = await createUnderTest({
      ...{ adminAllow: '198.51.100.7', adminUrl: 'https://ops.example', publicUrl: 'https://stream.example' },
      production: true,
    })
    const anywhere = (await add()).token
    const elsewhere = (await add({ from: '192.0.2.0/24' })).token

    for (const host of ['ops.example', 'stream.example']) {
      expect(await outcome(anywhere, 'status/list', {}, { host }), host).toEqual([200, undefined])
      expect(await outcome(elsewhere, 'status/list', {}, { host }), host).toEqual([403, 'ERR_FORBIDDEN'])
      // Beside its calls the room stays an unknown path.
      expect(await outcome(anywhere, 'session/end', {}, { host }), host).toEqual([404, 'ERR_NOT_FOUND'])
      const authorization = `Bearer ${anywhere}`
      const page = await app.inject({ url: '/admin', headers: { host, authorization } })
      expect([page.statusCode, page.headers.location], host).toEqual([302, '/404'])
    }
  })

  it('is used 120 times a minute, and an address tries as many that are none', async () => {
    const { add, clock, outcome } = await createUnderTest()
    const [one, other] = [(await add()).token, (await add()).token]
    const wrong = `pwo_${'a'.repeat(43)}`
    for (let count = 0; count < 120; count++) {
      expect((await outcome(one, 'status/list'))[0]).toBe(200)
      expect((await outcome(wrong, 'status/list'))[0]).toBe(401)
    }

    expect(await outcome(one, 'status/list')).toEqual([429, 'ERR_RATE_LIMITED'])
    expect(await outcome(wrong, 'status/list')).toEqual([429, 'ERR_RATE_LIMITED'])
    expect(await outcome(other, 'status/list')).toEqual([200, undefined])
    clock.now += 60_000
    expect(await outcome(one, 'status/list')).toEqual([200, undefined])
  })
})
