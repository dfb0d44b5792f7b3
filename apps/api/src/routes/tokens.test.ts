import { WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from '../testing/api-under-test.ts'

const MINT = 'So11111111111111111111111111111111111111112'
const OTHER = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const TOKEN = {
  name: 'Maple Otter',
  symbol: 'OTTER',
  logo: 'https://logo.example/otter.png',
  decimals: 6,
  launchpad: 'pumpfun',
  firstSeen: '2026-11-20T10:00:00.000Z',
}

const ask = ({ app }: ApiUnderTest, mints: string | undefined, token: string | undefined) =>
  app.inject({
    url: mints === undefined ? '/api/tokens' : `/api/tokens?mints=${mints}`,
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })

describe('GET /api/tokens', () => {
  it('200 answers each mint, with null for an unknown token', async () => {
    const asked: (readonly string[])[] = []
    const api = await createApiUnderTest({
      lookUpTokens: async (mints) => {
        asked.push(mints)
        return { [MINT]: TOKEN, [OTHER]: null }
      },
    })

    const answer = await ask(api, `${MINT},${OTHER}`, await api.signIn())

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ tokens: { [MINT]: TOKEN, [OTHER]: null } })
    expect(asked).toEqual([[MINT, OTHER]])
  })

  it('200 accepts a hundred mints, escaped or not', async () => {
    const api = await createApiUnderTest()

    const answer = await ask(api, Array(100).fill(WRAPPED_SOL).join('%2C'), await api.signIn())

    expect(answer.statusCode).toBe(200)
  })

  it('400 for no mints, an invalid mint or more than a hundred', async () => {
    const api = await createApiUnderTest()
    const token = await api.signIn()

    for (const mints of [
      undefined,
      '',
      'abc',
      `${MINT},`,
      `${MINT},__proto__`,
      Array(101).fill(MINT).join(),
    ]) {
      const answer = await ask(api, mints, token)
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toEqual({
        errorType: 'ERR_VALIDATION',
        errorMessage: 'The field mints is missing or does not have the expected form.',
      })
    }
  })

  it('401 without a session', async () => {
    expect((await ask(await createApiUnderTest(), MINT, undefined)).statusCode).toBe(401)
  })
})
