import { setImmediate as turn } from 'node:timers/promises'
import { type EarlyMessage, slotOf } from '@pairwire/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream, type StreamReader } from '../testing/stream-reader.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const opened: TestGateway[] = []
const open = async (...options: Parameters<typeof openGateway>) => {
  const gateway = await openGateway(...options)
  opened.push(gateway)
  return gateway
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()))
})

/** Reads a stream with the key of that number, whose account is on Pro unless it is there already. */
function read(
  gateway: TestGateway,
  path: string,
  {
    number = 1,
    headers = {},
    ...rest
  }: { number?: number; headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<StreamReader> {
  gateway.accounts.set(`a${number}`, { key: keyNumber(number) })
  return readStream(gateway.port, path, { headers: { 'X-API-KEY': keyNumber(number), ...headers }, ...rest })
}

/** What comes before the first message; `place` if the stream has one by then. */
const begin = (place?: string) => `retry: 1000\n\n: alive\n${place ? `id: ${place}\n` : ''}\n`

/** A swap as it is executed, before its block. */
function executed(swap: ReturnType<typeof aSwap>, bank: number): EarlyMessage {
  const event = { ...swap, unplaced: true, commitment: 'processed' } as const
  return {
    ...{ kind: 'executed', slot: slotOf(swap.cursor), source: 0, bank, signature: `signature ${bank}` },
    events: [event],
  }
}

describe('a stream over HTTP', () => {
  it('sends each event of its kind as one message with its cursor as id, without subscription_id', async () => {
    const gateway = await open()
    const first = aSwap()
    await gateway.publish(first)
    const reader = await read(gateway, '/v1/stream/swaps')
    const events = [aNewPair(), aSwap(), aBlock()] as const
    const [, swap] = events

    await gateway.publish(...events)
    await reader.until(1)

    expect(reader.status).toBe(200)
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    })
    expect(reader.text()).toBe(
      `${begin(first.cursor)}id: ${swap.cursor}\ndata: {"method":"swapNotification","params":${JSON.stringify(swap.params)},"cursor":"${swap.cursor}"}\n\n`,
    )
  })

  it('takes the whole address as its target, as proxies send it', async () => {
    const gateway = await open()
    const reader = await read(gateway, 'http://host/v1/stream/swaps?limit=1')
    await gateway.publish(aSwap())

    await reader.until(1)

    expect(reader.headers).toMatchObject({ 'content-type': 'text/event-stream' })
  })

  it.each([
    ['pairs', 'newPairNotification'],
    ['blocks', 'latestBlockNotification'],
  ])('sends %s too', async (name, method) => {
    const gateway = await open()
    const reader = await read(gateway, `/v1/stream/${name}`)

    await gateway.publish(aSwap(), aNewPair(), aBlock())

    expect((await reader.until(1)).map(({ data }) => data.method)).toEqual([method])
  })

  it.each(['application/x-ndjson', 'Application/X-NDJSON'])(
    'sends the same as JSON lines to a client that asks for them: %s',
    async (accept) => {
      const gateway = await open()
      const reader = await read(gateway, '/v1/stream/swaps', { headers: { accept } })
      const swap = aSwap()

      await gateway.publish(swap)
      await reader.until(1)

      expect(reader.headers['content-type']).toBe('application/x-ndjson')
      expect(reader.text()).toBe(
        `{"method":"swapNotification","params":${JSON.stringify(swap.params)},"cursor":"${swap.cursor}"}\n`,
      )
    },
  )

  it('says every 15 s how far it was read, so that a rare filter resumes too', async () => {
    const gateway = await open()
    const reader = await read(gateway, `/v1/stream/swaps?include.walletAccount=${address(77)}`)
    const swap = aSwap()
    await gateway.publish(swap)

    gateway.clock.advance(16_000)

    await expect.poll(() => reader.text()).toBe(`${begin()}: alive\nid: ${swap.cursor}\n\n`)
  })

  it('takes the params of a subscribe as JSON, with or without a content type', async () => {
    const gateway = await open()
    const body = JSON.stringify({ include: { walletAccount: [address(5)] } })
    const reader = await read(gateway, '/v1/stream/swaps', { method: 'POST', body })

    await gateway.publish(aSwap(), aSwap({ walletAccount: address(5) }))

    const [message] = await reader.until(1)
    expect(message?.data.params.swap.walletAccount).toBe(address(5))
  })

  it('ends after limit events, each counted, and no other', async () => {
    const gateway = await open()
    const reader = await read(gateway, '/v1/stream/swaps?limit=2')

    await gateway.publish(aSwap(), aSwap(), aSwap(), aSwap())
    await reader.ended
    gateway.clock.advance(2_000)
    await turn()

    expect(reader.messages()).toHaveLength(2)
    expect(reader.text()).not.toContain('connectionClosed')
    await expect.poll(() => gateway.accounts.delivered('a1', '2026-11-01', 'swap')).toBe(2)
  })

  it('counts its events as sent over HTTP, also in lines of JSON, beside a websocket’s of the same account', async () => {
    const gateway = await open()
    gateway.accounts.set('a1', { connectionLimit: 3 })
    const client = await gateway.connect(1)
    await client.ask({ id: 1, method: 'swapSubscribe' })
    await read(gateway, '/v1/stream/swaps')
    await readStream(gateway.port, '/v1/stream/pairs', {
      headers: { 'x-api-key': keyNumber(1), accept: 'application/x-ndjson' },
    })

    await gateway.publish(aSwap({ swapType: 'buy' }), aNewPair())
    await client.untilPong()
    gateway.clock.advance(2_000)

    await expect.poll(() => gateway.accounts.recorded).toHaveLength(3)
    const counted = gateway.accounts.recorded.map(({ kind, count, face }) => ({ kind, count, face }))
    expect(counted).toEqual(
      expect.arrayContaining([
        { kind: 'buy', count: 1, face: undefined },
        { kind: 'buy', count: 1, face: 'http' },
        { kind: 'newPair', count: 1, face: 'http' },
      ]),
    )
  })

  it('ends after seconds with how far it was read, so that a loop with a rare filter gets on', async () => {
    const gateway = await open()
    const reader = await read(gateway, `/v1/stream/swaps?seconds=3&include.walletAccount=${address(77)}`)
    const swap = aSwap()
    await gateway.publish(swap)

    gateway.clock.advance(3_001)

    expect(await reader.ended).toBe(`${begin()}: alive\nid: ${swap.cursor}\n\n`)
  })

  // Guards a browser, which comes back behind the last id: what lay between it and the limit would be lost.
  it.each([
    ['live', false],
    ['resumed', true],
  ])('gives no place behind its limit, not even that of a gap: %s', async (_how, isResumed) => {
    const gateway = await open()
    const [begins, first, second] = [aSwap(), aSwap(), aSwap()]
    const block = aBlock()
    const gap = {
      kind: 'gap',
      cursor: block.cursor,
      params: { fromSlot: 1, toSlot: 2, cause: 'upstream', resume_from: null },
    } as const
    await gateway.publish(begins, ...(isResumed ? [first, second, gap] : []))
    const reader = await read(gateway, '/v1/stream/swaps?limit=1', {
      headers: isResumed ? { 'last-event-id': begins.cursor } : {},
    })

    if (isResumed) gateway.clock.advance(100)
    else await gateway.publish(first, second, gap)
    await reader.ended

    expect(reader.messages().map(({ id }) => id)).toEqual([first.cursor])
    expect(reader.lastEventId()).toBe(first.cursor)
  })

  it('ends after limit events ahead of confirmation, without ids', async () => {
    const gateway = await open()
    const reader = await read(gateway, '/v1/stream/swaps?limit=2&commitment=processed')
    const swaps = Array.from({ length: 3 }, () => aSwap())

    for (const [bank, swap] of swaps.entries()) gateway.bus.publishEarly(executed(swap, bank))
    gateway.clock.advance(5)
    await reader.ended

    expect(reader.messages().map(({ id, data }) => [id, data.params.slot])).toEqual(
      swaps.slice(0, 2).map(({ params }) => [undefined, params.slot]),
    )
    expect(reader.text()).not.toMatch(/^id:|connectionClosed/m)
    await expect.poll(() => gateway.gateway.stats().connections).toBe(0)
  })

  it('goes on behind Last-Event-ID with nothing lost and nothing twice', async () => {
    const gateway = await open()
    const events = Array.from({ length: 6 }, () => aSwap())
    await gateway.publish(...events.slice(0, 4))
    const reader = await read(gateway, `/v1/stream/swaps?resume_from=${events[0]!.cursor}`, {
      headers: { 'last-event-id': events[1]!.cursor },
    })

    gateway.clock.advance(100)
    await reader.until(2)
    await gateway.publish(...events.slice(4))

    expect((await reader.until(4)).map(({ id }) => id)).toEqual(events.slice(2).map(({ cursor }) => cursor))
  })
})
