import { PLANS } from '@pairwire/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { address, aNewPair, aSwap } from './testing/events.ts'
import { keyNumber } from './testing/fake-accounts.ts'
import type { TestClient } from './testing/test-client.ts'
import { openGateway, type TestGateway } from './testing/test-gateway.ts'

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

  const connectOnPlan = async (number: number, planId: 1 | 2 | 3) => {
    stream.accounts.set(`plan${planId}`, { key: keyNumber(number), planId })
    return stream.connect(number)
  }

  describe('ids', () => {
    it.each([
      '1',
      '0',
      '-7',
      '9007199254740992',
      '123456789012345678901234567890',
      '1.50',
      '1e3',
      '"text"',
      '"\\u00e9\\n"',
      '""',
      'true',
      'null',
      '[1, [2]]',
      '{"2":1,"1":{"a":null}}',
    ])('echoes the id %s exactly as it came', async (id) => {
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"latestBlockSubscribe","params":null}`)

      expect(await client.nextText()).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"subscription_id":1}}`)
    })

    it('echoes any JSON value as id, in answers and in errors', async () => {
      await fc.assert(
        fc.asyncProperty(fc.json(), async (id) => {
          client.send(`{"id":${id},"method":"swapUnsubscribe","params":{"subscription_id":9}}`)
          const answer = JSON.parse(await client.nextText())

          if ([null, 0].includes(JSON.parse(id))) expect(answer.method).toBe('requestFailed')
          else expect(answer).toMatchObject({ id: JSON.parse(id), error: { code: -32602 } })
        }),
        { numRuns: 15 },
      )
    })

    it('answers what succeeds without an id without one', async () => {
      expect(await client.ask({ method: 'swapSubscribe' })).toEqual({
        jsonrpc: '2.0',
        result: { subscription_id: 1 },
      })
    })

    // An error without an id stops the reader of the Go client for good.
    it.each(['', '"id":null,', '"id":0,', '"id":-0,', '"id":0.0,'])(
      'never answers an error without a usable id (%s)',
      async (id) => {
        const frame = await client.ask(`{${id}"method":"nonsense"}`)

        expect(frame).toEqual({
          method: 'requestFailed',
          params: { code: -32601, message: expect.stringContaining('nonsense') },
        })
      },
    )
  })

  describe('frames that are no request', () => {
    it('names line and column of what is not JSON', async () => {
      expect(await client.ask('{"id":1,\n"method":}')).toEqual({
        method: 'requestFailed',
        params: { code: -32700, message: 'The frame is not JSON: see line 2, column 10.' },
      })
    })

    it.each([
      ['[{"id":1,"method":"ping"}]', -32600],
      ['[]', -32600],
      ['7', -32600],
      ['"ping"', -32600],
      ['null', -32600],
    ])('refuses %s by a notification', async (text, code) => {
      expect(await client.ask(text)).toMatchObject({ method: 'requestFailed', params: { code } })
    })

    it.each([
      ['{"id":1}', -32600],
      ['{"id":1,"method":7}', -32600],
      ['{"id":1,"method":"ping","params":[]}', -32602],
      ['{"id":1,"method":"ping","params":"x"}', -32602],
    ])('refuses %s by its id', async (text, code) => {
      expect(await client.ask(text)).toMatchObject({ id: 1, error: { code } })
    })

    // Each takes `JSON.parse` milliseconds, in the thread that serves everyone.
    it.each([
      ['8,000 members', `{${members(8_000)},"method":"ping","id":1}`],
      ['8,000 members in params', `{"method":"swapSubscribe","params":{${members(8_000)}},"id":1}`],
      ['30,000 lists in one another', `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)},"id":1}`],
      ['20,000 empty objects', `{"x":[${'{},'.repeat(20_000)}0],"id":1}`],
      ['30,000 numbers', `{"x":[${'0,'.repeat(30_000)}0],"id":1}`],
    ])('refuses %s by its id, without building it', async (_name, text) => {
      const parse = vi.spyOn(JSON, 'parse')
      client.send(text)
      const answer = await client.nextText()
      const parsed = parse.mock.calls.map(([source]) => source)
      parse.mockRestore()

      expect(JSON.parse(answer)).toMatchObject({
        id: 1,
        error: { code: -32600, data: { errorType: 'TOO_MANY_MEMBERS' } },
      })
      expect(parsed).not.toContain(text)
    })

    it('takes 256 members and 4,096 values', async () => {
      // The outermost object is one of them, `id`, `method`, `x` and its list the others.
      const padded = `{${members(251)},"x":[${'0,'.repeat(3_840)}0],"id":1,"method":"ping"}`

      expect(await client.ask(padded)).toMatchObject({ result: 'pong' })
      expect(await client.ask(padded.replace('{', '{"y":0,'))).toMatchObject({ error: { code: -32600 } })
      expect(await client.ask(padded.replace('[', '[0,'))).toMatchObject({ error: { code: -32600 } })
    })

    it('closes with 4000 after more than 20 of them within 10 s', async () => {
      for (let sent = 0; sent < 20; sent++) await client.ask('{')
      stream.clock.advance(10_000)
      for (let sent = 0; sent < 20; sent++) await client.ask('{')

      client.send('{')

      expect(await client.closed).toMatchObject({ code: 4000 })
      expect(client.texts).toHaveLength(40)
    })

    it('survives any text, and answers each at most once', async () => {
      const text = fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'grapheme' }))

      await fc.assert(
        fc.asyncProperty(text, async (text) => {
          client.send(text)
          const frames = await client.untilPong()

          expect(frames.length).toBeLessThanOrEqual(1)
          stream.clock.advance(10_000)
        }),
        { numRuns: 100 },
      )
    })
  })

  describe('ping and heartbeat', () => {
    it('are answered if an id came, else ignored', async () => {
      client.send({ method: 'ping' })
      client.send({ method: 'heartbeat' })
      client.send({ jsonrpc: '2.0', id: 7, method: 'ping' })
      client.send({ jsonrpc: '2.0', id: 999, method: 'heartbeat' })

      expect(await client.nextText()).toBe('{"jsonrpc":"2.0","id":7,"result":"pong"}')
      // Programs read `result.message`, and drop the stream over a string.
      expect(await client.nextText()).toBe('{"jsonrpc":"2.0","id":999,"result":{"message":"pong"}}')
    })
  })

  describe('subscribing', () => {
    it('numbers subscriptions from 1 on, across kinds, and never uses a number again', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await client.ask({ id: 2, method: 'newPairSubscribe' })
      await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })

      const answer = await client.ask({ id: 4, method: 'swapSubscribe' })

      expect(answer.result).toEqual({ subscription_id: 3 })
    })

    it('says so in the answer while the data is simulated', async () => {
      const simulated = await openGateway({ simulated: true })
      const client = await simulated.connect()

      const answer = await client.ask({ id: 1, method: 'newPairSubscribe' })

      expect(answer.result).toEqual({ subscription_id: 1, simulated: true })
      await simulated.close()
    })

    it('refuses a second subscription of a kind, and the first goes on', async () => {
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
          message: expect.stringContaining('One subscription serves all your tokens'),
          data: { errorType: 'ALREADY_SUBSCRIBED', docs: 'https://docs.example/errors/already-subscribed' },
        },
      })
      expect(await client.untilPong()).toMatchObject([{ params: { swap: { baseTokenMint: mint } } }])
    })

    it('understands the frames of the Go client to the letter', async () => {
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

    it('takes an include of nothing but nulls for none', async () => {
      await client.ask({
        id: 1,
        method: 'swapSubscribe',
        params: { include: { ammAccount: null, USDValue: null } },
      })
      await stream.publish(aSwap())

      expect(await client.next()).toMatchObject({ method: 'swapNotification' })
    })

    it('ignores members that it does not know, such as a stray api_key', async () => {
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

    // Bots in use send the flag beside `params`.
    it.each([
      ['include_launchpad_tokens', {}],
      ['include_pumpfun', { params: null }],
      ['Include_Raydium_LaunchLab', { params: { include_pumpfun: false } }],
    ])('takes %s beside params too', async (flag, rest) => {
      await client.ask({ id: 1, method: 'newPairSubscribe', [flag]: true, ...rest })
      await stream.publish(aNewPair({ sourceExchange: 'pumpfun' }))

      expect(await client.untilPong()).toHaveLength(1)
    })

    it('sends no pairs on launchpad curves otherwise, and all others', async () => {
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
        'exclude takes accounts out of what is included',
        { include: { baseTokenMint: [mint] }, exclude: { walletAccount: [whale] } },
        [1, 2, 3],
      ],
      ['exclude alone takes them out of everything', { exclude: { walletAccount: [other] } }, [0]],
      [
        'match "all" asks for every field of include',
        { include: { baseTokenMint: [mint], usdValue: 1_000 }, match: 'all' },
        [3],
      ],
      [
        'match "any" for one of them',
        { include: { walletAccount: [whale], usdValue: 1_000 }, match: 'any' },
        [0, 3],
      ],
      ['sourceExchange keeps to exchanges', { sourceExchange: ['pumpfun', 'pumpswap'] }, [2]],
      ['swapType keeps to one side', { include: { walletAccount: [other] }, swapType: ['sell'] }, [1]],
      [
        'spelled in any case, null being absent',
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

    it('sourceExchange keeps new pairs to exchanges, and timestamps stand beside the cursor', async () => {
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
        'include stands outside params',
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
        'an address that is none',
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
      [
        'one address without a list',
        swaps({ include: { ammAccount: pool } }),
        'NOT_A_LIST',
        'must be a list',
      ],
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
        'a method far from any',
        { id: 1, method: 'getProgramAccounts' },
        'UNKNOWN_METHOD',
        'There are: newPairSubscribe',
      ],
      [
        'a subscription that is not there',
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
        'an address to exclude that is none',
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
        'match must be "all"',
      ],
      [
        'an exchange without a list',
        swaps({ sourceExchange: 'raydium' }),
        'NOT_A_LIST',
        '"sourceExchange":["…"]',
      ],
      [
        'an exchange that is misspelled',
        swaps({ sourceExchange: ['raydium', 'pump_fun'] }),
        'INVALID_PARAMS',
        'sourceExchange[1] is not known: "pump_fun". Did you mean "pumpfun"?',
      ],
      ['no swap type', swaps({ swapType: [] }), 'EMPTY_LIST', 'swapType is an empty list'],
      ['another swap type', swaps({ swapType: ['withdrawal'] }), 'INVALID_PARAMS', 'There are: buy, sell.'],
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
        'swapType stands outside params. Send {"method":"swapSubscribe","params":{"swapType":…}}.',
      ],
      [
        'a tighter filter in include',
        swaps({ include: { walletAccount: [wallet], exclude: { ammAccount: [pool] } } }),
        'INVALID_PARAMS',
        'exclude stands in include. Put it beside',
      ],
      [
        'an exchange of new pairs outside params',
        { id: 1, method: 'newPairSubscribe', sourceExchange: ['raydium'] },
        'FILTER_OUTSIDE_PARAMS',
        'sourceExchange stands outside params',
      ],
      ...(['exclude', 'match', 'swapType'] as const).map((name): [string, object, string, string] => [
        `a filter of new pairs by ${name}`,
        { id: 1, method: 'newPairSubscribe', params: { [name]: 'all' } },
        'INVALID_PARAMS',
        `${name} is not a filter of newPairSubscribe, which takes sourceExchange and no other filter`,
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
        'every tighter filter and no other',
        {
          exclude: { walletAccount: [address(5)] },
          sourceExchange: ['raydium'],
          swapType: ['buy'],
          match: 'all',
        },
      ],
    ])('%s on a plan that needs one', async (_mistake, params) => {
      const client = await connectOnPlan(9, 2)

      const answer = await client.ask(swaps(params))

      expect(answer.error).toMatchObject({
        code: -32011,
        message: expect.stringContaining('Basic needs a filter'),
      })
    })

    it.each(PLANS)('one account too many for the plan $name, its lists together', async (plan) => {
      const client = await connectOnPlan(10 + plan.id, plan.id)
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

  it('gives any filter a subscription or a named refusal', async () => {
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

  describe('updating', () => {
    it('changes the filter between two events', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } })
      await stream.bus.publish([aSwap({ baseTokenMint: mint }), aSwap({ baseTokenMint: pool })])
      client.send({
        id: 2,
        method: 'updateSubscriptionParams',
        params: { subscription_id: 1, update: { include: { baseTokenMint: [pool] } } },
      })
      await received(client)
      await stream.publish()
      const before = [await client.next(), await client.next()]

      await stream.publish(aSwap({ baseTokenMint: mint }), aSwap({ baseTokenMint: pool }))

      expect(before).toMatchObject([{ params: { swap: { baseTokenMint: mint } } }, { id: 2, result: true }])
      expect(await client.untilPong()).toMatchObject([
        { subscription_id: 1, params: { swap: { baseTokenMint: pool } } },
      ])
    })

    it('leaves the subscription as it was when the new parameters are refused', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } })

      const refusals = [
        await client.ask({ id: 2, method: 'updateSubscriptionParams', params: { subscription_id: 1 } }),
        await client.ask({
          id: 3,
          method: 'updateSubscriptionParams',
          params: { subscription_id: 1, params: { include: { baseTokenMint: [] } } },
        }),
      ]
      await stream.publish(aSwap({ baseTokenMint: mint }), aSwap({ baseTokenMint: pool }))

      expect(refusals).toMatchObject([{ error: { code: -32602 } }, { error: { code: -32602 } }])
      expect(await client.untilPong()).toHaveLength(1)
    })

    it('asks the plan for the new filter too', async () => {
      const client = await connectOnPlan(9, 2)
      await client.ask({ id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } })

      const answer = await client.ask({
        id: 2,
        method: 'updateSubscriptionParams',
        params: { subscription_id: 1, params: {} },
      })

      expect(answer.error.code).toBe(-32011)
    })

    it('turns launchpad pairs on and off', async () => {
      await client.ask({ id: 1, method: 'newPairSubscribe' })
      await client.ask({
        id: 2,
        method: 'updateSubscriptionParams',
        params: { subscription_id: 1, params: { include_launchpad_tokens: true } },
      })

      await stream.publish(aNewPair({ sourceExchange: 'pumpfun' }))

      expect(await client.next()).toMatchObject({ subscription_id: 1 })
    })
  })

  describe('unsubscribing', () => {
    // The Go client panics on a notification of a subscription that it has ended.
    it('is followed by silence, whatever was waiting', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await stream.bus.publish([aSwap(), aSwap()])
      client.send({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 1 } })
      await received(client)
      await stream.bus.publish([aSwap()])
      await stream.publish(aSwap())

      const frames = await client.untilPong()
      const answerAt = frames.findIndex((frame) => frame.id === 2)

      expect(frames[answerAt]).toEqual({ jsonrpc: '2.0', id: 2, result: true })
      expect(frames.slice(answerAt + 1)).toEqual([])
    })

    it('leaves the other streams alone', async () => {
      await client.ask({ id: 1, method: 'swapSubscribe' })
      await client.ask({ id: 2, method: 'newPairSubscribe' })
      await client.ask({ id: 3, method: 'swapUnsubscribe', params: { subscription_id: 1 } })

      await stream.publish(aSwap(), aNewPair())

      expect(await client.untilPong()).toMatchObject([{ subscription_id: 2, method: 'newPairNotification' }])
    })
  })
})

/** So many members of a JSON object, each with a name of its own. */
function members(count: number): string {
  return Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join()
}

/** Resolves once the gateway has read all that the client has sent: a websocket ping is answered outside the windows. */
function received(client: TestClient): Promise<void> {
  return new Promise((resolve) => {
    client.socket.once('pong', () => resolve())
    client.socket.ping()
  })
}
