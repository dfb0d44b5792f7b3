import { PLANS } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { address } from '../testing/events.ts'
import type { TestClient } from '../testing/test-client.ts'
import { connectOnPlan, openGateway, type TestGateway } from '../testing/test-gateway.ts'

const wallet = address(50)
const mint = address(51)
const pool = address(52)

describe('requests', () => {
  let stream: TestGateway
  let client: TestClient
  beforeEach(async () => {
    stream = await openGateway({ limits: { requestsPerSecond: 1_000, requestsBurst: 10_000 } })
    client = await stream.connect()
  })
  afterEach(() => stream.close())

  describe('mistakes with a sentence of their own', () => {
    const swaps = (params: unknown, outside = {}) => ({ id: 1, method: 'swapSubscribe', params, ...outside })

    it.each([
      [
        'an empty list',
        swaps({ include: { walletAccount: [] } }),
        'EMPTY_LIST',
        'include.walletAccount is an empty list',
      ],
      [
        'a filter outside params',
        swaps(undefined, { include: { walletAccount: [wallet] } }),
        'FILTER_OUTSIDE_PARAMS',
        'include is outside params',
      ],
      [
        'a filter in params within params',
        swaps({ params: { include: { walletAccount: [wallet] } } }),
        'INVALID_PARAMS',
        'params is not a param',
      ],
      [
        'a launchpad flag in quotes outside params',
        { id: 1, method: 'newPairSubscribe', include_pumpfun: 'true' },
        'INVALID_PARAMS',
        'include_pumpfun must be true or false',
      ],
      [
        'a filter outside include',
        swaps({ WalletAccount: [wallet] }),
        'FILTER_OUTSIDE_INCLUDE',
        'walletAccount belongs in params.include',
      ],
      [
        'an invalid address',
        swaps({ include: { baseTokenMint: [mint, 'So1111'] } }),
        'INVALID_ADDRESS',
        'include.baseTokenMint[1] is not an address (base58 of 32 bytes): "So1111"',
      ],
      [
        'an address that is a number',
        swaps({ include: { ammAccount: [7] } }),
        'INVALID_ADDRESS',
        'include.ammAccount[0]',
      ],
      ['an address outside a list', swaps({ include: { ammAccount: pool } }), 'NOT_A_LIST', 'must be a list'],
      ['a value in quotes', swaps({ include: { usdValue: '10000' } }), 'INVALID_USD_VALUE', 'without quotes'],
      ['a value below zero', swaps({ include: { usdValue: -1 } }), 'INVALID_USD_VALUE', '0 or more'],
      [
        'an include that is a list',
        swaps({ include: [wallet] }),
        'INVALID_PARAMS',
        'include must be an object',
      ],
      [
        'an include of misspelled fields',
        swaps({ include: { walletAcount: [wallet] } }),
        'UNKNOWN_FILTER_FIELD',
        'Did you mean walletAccount?',
      ],
      [
        'a flag in quotes',
        { id: 1, method: 'newPairSubscribe', params: { include_pumpfun: 'true' } },
        'INVALID_PARAMS',
        'true or false',
      ],
      [
        'an unknown method',
        { id: 1, method: 'swapsSubscribe' },
        'UNKNOWN_METHOD',
        'Did you mean swapSubscribe?',
      ],
      [
        'the end of a method',
        { id: 1, method: 'unsubscribe' },
        'UNKNOWN_METHOD',
        'Did you mean swapUnsubscribe?',
      ],
      [
        'a method far from any',
        { id: 1, method: 'getProgramAccounts' },
        'UNKNOWN_METHOD',
        'There are: newPairSubscribe',
      ],
      [
        'an unknown subscription',
        { id: 1, method: 'swapUnsubscribe', params: { subscription_id: 5 } },
        'UNKNOWN_SUBSCRIPTION',
        'There is no subscription 5',
      ],
      ['no subscription', { id: 1, method: 'swapUnsubscribe' }, 'INVALID_PARAMS', '"subscription_id":1'],
      [
        'an empty list to exclude',
        swaps({ exclude: { ammAccount: [] } }),
        'EMPTY_LIST',
        'exclude.ammAccount is',
      ],
      [
        'an invalid address to exclude',
        swaps({ exclude: { walletAccount: ['x'] } }),
        'INVALID_ADDRESS',
        'exclude.walletAccount[0] is not an address',
      ],
      [
        'an exclude that is a list',
        swaps({ exclude: [wallet] }),
        'INVALID_PARAMS',
        'exclude must be an object',
      ],
      [
        'a value to exclude',
        swaps({ exclude: { walletAccount: [wallet], usdValue: 5 } }),
        'UNKNOWN_FILTER_FIELD',
        'exclude has no field "usdValue". It takes lists of accounts',
      ],
      [
        'another match',
        swaps({ include: { usdValue: 1 }, match: 'every' }),
        'INVALID_PARAMS',
        'match must be "any", or "all"',
      ],
      [
        'an exchange outside a list',
        swaps({ sourceExchange: 'raydium' }),
        'NOT_A_LIST',
        '"sourceExchange":["…"]',
      ],
      [
        'a misspelled exchange',
        swaps({ sourceExchange: ['raydium', 'pump_fun'] }),
        'INVALID_PARAMS',
        'sourceExchange[1] is not known: "pump_fun". Did you mean "pumpfun"?',
      ],
      [
        'the name under which the dashboard shows an exchange',
        swaps({ sourceExchange: ['bonk'] }),
        'INVALID_PARAMS',
        'sourceExchange[0] is not known: "bonk". Did you mean "raydium_launchlab"?',
      ],
      ['no swap type', swaps({ swapType: [] }), 'EMPTY_LIST', 'swapType is an empty list'],
      [
        'an unknown swap type',
        swaps({ swapType: ['withdrawal'] }),
        'INVALID_PARAMS',
        'There are: buy, sell.',
      ],
      [
        'timestamps in quotes',
        swaps({ timestamps: 'true' }),
        'INVALID_PARAMS',
        'timestamps must be true or false',
      ],
      [
        'a tighter filter outside params',
        swaps({}, { SwapType: ['buy'] }),
        'FILTER_OUTSIDE_PARAMS',
        'swapType is outside params. Send {"method":"swapSubscribe","params":{"swapType":…}}.',
      ],
      [
        'a tighter filter in include',
        swaps({ include: { walletAccount: [wallet], exclude: { ammAccount: [pool] } } }),
        'INVALID_PARAMS',
        'exclude is inside include. Move it next to include',
      ],
      [
        'an exchange of new pairs outside params',
        { id: 1, method: 'newPairSubscribe', sourceExchange: ['raydium'] },
        'FILTER_OUTSIDE_PARAMS',
        'sourceExchange is outside params',
      ],
      [
        'a filter of new pairs by include',
        { id: 1, method: 'newPairSubscribe', params: { include: { usdValue: 5 } } },
        'INVALID_PARAMS',
        'include is not a filter of newPairSubscribe, which takes sourceExchange, stage, creator and no other filter',
      ],
      [
        'a filter of new pairs by include outside params',
        { id: 1, method: 'newPairSubscribe', Include: { BaseTokenMint: [mint] } },
        'INVALID_PARAMS',
        'include is not a filter of newPairSubscribe',
      ],
      [
        'a filter of blocks by include',
        { id: 1, method: 'latestBlockSubscribe', params: { include: 'all' } },
        'INVALID_PARAMS',
        'include is not a filter of latestBlockSubscribe, which takes no filter',
      ],
      ...(['exclude', 'match', 'swapType'] as const).map((name): [string, object, string, string] => [
        `a filter of new pairs by ${name}`,
        { id: 1, method: 'newPairSubscribe', params: { [name]: 'all' } },
        'INVALID_PARAMS',
        `${name} is not a filter of newPairSubscribe, which takes sourceExchange, stage, creator and no other filter`,
      ]),
      ...(['exclude', 'match', 'swapType', 'sourceExchange'] as const).map(
        (name): [string, object, string, string] => [
          `a filter of blocks by ${name}`,
          { id: 1, method: 'latestBlockSubscribe', params: { [name]: 'all' } },
          'INVALID_PARAMS',
          `${name} is not a filter of latestBlockSubscribe, which takes no filter`,
        ],
      ),
    ])('%s', async (_mistake, request, errorType, sentence) => {
      const answer = await client.ask(request)

      expect(answer).toMatchObject({
        id: 1,
        error: { message: expect.stringContaining(sentence), data: { errorType } },
      })
      expect(stream.gateway.stats().subscriptions).toBe(0)
    })

    it.each([{ include: null }, { include: {} }, { include: { AmmAccount: null, USDValue: null } }])(
      'do not include an empty include for new pairs or blocks: %o',
      async (params) => {
        const pairs = await client.ask({ id: 1, method: 'newPairSubscribe', params })
        const blocks = await client.ask({ id: 2, method: 'latestBlockSubscribe', params })

        expect([pairs.result, blocks.result]).toEqual([{ subscription_id: 1 }, { subscription_id: 2 }])
      },
    )

    it.each([
      ['baseTokenMint', [mint], '{"include":{"baseTokenMint":["…"]}}'],
      ['usdValue', 5, '{"include":{"usdValue":10000}}'],
    ])('shows the right form of the filter found outside include: %s', async (name, value, form) => {
      const answer = await client.ask(swaps({ [name]: value }))

      expect(answer.error.message).toContain(form)
    })

    it.each([
      [{ include: { usdValue: '1000' } }, 'INVALID_USD_VALUE'],
      [{ include: { baseTokenMints: [mint] } }, 'UNKNOWN_FILTER_FIELD'],
      [{ resume_from: 'now' }, 'INVALID_CURSOR'],
      [{}, 'ALREADY_SUBSCRIBED'],
    ])('take precedence over an existing subscription: %j', async (params, errorType) => {
      await client.ask(swaps({}))

      expect(await client.ask({ ...swaps(params), id: 2 })).toMatchObject({ error: { data: { errorType } } })
    })

    it('name the open subscription of the kind to an unsubscribe without a number', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe' })
      await client.ask({ id: 2, method: 'swapSubscribe' })

      const answer = await client.ask({ id: 3, method: 'swapUnsubscribe' })

      expect(answer.error.message).toContain('"params":{"subscription_id":2}')
    })

    it('a filter beside the params of an update', async () => {
      const include = { walletAccount: [wallet] }
      await client.ask(swaps({ include }))

      for (const request of [
        { id: 2, params: { subscription_id: 1, params: {}, include } },
        { id: 2, params: { subscription_id: 1, params: {} }, include },
      ]) {
        expect(await client.ask({ method: 'updateSubscriptionParams', ...request })).toMatchObject({
          error: {
            message: expect.stringContaining('Send {"method":"updateSubscriptionParams"'),
            data: { errorType: 'FILTER_OUTSIDE_PARAMS' },
          },
        })
      }
    })

    it('names the right unsubscribe for a subscription of another kind', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe' })

      const answer = await client.ask({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 1 } })

      expect(answer.error.message).toContain('newPairUnsubscribe')
    })

    it.each([
      ['no filter', {}],
      ['an empty include', { include: {} }],
      ['a value of 0', { include: { usdValue: 0 } }],
      [
        'every tighter filter and nothing else',
        {
          exclude: { walletAccount: [address(5)] },
          sourceExchange: ['raydium'],
          swapType: ['buy'],
          match: 'all',
        },
      ],
    ])('%s on a plan that needs one', async (_mistake, params) => {
      const client = await connectOnPlan(stream, 9, 2)

      const answer = await client.ask(swaps(params))

      expect(answer.error).toMatchObject({
        code: -32011,
        message: expect.stringContaining('Basic needs a filter'),
      })
    })

    it.each(PLANS)('one account too many for the plan $name, its lists together', async (plan) => {
      const client = await connectOnPlan(stream, 10 + plan.id, plan.id)
      const wallets = Array.from({ length: plan.swapFilterAccounts }, (_, at) => address(1_000 + at))

      const tooMany = await client.ask(swaps({ include: { walletAccount: wallets, baseTokenMint: [mint] } }))
      const excluding = await client.ask(
        swaps({ include: { walletAccount: wallets }, exclude: { baseTokenMint: [mint] } }),
      )
      const allowed = await client.ask(swaps({ include: { walletAccount: wallets } }))

      expect(excluding.error).toMatchObject({ code: -32012 })
      expect(tooMany.error).toMatchObject({ code: -32012, message: expect.stringContaining(plan.name) })
      expect(allowed.result).toEqual({ subscription_id: 1 })
    })
  })
})
