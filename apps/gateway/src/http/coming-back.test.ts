import { connect, type Socket } from 'node:net'
import { formatCursor } from '@pairwire/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { aBlock, address, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream } from '../testing/stream-reader.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const opened: TestGateway[] = []
const sockets: Socket[] = []
const open = async (...options: Parameters<typeof openGateway>) => {
  const gateway = await openGateway(...options)
  gateway.accounts.set('a1', { key: keyNumber(1) })
  opened.push(gateway)
  return gateway
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()))
})

const KEY = keyNumber(1)
const SWAPS = '/v1/stream/swaps'
const RARE = `${SWAPS}?include.walletAccount=${address(77)}`

const read = ({ port }: TestGateway, path: string, lastEventId?: string) =>
  readStream(port, path, {
    headers: { 'x-api-key': KEY, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  })

/** The messages that are no signs of life, as their methods or cursors. */
const said = (reader: Awaited<ReturnType<typeof read>>) =>
  reader.messages().map(({ id, data }) => (data.method === 'swapNotification' ? id : data.method))

describe('a stream whose place cannot be read', () => {
  it('begins at the oldest event that is kept, behind a gap, which is its first message', async () => {
    const gateway = await open({ busMaxBytes: 3_000 })
    const events = Array.from({ length: 50 }, () => aSwap())
    for (const event of events) await gateway.publish(event)
    const oldest = events.findIndex(({ cursor }) => cursor > '')
    const from = (await gateway.bus.oldestCursor())!

    const reader = await read(gateway, SWAPS, events[0]!.cursor)
    gateway.clock.advance(100)
    const kept = events.filter(({ cursor }) => cursor >= from).map(({ cursor }) => cursor)
    await reader.until(1 + kept.length)

    expect(oldest).toBe(0)
    expect(said(reader)).toEqual(['gapNotification', ...kept])
    expect(reader.messages()[0]?.data.params).toEqual({
      fromSlot: events[0]!.params.slot,
      toSlot: expect.any(Number),
      cause: 'too_old',
      resume_from: null,
    })
    // The first id is the gap's: who has not read that comes back with the old one.
    expect(reader.text()).toMatch(/^retry: 1000\n\n: alive\n\nid: /)
  })

  it('begins behind the very first event, before which nothing is known', async () => {
    const gateway = await open()
    const [elsewhere, first, second] = [aSwap(), aSwap(), aSwap()]
    await gateway.publish(first)
    await gateway.publish(second)

    const reader = await read(gateway, SWAPS, elsewhere.cursor)
    gateway.clock.advance(100)
    await reader.until(2)

    expect(said(reader)).toEqual(['gapNotification', second.cursor])
    expect(reader.messages()[0]?.data.params).toMatchObject({
      fromSlot: elsewhere.params.slot,
      toSlot: first.params.slot,
    })
  })

  it.each([
    ['unreadable', 'of-yesterday'],
    [
      'of another deployment, and so ahead',
      formatCursor({ run: 9, slot: 1, transactionIndex: 0, eventIndex: 0 }),
    ],
  ])('begins now, with both slots of the gap the present one: %s', async (_what, id) => {
    const gateway = await open()
    const before = aSwap()
    await gateway.publish(before)
    const asked = read(gateway, SWAPS, id)
    const passing = setInterval(() => gateway.clock.advance(500), 5)
    const reader = await asked
    clearInterval(passing)
    const after = aSwap()
    await reader.until(1)

    await gateway.publish(after)
    await reader.until(2)

    expect(said(reader)).toEqual(['gapNotification', after.cursor])
    const { slot } = before.params
    expect(reader.messages()[0]?.data.params).toMatchObject({
      fromSlot: slot,
      toSlot: slot,
      cause: 'too_old',
    })
    expect(reader.messages()[0]?.id).toBe(before.cursor)
  })
})

describe('a newcomer over the connection limit', () => {
  /** A stream whose client neither reads nor says that it is gone. */
  async function openSilent(gateway: TestGateway, path: string): Promise<void> {
    const socket = connect(gateway.port, '127.0.0.1')
    sockets.push(socket)
    const { connections } = gateway.gateway.stats()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`)
    await expect.poll(() => gateway.gateway.stats().connections).toBe(connections + 1)
  }

  it.each(['the id of an event', 'that of a sign of life', 'that of the begin'])(
    'takes the place of the stream that sent it %s',
    async (what) => {
      const gateway = await open()
      const [first, swap, block] = [aSwap(), aSwap({ walletAccount: address(77) }), aBlock()]
      await gateway.publish(first)
      await openSilent(gateway, RARE)
      await gateway.publish(swap, block)
      gateway.clock.advance(16_000)
      const [event, , begin] = [swap.cursor, block.cursor, first.cursor]
      const id = { 'the id of an event': event, 'that of the begin': begin }[what] ?? block.cursor

      const newcomer = await read(gateway, RARE, id)

      expect(newcomer.status).toBe(200)
      expect(gateway.gateway.stats().ended).toEqual({ connectionLimit: 1 })
    },
  )

  // Guards browsers, which stop for good at any other answer.
  it('is told to come back while the events that would prove its id cannot be read', async () => {
    const gateway = await open()
    const swap = aSwap()
    await openSilent(gateway, SWAPS)
    await gateway.publish(swap)
    Object.assign(gateway.bus, {
      replay: () => {
        throw new Error('away')
      },
    })

    expect((await read(gateway, SWAPS, swap.cursor)).status).toBe(503)
  })

  it('says 4029 to the one that gave way, if it still reads', async () => {
    const gateway = await open()
    await gateway.publish(aSwap())
    const old = await read(gateway, SWAPS)
    const id = old.lastEventId()

    await read(gateway, SWAPS, id)
    await old.ended

    expect(old.messages().at(-1)?.data).toMatchObject({ method: 'connectionClosed', code: 4029 })
  })

  it.each([
    ['without an id', RARE, undefined],
    ['with an id that was never sent', RARE, 'of-another'],
    ['with the cursor of an event that the filter left out', RARE, 'other event'],
    ['with the cursor of an event before it began', RARE, 'before'],
    ['with other params', SWAPS, 'sent'],
  ])('is refused all the same %s', async (_what, path, given) => {
    const gateway = await open()
    const [before, seen] = [aSwap({ walletAccount: address(77) }), aSwap()]
    await gateway.publish(before, seen)
    const [swap, other] = [aSwap({ walletAccount: address(77) }), aSwap()]
    await openSilent(gateway, RARE)
    await gateway.publish(swap, other)
    const id = { 'other event': other.cursor, before: before.cursor, sent: swap.cursor }[given ?? ''] ?? given
    const asked = read(gateway, path, id)
    const passing = setInterval(() => gateway.clock.advance(500), 5)

    const newcomer = await asked
    clearInterval(passing)

    expect(newcomer.status).toBe(429)
    expect(gateway.gateway.stats().connections).toBe(1)
  })

  it('never takes the place of a websocket', async () => {
    const gateway = await open()
    const swap = aSwap()
    const socket = await gateway.connect(1)
    await socket.ask({ id: 1, method: 'swapSubscribe' })
    await gateway.publish(swap)

    const newcomer = await read(gateway, SWAPS, swap.cursor)

    expect(newcomer.status).toBe(429)
  })
})

describe('a stream over HTTP in the hands of its account', () => {
  it('is among its connections, and can be closed there with 4009', async () => {
    const gateway = await open()
    const reader = await read(gateway, SWAPS)
    const [shown] = await gateway.gateway.openConnections('a1')

    await gateway.bus.sendControl({ type: 'closeConnection', accountId: 'a1', connectionId: shown!.id })
    await reader.ended

    expect(shown).toMatchObject({ subscriptions: [{ kind: 'swap' }] })
    expect(reader.messages().at(-1)?.data).toMatchObject({ method: 'connectionClosed', code: 4009 })
  })

  it.each(
    (['keyReset', 'accountDeleted', 'disconnect'] as const).flatMap((type) =>
      ['text/event-stream', 'application/x-ndjson'].map((accept) => [type, accept] as const),
    ),
  )(
    'ends upon %s, written as %s, with the code and sentence of a websocket, and no other account does',
    async (type, accept) => {
      const gateway = await open()
      const sockets = await Promise.all([gateway.connect(2), gateway.connect(3)])
      const streams = []
      for (const number of [1, 4]) {
        gateway.accounts.set(`a${number}`, { key: keyNumber(number) })
        const headers = { 'x-api-key': keyNumber(number), accept }
        streams.push(await readStream(gateway.port, SWAPS, { headers }))
      }

      for (const accountId of ['a1', 'a2']) {
        if (type === 'keyReset') gateway.accounts.set(accountId, { key: keyNumber(9) })
        if (type === 'accountDeleted') gateway.accounts.forget(accountId)
        await gateway.bus.sendControl({ type, accountId })
      }
      const text = await streams[0]!.ended

      const { code, reason } = await sockets[0]!.closed
      const last = text.trim().split('\n').at(-1)!
      expect(JSON.parse(last.replace('data: ', ''))).toEqual({ method: 'connectionClosed', code, reason })
      expect(code).toBe(type === 'disconnect' ? 4009 : 4001)
      for (const id of ['a3', 'a4']) expect(await gateway.gateway.openConnections(id)).toHaveLength(1)
    },
  )

  it('ends with 1001 and the place when the gateway drains', async () => {
    const gateway = await open()
    const swap = aSwap()
    await gateway.publish(swap)
    const reader = await read(gateway, SWAPS)

    await gateway.gateway.drain(1_000)
    await reader.ended

    expect(reader.messages()).toEqual([
      {
        id: undefined,
        data: {
          method: 'connectionClosed',
          code: 1001,
          reason: `The service is restarting. Reconnect in a moment. resume_from: ${swap.cursor}`,
        },
      },
    ])
  })

  it('says in its first message, and in no other, that the data is simulated', async () => {
    const gateway = await open({ source: 'simulator' })
    const reader = await read(gateway, SWAPS)

    await gateway.publish(aSwap(), aSwap())
    await gateway.publish(aSwap())
    const messages = await reader.until(3)

    expect(messages.map(({ data }) => data.simulated)).toEqual([true, undefined, undefined])
  })

  it('is disconnected with 4008 when it never reads, and harms nobody', async () => {
    const gateway = await open({ limits: { outboxMaxBytes: 64 * 1024 } })
    const socket = connect(gateway.port, '127.0.0.1')
    sockets.push(socket)
    socket.pause()
    socket.write(`GET ${SWAPS} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\n`)
    await expect.poll(() => gateway.gateway.stats().connections).toBe(1)

    for (let round = 0; round < 2_000 && !gateway.gateway.stats().ended.slowConsumer; round++)
      await gateway.publish(...Array.from({ length: 50 }, () => aSwap()))

    expect(gateway.gateway.stats().ended).toEqual({ slowConsumer: 1 })
    gateway.clock.advance(61_000)
    await expect.poll(() => gateway.gateway.stats().connections).toBe(0)
  })

  it('is gone at once when its client hangs up', async () => {
    const gateway = await open()
    const reader = await read(gateway, SWAPS)

    reader.request.destroy()

    await expect.poll(() => gateway.gateway.stats().connections).toBe(0)
    expect((await read(gateway, SWAPS)).status).toBe(200)
  })
})
