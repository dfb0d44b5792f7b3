import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  createPairwire,
  type Pairwire,
  type PairwireError,
  type PairwireOptions,
  type StreamOptions,
  type SwapParams,
} from '@pairwire/client'
import { CLOSE_REASONS, SDK_ERROR_TYPES, SDK_LINE_ERRORS, STREAM_ERROR_TYPES } from '@pairwire/contract'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { call, signIn } from './buyers.ts'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, startService } from './service.ts'

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
  /** Of the dashboard, for the account with the plan Pro. */
  let session: string
  beforeAll(async () => {
    const email = freshEmail()
    for (const plan of ['newpairs', 'basic', 'pro'] as const)
      keys[plan] = (
        await makeAccount({ dataFolder }, plan === 'pro' ? email : freshEmail(), plan)
      ).user.APIKey
    keys['no plan'] = (await makeAccount({ dataFolder }, freshEmail())).user.APIKey
    session = await signIn(url, email)
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
    [
      'a connection that its account ended',
      ...(['ConnectionError', 4009, 'DISCONNECTED'] as const),
      (socket) => socket.once('message', () => void call(url, 'POST', '/api/disconnect', session)),
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

  // A class that takes `refusals=close` out of the address is told the status.
  it.each<[string, string, string, number, string, Record<string, string>, string?]>([
    ['an unknown key', 'nobody', 'KeyError', 401, 'KEY_UNKNOWN', {}],
    ['an account without a plan', 'no plan', 'PlanError', 403, 'NO_PLAN', {}],
    ['a path that is no stream', 'pro', 'ConnectionError', 404, 'REFUSED', {}, '/nothing'],
    ['another protocol', 'pro', 'ConnectionError', 426, 'REFUSED', { 'Sec-WebSocket-Version': '7' }],
    ['half a handshake', 'pro', 'ConnectionError', 400, 'REFUSED', { 'Sec-WebSocket-Key': 'none' }],
  ])('of %s by an HTTP status reaches a program as its class', async (...row) => {
    const [, who, name, code, errorType, headers, path = ''] = row
    class Plain extends WebSocket {
      constructor(address: string, protocols: string[], options: WebSocket.ClientOptions) {
        const plain = new URL(address)
        plain.searchParams.delete('refusals')
        const finishRequest = (request: ClientRequest) => {
          for (const [header, value] of Object.entries(headers)) request.setHeader(header, value)
          request.end()
        }
        super(plain, protocols, { ...options, finishRequest })
      }
    }

    await expectRefusal(
      keys[who]!,
      swaps({}),
      { name, code, errorType },
      { url: url + path, WebSocket: Plain },
    )
  })

  it('of a plan that is used up reaches a program as its class, also at the next subscribe', async () => {
    const busy = await startService({ SOLANA_SOURCE: 'simulator?swaps=2000' })
    onTestFinished(() => busy.kill())
    const { user } = await makeAccount(busy, freshEmail(), 'newpairs')
    const expected = { name: 'PlanError', code: -32_013, errorType: 'PLAN_USED_UP' }

    expect(await expectRefusal(user.APIKey, swaps({}), expected, { url: busy.url })).toBeGreaterThan(900)
    expect(await expectRefusal(user.APIKey, swaps({}), expected, { url: busy.url })).toBe(0)
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

it('two programs with one key on a plan of one connection: the second waits and is told why, and is in within 5 s of the first one’s kill', async () => {
  const { user } = await makeAccount({ dataFolder }, freshEmail(), 'pro')
  const command = join(root, 'packages/client/src/command.ts')
  const first = spawn(process.execPath, ['--import', 'tsx', command, 'tail', 'swaps'], {
    env: { ...process.env, PAIRWIRE_URL: url, PAIRWIRE_KEY: user.APIKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void first.kill('SIGKILL'))
  const states: string[] = []
  createInterface(first.stderr).on('line', (line) => states.push(line))
  const swaps = createInterface(first.stdout)
  await once(swaps, 'line')

  const reasons: PairwireError[] = []
  const pairwire = createPairwire({
    ...{ url, key: user.APIKey },
    onState: (_, why) => why && reasons.push(why),
  })
  onTestFinished(() => pairwire.close())
  const second = pairwire.swaps().on('event', () => {})
  await expect.poll(() => reasons.length).toBe(2)
  await once(swaps, 'line')
  first.kill('SIGKILL')
  const killed = performance.now()
  await expect.poll(() => second.stats().delivered, { interval: 10 }).toBeGreaterThan(0)

  expect(performance.now() - killed).toBeLessThan(5_000)
  expect(states).toEqual(['connecting', 'open'])
  for (const why of reasons)
    expect(why).toMatchObject({ name: 'ConnectionError', errorType: 'CONNECTION_LIMIT', comeBack: true })
  expect((await fetch(reasons[0]!.docs)).status).toBe(200)
})

/** Reads until the refusal: its error has a page, and no text names the key. @returns how many events came before it */
async function expectRefusal(
  key: string,
  ask: Ask,
  expected: { name: string; code: number; errorType: string },
  options: PairwireOptions = {},
): Promise<number> {
  const said: string[] = []
  const onState = (state: string, why: Error | null) => said.push(`${state} ${why} ${JSON.stringify(why)}`)
  const onWarning = (warning: string) => said.push(warning)
  const pairwire = createPairwire({ url, key, onState, onWarning, ...options })

  let events = 0
  const error: PairwireError = await (async () => {
    for await (const _ of ask(pairwire)) events++
    return expect.unreachable('It ended well.')
  })().catch((thrown) => thrown)
  await pairwire.close()

  expect(error).toMatchObject({ ...expected, comeBack: false })
  expect((await fetch(error.docs)).status).toBe(200)
  const texts = [...said, String(error), JSON.stringify(error), error.stack, String(error.cause)]
  for (const text of texts) expect(text).not.toContain(key)
  return events
}
