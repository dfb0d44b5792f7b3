import { anyText } from '@pairwire/basics/testing/any-text'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { address, aNewPair, aSwap } from '../testing/events.ts'
import type { TestClient } from '../testing/test-client.ts'
import { connectOnPlan, openGateway, type TestGateway } from '../testing/test-gateway.ts'

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

    it('answers a successful request without an id with none', async () => {
      expect(await client.ask({ method: 'swapSubscribe' })).toEqual({
        jsonrpc: '2.0',
        result: { subscription_id: 1 },
      })
    })

    // An error without an id stops the Go client's reader for good.
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

  describe('frames that are not requests', () => {
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
    ])('refuses %s with a notification', async (text, code) => {
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

    // Each takes `JSON.parse` milliseconds, in the thread that serves all clients.
    it.each([
      ['8,000 members', `{${members(8_000)},"method":"ping","id":1}`],
      ['8,000 members in params', `{"method":"swapSubscribe","params":{${members(8_000)}},"id":1}`],
      ['30,000 nested lists', `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)},"id":1}`],
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
      // The outermost object is one of them; `id`, `method`, `x` and its list are the others.
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

    it('survives any text, and answers it at most once', async () => {
      const text = fc.oneof(fc.json(), anyText())

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

    it('checks the plan for the new filter too', async () => {
      const client = await connectOnPlan(stream, 9, 2)
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
    it('is followed by silence, even if events are queued', async () => {
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

/** Returns that many members of a JSON object, each with a different name. */
function members(count: number): string {
  return Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join()
}

/** Resolves once the gateway has read all that the client sent: websocket pings are answered outside the windows. */
function received(client: TestClient): Promise<void> {
  return new Promise((resolve) => {
    client.socket.once('pong', () => resolve())
    client.socket.ping()
  })
}
