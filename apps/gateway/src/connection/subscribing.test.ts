import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { address, aNewPair, aSwap } from '../testing/events.ts'
import type { TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const wallet = address(50)
const mint = address(51)
const pool = address(52)

describe('a subscribe', () => {
  let stream: TestGateway
  let client: TestClient
  beforeEach(async () => {
    stream = await openGateway({ limits: { requestsPerSecond: 1_000, requestsBurst: 10_000 } })
    client = await stream.connect()
  })
  afterEach(() => stream.close())

  describe('subscribing', () => {
    it('numbers subscriptions from 1, across kinds, and never reuses a number', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await client.ask({ id: 2, method: 'newPairSubscribe' })
      await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })

      const answer = await client.ask({ id: 4, method: 'swapSubscribe' })

      expect(answer.result).toEqual({ subscription_id: 3 })
    })

    it('says in the answer that the data is simulated', async () => {
      const simulated = await openGateway({ source: 'simulator' })
      const client = await simulated.connect()

      const answer = await client.ask({ id: 1, method: 'newPairSubscribe' })

      expect(answer.result).toEqual({ subscription_id: 1, simulated: true })
      await simulated.close()
    })

    it('refuses a second subscription of a kind, and keeps the first', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } })

      const refusal = await client.ask({
        id: 2,
        method: 'swapSubscribe',
        params: { include: { baseTokenMint: [pool] } },
      })
      await stream.publish(aSwap({ baseTokenMint: pool }), aSwap({ baseTokenMint: mint }))

      expect(refusal).toMatchObject({
        id: 2,
        error: {
          code: -32010,
          message: expect.stringContaining('one filter holds all your tokens'),
          data: { errorType: 'ALREADY_SUBSCRIBED', docs: 'https://docs.example/errors/already-subscribed' },
        },
      })
      expect(await client.untilPong()).toMatchObject([{ params: { swap: { baseTokenMint: mint } } }])
    })

    it('understands the exact frames of the Go client', async () => {
      const newPairs = await client.ask(
        '{"id":476058,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true,"include_pumpfun":false},"result":null}',
      )
      const swaps = await client.ask(
        `{"id":521165,"method":"swapSubscribe","params":{"include":{"AmmAccount":null,"WalletAccount":["${wallet}"],"BaseTokenMint":null,"USDValue":10000}},"result":null}`,
      )
      const update = await client.ask(
        `{"id":7,"method":"updateSubscriptionParams","params":{"subscription_id":2,"params":{"include":{"AmmAccount":["${pool}"],"WalletAccount":null,"BaseTokenMint":null,"USDValue":null}}},"result":null}`,
      )
      await stream.publish(
        aNewPair({ sourceExchange: 'pumpfun' }),
        aSwap({ walletAccount: wallet, usdValue: 20_000 }),
        aSwap({ ammAccount: pool }),
      )

      expect([newPairs.result, swaps.result, update.result]).toEqual([
        { subscription_id: 1 },
        { subscription_id: 2 },
        true,
      ])
      expect(await client.untilPong()).toMatchObject([
        { subscription_id: 1, params: { pair: { sourceExchange: 'pumpfun' } } },
        { subscription_id: 2, params: { swap: { ammAccount: pool } } },
      ])
    })

    it('treats an include of only nulls as absent', async () => {
      await client.ask({
        id: 1,
        method: 'swapSubscribe',
        params: { include: { ammAccount: null, USDValue: null } },
      })
      await stream.publish(aSwap())

      expect(await client.next()).toMatchObject({ method: 'swapNotification' })
    })

    it('ignores unknown members, such as a stray api_key', async () => {
      const answer = await client.ask({
        id: 1,
        method: 'swapSubscribe',
        extra: {},
        params: { api_key: 'x', include: { walletAccount: [wallet], note: 1 } },
      })

      expect(answer.result).toEqual({ subscription_id: 1 })
    })

    it.each(['include_launchpad_tokens', 'include_pumpfun', 'include_raydium_launchlab'])(
      'sends pairs on launchpad curves when %s is true',
      async (flag) => {
        await client.ask({ id: 1, method: 'newPairSubscribe', params: { [flag]: true } })
        await stream.publish(
          aNewPair({ sourceExchange: 'pumpfun' }),
          aNewPair({ sourceExchange: 'raydium_launchlab' }),
        )

        expect(await client.untilPong()).toHaveLength(2)
      },
    )

    // Existing bots send the flag next to `params`.
    it.each([
      ['include_launchpad_tokens', {}],
      ['include_pumpfun', { params: null }],
      ['Include_Raydium_LaunchLab', { params: { include_pumpfun: false } }],
    ])('accepts %s next to params too', async (flag, rest) => {
      await client.ask({ id: 1, method: 'newPairSubscribe', [flag]: true, ...rest })
      await stream.publish(aNewPair({ sourceExchange: 'pumpfun' }))

      expect(await client.untilPong()).toHaveLength(1)
    })

    it('by default sends all pairs but those on launchpad curves', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe', params: { include_pumpfun: false } })
      await stream.publish(
        aNewPair({ sourceExchange: 'pumpfun' }),
        aNewPair({ sourceExchange: 'raydium_launchlab' }),
        aNewPair({ sourceExchange: 'pumpswap', migration: 'pumpfun' }),
        aNewPair({ sourceExchange: 'raydium', migration: 'raydium_launchpad' }),
      )

      expect((await client.untilPong()).map((frame) => frame.params.pair.sourceExchange)).toEqual([
        'pumpswap',
        'raydium',
      ])
    })
  })

  describe('tighter filters', () => {
    const [whale, other] = [address(41), address(42)]
    const swapOf = (walletAccount: string, change: object = {}) =>
      aSwap({ walletAccount, baseTokenMint: mint, sourceExchange: 'raydium', usdValue: 500, ...change })

    it.each([
      [
        'exclude removes accounts from what is included',
        { include: { baseTokenMint: [mint] }, exclude: { walletAccount: [whale] } },
        [1, 2, 3],
      ],
      ['exclude alone removes them from everything', { exclude: { walletAccount: [other] } }, [0]],
      [
        'match "all" requires every field of include',
        { include: { baseTokenMint: [mint], usdValue: 1_000 }, match: 'all' },
        [3],
      ],
      [
        'match "any" requires one of them',
        { include: { walletAccount: [whale], usdValue: 1_000 }, match: 'any' },
        [0, 3],
      ],
      ['sourceExchange selects exchanges', { sourceExchange: ['pumpfun', 'pumpswap'] }, [2]],
      ['swapType selects a side', { include: { walletAccount: [other] }, swapType: ['sell'] }, [1]],
      [
        'in any case, with null as absent',
        { Exclude: null, MATCH: null, SwapType: ['sell'], sourceexchange: null },
        [1],
      ],
    ])('%s, after a subscribe and after an update', async (_promise, params, wanted) => {
      const second = await stream.connect(2)
      await client.ask({ id: 1, method: 'swapSubscribe', params })
      await second.ask({ id: 1, method: 'swapSubscribe' })
      await second.ask({ id: 2, method: 'updateSubscriptionParams', params: { subscription_id: 1, params } })

      const events = [
        swapOf(whale),
        swapOf(other, { swapType: 'sell' }),
        swapOf(other, { sourceExchange: 'pumpfun' }),
        swapOf(other, { usdValue: 2_000 }),
      ]
      await stream.publish(...events)

      for (const reader of [client, second]) {
        const cursors = (await reader.untilPong()).map((frame) => frame.cursor)
        expect(cursors).toEqual(wanted.map((at) => events[at]!.cursor))
      }
    })

    it('sourceExchange selects new pairs by exchange, and timestamps are sent next to the cursor', async () => {
      const params = { sourceExchange: ['meteora_dlmm'], timestamps: true }
      await client.ask({ id: 1, method: 'newPairSubscribe', params })

      const publishedAt = stream.clock.now()
      await stream.publish(aNewPair(), aNewPair({ sourceExchange: 'meteora_dlmm' }))

      const [frame, ...others] = await client.untilPong()
      expect(others).toEqual([])
      expect(frame).toMatchObject({
        params: { pair: { sourceExchange: 'meteora_dlmm' } },
        receivedAt: publishedAt,
        sentAt: publishedAt,
      })
    })
  })

  describe('facts', () => {
    const other = address(53)
    const swapFacts = { marketCap: '12.5', walletBalance: '7', curve: null }
    const pairFacts = {
      ...{ creator: wallet, uri: null, creatorBuy: null, slotBuyers: 2, slotBuyShare: 0.25 },
      ...{ curve: null, marketCap: null },
    }
    const factualSwap = () => ({ ...aSwap(), facts: swapFacts })
    const factualPair = (creator: string | null, pair: Parameters<typeof aNewPair>[0] = {}) => ({
      ...aNewPair(pair),
      facts: { ...pairFacts, creator },
    })

    // Guards clients that fail on members they do not know, and everybody's bytes.
    it('leave the bytes of who does not ask as they were without any', async () => {
      const second = await stream.connect(2)
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await second.ask({ id: 1, method: 'swapSubscribe', params: { facts: true } })
      const event = factualSwap()

      await stream.publish(event)

      const [frame] = await client.untilPong()
      expect(JSON.stringify(frame)).toBe(
        `{"subscription_id":1,"method":"swapNotification","params":${JSON.stringify(event.params)},"cursor":"${event.cursor}"}`,
      )
      const [asked] = await second.untilPong()
      expect(asked).toEqual({ ...frame, facts: swapFacts })
    })

    it('come with the times, after an update, and to new pairs', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe', params: { facts: true, timestamps: true } })
      await client.ask({ id: 2, method: 'swapSubscribe' })
      const params = { subscription_id: 2, params: { facts: true } }
      await client.ask({ id: 3, method: 'updateSubscriptionParams', params })

      await stream.publish(factualPair(wallet), factualSwap())

      const [pair, swap] = await client.untilPong()
      expect(pair).toMatchObject({ facts: pairFacts, sentAt: expect.any(Number) })
      expect(swap).toMatchObject({ facts: swapFacts })
    })

    it('are all unknown for an event from before there were any', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe', params: { facts: true } })

      await stream.publish(aSwap())

      const [frame] = await client.untilPong()
      expect(frame).toMatchObject({ facts: { marketCap: null, walletBalance: null, curve: null } })
    })

    it('select new pairs by creator', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe', params: { creator: [wallet, mint] } })
      const events = [
        factualPair(other),
        factualPair(wallet),
        factualPair(null),
        aNewPair(),
        factualPair(mint),
      ]

      await stream.publish(...events)

      const cursors = (await client.untilPong()).map(({ cursor }) => cursor)
      expect(cursors).toEqual([events[1]!.cursor, events[4]!.cursor])
    })

    it.each([
      ['launched', { include_launchpad_tokens: false }, [0]],
      ['migrated', { include_launchpad_tokens: true }, [1]],
      ['listed', {}, [2]],
    ])('stage %s goes before the launchpad flags', async (stage, flags, wanted) => {
      await client.ask({ id: 1, method: 'newPairSubscribe', params: { stage: [stage], ...flags } })
      const events = [
        aNewPair({ sourceExchange: 'pumpfun' }),
        aNewPair({ sourceExchange: 'pumpswap', migration: 'pumpfun' }),
        aNewPair({ sourceExchange: 'raydium' }),
      ]

      await stream.publish(...events)

      const cursors = (await client.untilPong()).map(({ cursor }) => cursor)
      expect(cursors).toEqual(wanted.map((at) => events[at]!.cursor))
    })

    it.each([
      [{ stage: ['graduated'] }, 'stage[0] is not known: "graduated"'],
      [{ stage: [] }, 'stage is an empty list'],
      [{ creator: 'me' }, 'creator must be a list of addresses'],
      [{ creator: ['me'] }, 'creator[0] is not an address'],
      [{ facts: 'yes' }, 'facts must be true or false'],
    ])('refuse %j with a sentence', async (params, sentence) => {
      const { error } = await client.ask({ id: 1, method: 'newPairSubscribe', params })

      expect(error.message).toContain(sentence)
    })

    it.each([
      ['swapSubscribe', { creator: [wallet] }, 'creator is not a filter of swapSubscribe'],
      ['swapSubscribe', { stage: ['listed'] }, 'stage is not a filter of swapSubscribe'],
      ['latestBlockSubscribe', { facts: true }, 'A block has no facts'],
    ])('are refused by name where a stream has none: %s %j', async (method, params, sentence) => {
      const { error } = await client.ask({ id: 1, method, params })

      expect(error.message).toContain(sentence)
    })
  })

  it('answers any filter with a subscription or a named refusal', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.oneof(fc.constantFrom(wallet, mint), fc.string(), fc.integer())),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    )
    const name = fc.constantFrom(
      'ammAccount',
      'WALLETACCOUNT',
      'BaseTokenMint',
      'usdValue',
      '__proto__',
      'other',
    )
    const include = fc.oneof(fc.jsonValue(), fc.dictionary(name, value))

    await fc.assert(
      fc.asyncProperty(include, async (include) => {
        const answer = await client.ask({ id: 1, method: 'swapSubscribe', params: { include } })
        if (answer.result) {
          const { subscription_id } = answer.result
          await client.ask({ id: 2, method: 'swapUnsubscribe', params: { subscription_id } })
        } else {
          expect([-32602, -32012]).toContain(answer.error.code)
        }
      }),
      { numRuns: 200 },
    )
    expect(stream.gateway.stats().subscriptions).toBe(0)
  })
})
