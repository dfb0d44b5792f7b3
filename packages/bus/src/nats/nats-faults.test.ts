import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { encodeBase58, formatCursor, type StreamEvent } from '@pairwire/contract'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type NatsServer, startNatsServer, whyNoNatsServer } from '../testing/nats-server.ts'
import { aBlock } from '../testing/slot-end.ts'
import { openTcpProxy, type TcpProxy } from '../testing/tcp-proxy.ts'
import { type NatsBus, type NatsBusOptions, openNatsBus, readNatsAddress } from './nats-bus.ts'
import { openNatsLink } from './nats-link.ts'
import { writeHead, writeSlot } from './slot-message.ts'

const missing = whyNoNatsServer()
if (missing) console.warn(`Faults of NATS are not tested: ${missing}.`)

const silent = { info() {}, warn() {} }

describe.skipIf(missing !== undefined)('the bus on a NATS that fails', () => {
  let server: NatsServer
  const opened: { close(): Promise<void> }[] = []
  let runs = 0
  beforeAll(async () => {
    server = await startNatsServer('max_payload: 16KB')
  })
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close()
    runs++
  })
  afterAll(() => server?.stop())

  const openBus = async (options: Partial<NatsBusOptions> = {}): Promise<NatsBus> => {
    const bus = await openNatsBus({
      address: readNatsAddress(server.url),
      source: 'chain',
      retention: { milliseconds: 3_600_000, bytes: 10_000_000 },
      log: silent,
      maxBytes: 1_000_000,
      takeOverMs: 0,
      prefix: `fault-${runs}`,
      ...options,
    })
    opened.push(bus)
    return bus
  }
  const openProxy = async (): Promise<TcpProxy> => {
    const proxy = await openTcpProxy(server.port)
    opened.push(proxy)
    return proxy
  }
  const through = (proxy: TcpProxy) => ({ address: readNatsAddress(`nats://127.0.0.1:${proxy.port}`) })
  /** What a gateway on this bus delivers to its clients, of everything published from now on. */
  const seenOn = async (bus: NatsBus) => {
    const seen: string[] = []
    bus.subscribe((events) => seen.push(...events.map(told)))
    // A replay waits until the bus is read: otherwise it would begin after what is published in the meantime.
    const replay = bus.replay(aBlock(0).cursor)[Symbol.asyncIterator]()
    await replay.next().catch(() => undefined)
    return seen
  }
  const publish = async (bus: NatsBus, from: number, to: number) => {
    for (let slot = from; slot <= to; slot++) await bus.publish([aBlock(slot)], `${slot}:hash`)
  }
  const deleteStream = async () => {
    const operator = await connect({ servers: server.url })
    await (await jetstreamManager(operator)).streams.delete(`FAULT_${runs}_EVENTS`)
    await operator.close()
  }
  const arrives = (seen: readonly string[], from: number, to: number) =>
    expect.poll(() => seen, { interval: 20 }).toEqual(range(from, to))

  it('is survived without a restart when it is killed and comes back', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 5)
    await arrives(seen, 1, 5)

    await server.kill()
    await publish(ingest, 6, 10)
    await expect.poll(() => [ingest.isUp(), gateway.isUp()]).toEqual([false, false])
    await server.start()

    await arrives(seen, 1, 10)
    expect(await replayed(gateway, 2)).toEqual(range(3, 10))
  })

  it('gets back what it lost after taking it', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 5)
    await ingest.settled()
    await server.kill()
    const earlier = mkdtempSync(join(tmpdir(), 'pairwire-nats-earlier-'))
    cpSync(server.folder, earlier, { recursive: true })
    await server.start()
    await publish(ingest, 6, 12)
    await arrives(seen, 1, 12)

    await server.kill()
    rmSync(join(server.folder, 'jetstream'), { recursive: true })
    cpSync(join(earlier, 'jetstream'), join(server.folder, 'jetstream'), { recursive: true })
    rmSync(earlier, { recursive: true })
    await server.start()
    await publish(ingest, 13, 14)

    await arrives(seen, 1, 14)
    const later = await openBus()
    expect(await replayed(later, 1)).toEqual(range(2, 14))
  })

  it('is survived by a gateway whose connection is cut, which continues at its cursor', async () => {
    const proxy = await openProxy()
    const [ingest, gateway] = [await openBus(), await openBus(through(proxy))]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 3)
    await arrives(seen, 1, 3)

    proxy.cut()
    await publish(ingest, 4, 8)
    await ingest.settled()
    proxy.mend()

    await arrives(seen, 1, 8)
  })

  it('is survived by a gateway that hears nothing although its connection seems open', async () => {
    const proxy = await openProxy()
    const [ingest, gateway] = [await openBus(), await openBus(through(proxy))]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 3)
    await arrives(seen, 1, 3)

    proxy.cut('silently')
    await publish(ingest, 4, 8)
    await expect.poll(() => gateway.isUp()).toBe(false)
    proxy.mend()

    await arrives(seen, 1, 8)
  })

  it('leaves a gap when it is away for longer than memory lasts', async () => {
    const proxy = await openProxy()
    const [ingest, gateway] = [await openBus({ ...through(proxy), queueBytes: 3_000 }), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 3)
    await arrives(seen, 1, 3)

    proxy.cut()
    await expect.poll(() => ingest.isUp()).toBe(false)
    await publish(ingest, 4, 100)
    proxy.mend()

    await expect.poll(() => seen.at(-1)).toBe('100')
    const [gap, ...rest] = seen.slice(3)
    const first = Number(rest[0])
    expect(gap).toBe(`gap 4-${first - 1}`)
    expect(rest).toEqual(range(first, 100))
    expect((await replayed(gateway, 3))[0]).toBe(gap)
  })

  it('delivers what it has no room for to listeners, once, and keeps it as soon as it has room', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 2)
    await arrives(seen, 1, 2)
    const operator = await connect({ servers: server.url })
    const jsm = await jetstreamManager(operator)
    const name = `FAULT_${runs}_EVENTS`
    await jsm.streams.update(name, { discard: DiscardPolicy.New, max_msgs: 2 })

    await publish(ingest, 3, 6)
    await arrives(seen, 1, 6)
    expect((await jsm.streams.info(name)).state.messages).toBe(2)
    await jsm.streams.update(name, { discard: DiscardPolicy.Old, max_msgs: -1 })
    await operator.close()

    await ingest.settled()
    await publish(ingest, 7, 7)
    await arrives(seen, 1, 7)
    expect(await replayed(await openBus(), 1)).toEqual(range(2, 7))
  })

  it('delivers from its stream the part of a slot that was too large to send at once', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen: string[] = []
    gateway.subscribe((events) => seen.push(...events.map(({ cursor }) => cursor)))
    await publish(ingest, 1, 1)
    await expect.poll(() => seen).toHaveLength(1)

    const small = Array.from({ length: 100 }, (_, transactionIndex) => {
      return { ...aBlock(2), cursor: formatCursor({ run: 0, slot: 2, transactionIndex, eventIndex: 0 }) }
    })
    const large = Array.from({ length: 100 }, (_, at) => aSwapAt(2, 100 + at))
    await ingest.publish([...small, ...large], '2:hash')

    const all = [...small, ...large].map(({ cursor }) => cursor)
    await expect.poll(() => seen.slice(1)).toEqual(all)
  })

  it('gets its streams again when they were removed', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 2)
    await arrives(seen, 1, 2)
    await deleteStream()

    await publish(ingest, 3, 4)

    await arrives(seen, 1, 4)
  })

  it('leaves a gap when it lost everything, together with the ingest that knew it', async () => {
    const [ingest, gateway] = [await openBus(), await openBus()]
    const seen = await seenOn(gateway)
    await publish(ingest, 1, 2)
    await arrives(seen, 1, 2)
    await ingest.close()
    await deleteStream()

    const other = await openBus()
    await publish(other, 6, 7)

    await expect.poll(() => seen).toEqual(['1', '2', 'gap 3-5', '6', '7'])
  })

  it('starts over for a gateway that was away when the kind of source changed', async () => {
    const proxy = await openProxy()
    const simulator = await openBus({ source: 'simulator' })
    const gateway = await openBus(through(proxy))
    const seen = await seenOn(gateway)
    await publish(simulator, 100, 101)
    await arrives(seen, 100, 101)

    proxy.cut()
    await simulator.close()
    const chain = await openBus()
    await publish(chain, 5, 6)
    await chain.settled()
    proxy.mend()

    await expect.poll(() => seen).toEqual(['100', '101', '5', '6'])
    expect(await gateway.newestCursor()).toBe(aBlock(6).cursor)
  })

  it('delivers a slot larger than a message in parts, whole', async () => {
    const [ingest, gateway] = [await openBus(), await openBus({ maxBytes: 1_000 })]
    const batches: (readonly StreamEvent[])[] = []
    gateway.subscribe((events) => batches.push(events))
    const large = Array.from({ length: 2_000 }, (_, at) => aSwapAt(7, at))

    await ingest.publish([aBlock(6)], '6:hash')
    await ingest.publish(large, '7:hash')
    await ingest.publish([aBlock(8)], '8:hash')

    await expect.poll(() => batches.at(-1)).toEqual([aBlock(8)])
    expect(batches).toEqual([[aBlock(6)], large, [aBlock(8)]])
    const again: StreamEvent[] = []
    for await (const events of gateway.replay(aBlock(6).cursor)) again.push(...events)
    expect(again).toEqual([...large, aBlock(8)])
  })

  it('delivers a slot whole to a gateway that starts while only its first part is there', async () => {
    const ingest = await openBus()
    await publish(ingest, 1, 1)
    await ingest.settled()
    const { connection, js } = await openNatsLink(readNatsAddress(server.url), silent)
    opened.push({ close: () => connection.close() })
    const body = await writeSlot([aSwapAt(2, 0), aBlock(2)])
    const append = (data: Buffer, part: number) => {
      const [before, last] = [aBlock(1).cursor, aBlock(2).cursor]
      const head = { before, last, source: 'chain', epoch: '', publisher: 'other', part, parts: 2 }
      return js.publish(`fault-${runs}.events`, data, { headers: writeHead(head) })
    }

    await append(body.subarray(0, 100), 1)
    const seen = await seenOn(await openBus())
    await append(body.subarray(100), 2)

    await expect.poll(() => seen).toEqual(['2', '2'])
  })

  it('delivers control messages to a gateway that was away when they were sent, each once', async () => {
    const proxy = await openProxy()
    const [api, gateway] = [await openBus(), await openBus(through(proxy))]
    const seen: string[] = []
    gateway.onControl((message) => 'accountId' in message && seen.push(message.accountId))
    await api.sendControl({ type: 'keyReset', accountId: 'before' })
    await expect.poll(() => seen).toEqual(['before'])

    proxy.cut()
    await api.sendControl({ type: 'keyReset', accountId: 'meanwhile' })
    proxy.mend()
    await expect.poll(() => seen).toEqual(['before', 'meanwhile'])
    await api.sendControl({ type: 'keyReset', accountId: 'after' })

    await expect.poll(() => seen).toEqual(['before', 'meanwhile', 'after'])
  })

  it('gets a control message sent while it was away, without delaying the sender', async () => {
    const proxy = await openProxy()
    const [api, gateway] = [await openBus(through(proxy)), await openBus()]
    const seen: string[] = []
    gateway.onControl((message) => 'accountId' in message && seen.push(message.accountId))

    proxy.cut()
    await api.sendControl({ type: 'keyReset', accountId: 'a' })
    proxy.mend()

    await expect.poll(() => seen).toEqual(['a'])
  })
})

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at))

const told = (event: StreamEvent): string =>
  event.kind === 'gap'
    ? `gap ${event.params.fromSlot}-${event.params.toSlot}`
    : String(Number(event.cursor.split('-')[1]))

/** An event that does not compress well. */
function aSwapAt(slot: number, transactionIndex: number): StreamEvent {
  const address = () => encodeBase58(randomBytes(32))
  return {
    kind: 'swap',
    cursor: formatCursor({ run: 0, slot, transactionIndex, eventIndex: 0 }),
    params: {
      slot,
      signature: encodeBase58(randomBytes(64)),
      blockTime: 1_790_000_000,
      swap: {
        sourceExchange: 'pumpfun',
        ammAccount: address(),
        baseTokenMint: address(),
        quoteTokenMint: address(),
        walletAccount: address(),
        quotePrice: '1',
        usdValue: null,
        baseAmount: '1',
        quoteAmount: '1',
        swapType: 'buy',
        quoteTokenLiquidity: '1',
      },
    },
  }
}

async function replayed(bus: NatsBus, afterSlot: number): Promise<string[]> {
  const seen: string[] = []
  for await (const events of bus.replay(aBlock(afterSlot).cursor)) seen.push(...events.map(told))
  return seen
}
