import {
  createPairwire,
  type Pairwire,
  type PairwireError,
  type PairwireOptions,
  type StreamOptions,
  type SwapParams,
} from '@pairwire/client'
import { CLOSE_REASONS, SDK_ERROR_TYPES, SDK_LINE_ERRORS, STREAM_ERROR_TYPES } from '@pairwire/contract'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'

const url = inject('serviceUrl')
const dataFolder = inject('dataFolder')

/** A stream as a program in JavaScript may request it: what the types forbid is requested on purpose. */
type Ask = (pairwire: Pairwire) => AsyncIterable<unknown>
const swaps =
  (params: unknown, options: StreamOptions = {}): Ask =>
  (pairwire) =>
    pairwire.swaps(params as SwapParams, options)
const ADDRESS = 'So11111111111111111111111111111111111111112'
const OLD = '000000000-000000000001-000000-0000'

// Guards that a program learns what is wrong in a way that it can act on, and that no log contains the key.
describe('a refusal of the service', () => {
  const keys: Record<string, string> = { nobody: 'f'.repeat(32) }
  beforeAll(async () => {
    for (const plan of ['newpairs', 'basic', 'pro'] as const)
      keys[plan] = (await makeAccount({ dataFolder }, freshEmail(), plan)).user.APIKey
    keys['no plan'] = (await makeAccount({ dataFolder }, freshEmail())).user.APIKey
  })

  it.each<[string, string, string, number, string, Ask]>([
    ['an unknown key', 'nobody', 'KeyError', 4001, 'KEY_UNKNOWN', swaps({})],
    ['an account without a plan', 'no plan', 'PlanError', 4003, 'NO_PLAN', swaps({})],
    ['no filter', 'basic', 'PlanError', -32_011, 'FILTER_REQUIRED', swaps({})],
    [
      'too many accounts',
      ...(['newpairs', 'PlanError', -32_012, 'FILTER_TOO_LARGE'] as const),
      swaps({ include: { ammAccount: [ADDRESS], walletAccount: [ADDRESS] } }),
    ],
    [
      'hours that it has not bought',
      ...(['pro', 'PlanError', -32_015, 'NO_ORDER'] as const),
      swaps({ replay: { from: '2025-01-01T00:00:00Z', to: '2025-01-01T01:00:00Z' } }),
    ],
    [
      'a value that is none',
      ...(['pro', 'RequestError', -32_602, 'INVALID_USD_VALUE'] as const),
      swaps({ include: { usdValue: 'much' } }),
    ],
    [
      'an empty list',
      ...(['pro', 'RequestError', -32_602, 'EMPTY_LIST'] as const),
      swaps({ include: { ammAccount: [] } }),
    ],
    [
      'an address that is none',
      ...(['pro', 'RequestError', -32_602, 'INVALID_ADDRESS'] as const),
      swaps({ include: { ammAccount: ['pool'] } }),
    ],
    [
      'a field that is none',
      ...(['pro', 'RequestError', -32_602, 'UNKNOWN_FILTER_FIELD'] as const),
      swaps({ include: { pool: ADDRESS } }),
    ],
    ['a cursor that is none', 'pro', 'RequestError', -32_602, 'INVALID_CURSOR', swaps({}, { from: 'here' })],
    [
      'a cursor that is too old',
      ...(['pro', 'CursorError', -32_014, 'CURSOR_TOO_OLD'] as const),
      swaps({}, { from: OLD, tooOld: 'throw' }),
    ],
    [
      'a second stream of a kind',
      ...(['pro', 'RequestError', -32_010, 'ALREADY_SUBSCRIBED'] as const),
      (pairwire) => {
        pairwire.swaps()
        return pairwire.swaps()
      },
    ],
  ])('of %s reaches a program as its class, with a page, and names the key nowhere', async (...row) => {
    const [, who, name, code, errorType, ask] = row

    await expectRefusal(keys[who]!, ask, { name, code, errorType })
  })

  // What the SDK itself never sends, a class does that is passed to it. -32700 is never an answer: a frame that is not
  // JSON has no id.
  it.each<[string, string, number, string, (socket: WebSocket) => void]>([
    ['a binary frame', 'ConnectionError', 1003, 'BINARY', (socket) => socket.send(Buffer.alloc(1))],
    [
      'a frame that is too big',
      'ConnectionError',
      1009,
      'TOO_BIG',
      (socket) => socket.send(' '.repeat(70_000)),
    ],
    [
      'too many fragments',
      ...(['ConnectionError', 1008, 'TOO_MANY_FRAGMENTS'] as const),
      (socket) => {
        for (let sent = 0; sent < 1_100; sent++) socket.send(' ', { fin: false })
      },
    ],
    [
      'frames that are not JSON',
      ...(['ConnectionError', 4000, 'MALFORMED'] as const),
      (socket) => {
        for (let sent = 0; sent <= 20; sent++) socket.send('{')
      },
    ],
  ])('of %s reaches a program as its class', async (_, name, code, errorType, provoke) => {
    class Provoking extends WebSocket {
      constructor(...parts: ConstructorParameters<typeof WebSocket>) {
        super(...parts)
        this.on('open', () => provoke(this))
      }
    }

    await expectRefusal(keys.pro!, swaps({}), { name, code, errorType }, { WebSocket: Provoking })
  })

  it.each<[string, number, string, object]>([
    ['an unknown method', -32_601, 'UNKNOWN_METHOD', { method: 'swapsSubscribe' }],
    ['a request without a method', -32_600, 'NOT_A_REQUEST', { method: undefined }],
  ])('of %s reaches a program as its class', async (_, code, errorType, change) => {
    class Changing extends WebSocket {
      override send(data: unknown): void {
        const request = JSON.parse(String(data))
        super.send(JSON.stringify({ ...request, ...(request.method === 'swapSubscribe' && change) }))
      }
    }
    const expected = { name: 'RequestError', code, errorType }

    await expectRefusal(keys.pro!, swaps({}), expected, { WebSocket: Changing })
  })

  it('of a path that is no stream (HTTP 404) reaches a program as its class', async () => {
    const expected = { name: 'ConnectionError', code: 404, errorType: 'REFUSED' }

    await expectRefusal(keys.pro!, swaps({}), expected, { url: `${url}/nothing`, WebSocket })
  })

  it('has a page at the address in its error', async () => {
    const types = [STREAM_ERROR_TYPES, SDK_ERROR_TYPES, SDK_LINE_ERRORS, CLOSE_REASONS].flatMap((table) =>
      Object.keys(table),
    )
    const names = types.map((type) =>
      type
        .replace(/([a-z])([A-Z])/g, '$1-$2')
        .replaceAll('_', '-')
        .toLowerCase(),
    )

    const answers = await Promise.all(names.map((name) => fetch(`${url}/docs/errors/${name}`)))

    expect(answers.filter(({ status }) => status !== 200).map((answer) => answer.url)).toEqual([])
  })
})

/** Reads until the refusal: its error has a page, and no text names the key. */
async function expectRefusal(
  key: string,
  ask: Ask,
  expected: { name: string; code: number; errorType: string },
  options: PairwireOptions = {},
): Promise<void> {
  const said: string[] = []
  const onState = (state: string, why: Error | null) => said.push(`${state} ${why} ${JSON.stringify(why)}`)
  const onWarning = (warning: string) => said.push(warning)
  const pairwire = createPairwire({ url, key, onState, onWarning, ...options })

  const error = await readOne(pairwire, ask)
  await pairwire.close()

  expect(error).toMatchObject({ ...expected, comeBack: false })
  expect((await fetch(error.docs)).status).toBe(200)
  const texts = [...said, String(error), JSON.stringify(error), error.stack, String(error.cause)]
  for (const text of texts) expect(text).not.toContain(key)
}

/** Reads a stream. @returns the error that ends it */
async function readOne(pairwire: Pairwire, ask: Ask): Promise<PairwireError> {
  try {
    for await (const event of ask(pairwire)) expect.unreachable(JSON.stringify(event))
  } catch (error) {
    return error as PairwireError
  }
  return expect.unreachable('It ended well.')
}
