import { createPublicFetch } from '@pairwire/public-fetch'
import sharp from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'
import { drawToken } from '../token-files/draw-token.ts'

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const OTHER = 'So11111111111111111111111111111111111111112'
const PREFIX = 'http://localhost:23000/dev/tokens/'
const own = { prefix: PREFIX, address: '127.0.0.1', port: 0 }
const token = {
  ...{ name: 'Maple Otter', symbol: 'OTTER', logo: null, decimals: 6 },
  ...{ launchpad: null, firstSeen: null },
}
const anApi = (isLocal = true, isMadeUp = true) =>
  createApiUnderTest({
    ...{ accounts: NO_ACCOUNTS, isLocal, simulated: isMadeUp, ownPages: own },
    lookUpTokens: async ([mint]) => ({ [mint!]: mint === MINT ? token : null }),
  })

describe('pages of made-up tokens', () => {
  const open: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close()
  })

  it('name the token, its picture and its links', async () => {
    const { app } = await anApi()

    const answer = await app.inject({ url: `/dev/tokens/${MINT}.json`, headers: { host: 'localhost:23000' } })

    expect(answer.json()).toMatchObject({
      name: 'Maple Otter',
      symbol: 'OTTER',
      image: `${PREFIX}${MINT}.png`,
      website: 'https://mapleotter.example/',
    })
  })

  it('are fetched like those of strangers, and their pictures drawn', async () => {
    const { app } = await anApi()
    open.push(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    const prefix = `http://localhost:${port}/dev/tokens/`
    const fetchPublic = createPublicFetch({
      resolve: async () => Promise.reject(new Error('Nobody is asked for a name.')),
      ...{ sizeLimit: 10_000, accept: 'image/png', own: { ...own, prefix, port } },
    })

    const picture = await fetchPublic(new URL(`${prefix}${MINT}.png`))

    expect(picture).toEqual(drawToken(MINT))
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 96, height: 96 })
    expect(drawToken(OTHER)).not.toEqual(picture)
  })

  it.each([`${OTHER}.json`, `${OTHER}.png`, `${MINT}.txt`, MINT])('do not exist at %s', async (name) => {
    const { app } = await anApi()

    const { statusCode } = await app.inject({ url: `/dev/tokens/${name}`, headers: { host: 'localhost' } })

    expect([302, 404]).toContain(statusCode)
  })

  it('exist for this machine only, and only for a simulated chain', async () => {
    for (const { app } of [await anApi(false), await anApi(true, false)]) {
      const { statusCode } = await app.inject({
        url: `/dev/tokens/${MINT}.json`,
        headers: { host: 'localhost' },
      })
      expect([302, 404]).toContain(statusCode)
    }
  })
})
