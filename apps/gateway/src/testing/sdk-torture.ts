import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { createRandom } from '@pairwire/chain-double'
import type { Gap, Pairwire, SideItem, Stream, StreamEvent } from '@pairwire/client'
import { createPairwireOn } from '@pairwire/client/testing/pairwire-on'
import { formatCursor, LAST_PLACE, type StreamEvent as Publishable } from '@pairwire/contract'
import { WebSocket } from 'ws'
import { takeUpgrades } from '../door/upgrade-request.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { aBlock, aNewPair, aSwap } from './events.ts'
import { createFakeAccounts, keyNumber } from './fake-accounts.ts'
import { NarrowLine } from './narrow-line.ts'
import { type Filter, type Got, judge, type Published } from './sdk-judge.ts'
import { openGateway } from './test-gateway.ts'

/** What some schedules did, and its outcome. A run in which one of these is 0 tested too little. */
type SdkCounts = {
  events: number
  cuts: number
  resumes: number
  /** Times that a client was dropped as too slow, and that a connection was paused. */
  slowConsumers: number
  rests: number
  /** Updates, and those whose connection broke before the answer. */
  updates: number
  updatesInFlight: number
  gaps: number
}

/** Steps of a schedule, and turns of the loop within which everything must have arrived at its end. */
const STEPS = 40
const MOST_TURNS = 20_000

/** Turns for which a connection is narrow, after how many of them it overflows, and the events for that. */
const [SQUEEZED_TURNS, JOINED_TURNS, SQUEEZED_EVENTS] = [32, 20, 20]

/** Room of a narrow connection, and what the gateway keeps for a client that does not read, in bytes. */
const NARROW_BYTES = 8_192
const OUTBOX_BYTES = 4_096

/** Minimum values of filters, and the values of the events. */
const FILTERS = [0, 10, 20] as const
const VALUES = [5, 15, 30] as const

/** Small limits, quickly reached; rates that nothing reaches. */
const LIMITS = {
  ...{ connectsPerSecondPerKey: 1e6, connectsBurstPerKey: 1e6, connectsPerSecondPerAddress: 1e6 },
  ...{ requestsPerSecond: 1e6, requestsBurst: 1e6, resumesPerMinute: 1e6 },
  ...{ outboxMaxBytes: OUTBOX_BYTES, recentEvents: 16, replayedEventsKept: 64, replaySliceEvents: 8 },
}

/**
 * Plays schedules on one gateway: a program reads several streams over a connection that is cut at any byte, narrowed
 * or left half-open; its readers stop and continue, filters change, and the service forgets. It compares what each
 * reader got with what was published. The test controls the clock; `report` is called after every schedule.
 */
export async function tortureSdk(
  schedules: number,
  seed: number,
  report: (played: number) => void = () => {},
): Promise<SdkCounts & { problems: string[] }> {
  const counts: SdkCounts = {
    ...{ events: 0, cuts: 0, resumes: 0, slowConsumers: 0, rests: 0 },
    ...{ updates: 0, updatesInFlight: 0, gaps: 0 },
  }
  const problems: string[] = []
  const service = await openService()
  for (let played = 0; played < schedules; played++) {
    const schedule = new Schedule(service, createRandom(seed + played), counts)
    for (const problem of await schedule.play()) problems.push(`seed ${seed + played}: ${problem}`)
    report(played + 1)
  }
  await service.close()
  return { ...counts, problems }
}

type Service = Awaited<ReturnType<typeof openService>>

/** A gateway behind a cutting proxy, with connections that can be narrowed. */
async function openService() {
  const kept = createInProcessBus({ maxBytes: 2_000_000 })
  let oldest = ''
  const bus = {
    ...kept,
    holds: async (cursor: string) => cursor >= oldest && kept.holds(cursor),
    oldestCursor: async () => oldest || kept.oldestCursor(),
  }
  const accounts = createFakeAccounts()
  accounts.set('a1', { key: keyNumber(1) })
  const clock = createManualClock()
  const stream = await openGateway({ beside: { bus, accounts }, clock, limits: LIMITS })
  const lines = new Set<NarrowLine>()
  let isNarrow = false
  const server = createServer()
  takeUpgrades(server, (request, socket, head) =>
    stream.gateway.handleUpgrade(request, isNarrow ? narrowed(socket) : socket, head),
  )
  const narrowed = (socket: Duplex) => {
    const line = new NarrowLine(socket, NARROW_BYTES)
    lines.add(line)
    line.on('close', () => lines.delete(line))
    return line
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = new CuttingProxy((server.address() as AddressInfo).port)
  let slot = 1_000
  let index = 0

  return {
    url: `ws://127.0.0.1:${await proxy.listen()}`,
    ...{ key: keyNumber(1), proxy, clock },
    /** Publishes an event in the current slot; a block ends it, and so does a gap of the next two. */
    publish(what: 'swap' | 'newPair' | 'latestBlock' | 'gap', usdValue = 0): Published {
      const gap = { fromSlot: slot + 1, toSlot: slot + 2 }
      if (what === 'gap') slot += 2
      const isEvent = what === 'swap' || what === 'newPair'
      const place = isEvent ? { transactionIndex: index++, eventIndex: 0 } : LAST_PLACE
      const cursor = formatCursor({ run: 1, slot, ...place })
      const event = {
        swap: () => aSwap({ usdValue }),
        newPair: () => aNewPair(),
        latestBlock: () => aBlock(),
        gap: (): Publishable & { kind: 'gap' } => ({
          ...{ kind: 'gap', cursor },
          params: { ...gap, cause: 'upstream', resume_from: null },
        }),
      }[what]()
      if (event.kind !== 'gap') Object.assign(event.params, { [isEvent ? 'slot' : 'block']: slot })
      void stream.publish({ ...event, cursor } as Publishable)
      if (!isEvent) {
        slot++
        index = 0
      }
      return what === 'gap' ? { cursor, gap } : { cursor, event: { kind: what, usdValue } }
    },
    /** Forgets everything up to a cursor. */
    forget(cursor: string) {
      oldest = cursor
    },
    /** New connections are narrow; the existing ones become wide again. */
    narrow: (becomes: boolean) => {
      isNarrow = becomes
      if (!becomes) for (const line of lines) line.widen(Number.POSITIVE_INFINITY)
    },
    async close() {
      await proxy.close()
      await stream.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The class of `ws`, which reports how it was closed. */
function toldWebSocket(whenClosed: (code: number) => void) {
  return class extends WebSocket {
    constructor(...parts: ConstructorParameters<typeof WebSocket>) {
      super(...parts)
      this.on('close', whenClosed)
    }
  }
}

/** A class like a browser's, which reports the same: it cannot pause, and sends no headers. */
function bareWebSocket(whenClosed: (code: number) => void) {
  return class {
    onopen: (() => void) | null = null
    onmessage: ((event: { data: unknown }) => void) | null = null
    onerror: ((event: unknown) => void) | null = null
    onclose: ((event: unknown) => void) | null = null
    readonly #socket: WebSocket

    constructor(url: string) {
      this.#socket = new WebSocket(url, { perMessageDeflate: false })
      this.#socket.onopen = () => this.onopen?.()
      this.#socket.onmessage = ({ data }) => this.onmessage?.({ data: String(data) })
      this.#socket.onerror = (event) => this.onerror?.(event)
      this.#socket.onclose = (event) => {
        whenClosed(event.code)
        this.onclose?.(event)
      }
    }

    send(text: string): void {
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text)
    }

    close(code: number): void {
      this.#socket.close(code)
    }
  }
}

/** One stream and its reader, which can be stopped. */
type Reader = {
  stream: Stream<StreamEvent>
  kind: 'swap' | 'newPair' | 'latestBlock'
  start: string
  got: Got[]
  filters: Filter[]
  /** Resolves while the reader reads. */
  gate: Promise<void>
  open(): void
  isDone: Promise<unknown>
}

class Schedule {
  readonly #service: Service
  readonly #random: () => number
  readonly #counts: SdkCounts
  readonly #published: Published[] = []
  readonly #readers: Reader[] = []
  readonly #problems: string[] = []
  readonly #stopped = new Set<Reader>()
  #pairwire!: Pairwire
  #updating: { isCut: boolean } | undefined

  constructor(service: Service, random: () => number, counts: SdkCounts) {
    this.#service = service
    this.#random = random
    this.#counts = counts
  }

  /** @returns what is wrong */
  async play(): Promise<string[]> {
    this.#service.forget('')
    this.#publish('latestBlock')
    this.#openStreams()
    await this.#until('nothing opens', () => this.#readers.every(({ stream }) => stream.stats().connects > 0))
    for (let step = 0; step < STEPS; step++) await this.#step()
    await this.#finish()
    await this.#pairwire.close()
    for (const { kind, start, got, filters, stream, isDone } of this.#readers) {
      await isDone
      const problem = judge(
        this.#published.filter(({ cursor }) => cursor > start),
        ...([got, kind, filters] as const),
      )
      if (problem) this.#problems.push(`${kind}: ${problem}`)
      const { duplicates, connects, slowedDown } = stream.stats()
      if (duplicates > 0 && kind !== 'latestBlock') this.#problems.push(`${kind}: ${duplicates} came again.`)
      this.#counts.events += got.length
      this.#counts.resumes += connects - 1
      this.#counts.rests += slowedDown
      this.#counts.gaps += got.filter((item) => typeof item === 'object').length
    }
    return this.#problems
  }

  #openStreams(): void {
    const { url, key, clock } = this.#service
    const whenClosed = (code: number) => {
      if (code === 4008) this.#counts.slowConsumers++
    }
    const findWebSocket = async () => (this.#below(3) ? toldWebSocket : bareWebSocket)(whenClosed)
    this.#pairwire = createPairwireOn(
      { clock, random: this.#random, findWebSocket },
      {
        ...{ url, key, retryFirstMs: 5, retryMaxMs: 100, onWarning() {} },
        onState: (_, why) => {
          if (why && this.#updating) this.#updating.isCut = true
        },
      },
    )
    const start = this.#published.at(-1)!.cursor
    const options = () => ({
      ...{ from: start, maxUnread: [1, 2, 6, 10_000][this.#below(4)]! },
      whenFull: this.#below(3) ? ('pause' as const) : ('drop_oldest' as const),
    })
    const include = { usdValue: FILTERS[1] }
    this.#read('swap', start, this.#pairwire.swaps({ include }, options()), FILTERS[1])
    if (this.#below(3))
      this.#read('newPair', start, this.#pairwire.newPairs({ include_launchpad_tokens: true }, options()))
    if (this.#below(3)) this.#read('latestBlock', start, this.#pairwire.blocks(options()))
  }

  /** Reads in one of the three possible ways. */
  #read(kind: Reader['kind'], start: string, stream: unknown, from = 0): void {
    const reader: Reader = {
      ...{ kind, start, got: [], gate: Promise.resolve(), open() {}, isDone: Promise.resolve() },
      filters: [{ from, notBefore: '', notAfter: '' }],
      stream: stream as Stream<StreamEvent>,
    }
    const take = (item: StreamEvent | SideItem) => {
      if (item.type === 'gap') reader.got.push(item)
      else if ('cursor' in item) reader.got.push(item.cursor!)
    }
    const way = this.#below(3)
    if (way > 0) reader.stream.on('gap', (gap: Gap) => take(gap))
    if (way === 2) {
      reader.stream.on('event', (event) => {
        take(event)
        return reader.gate
      })
      reader.isDone = reader.stream.closed
    } else {
      reader.isDone = (async () => {
        for await (const item of way === 1 ? reader.stream : reader.stream.items()) {
          take(item)
          await reader.gate
        }
      })()
    }
    this.#readers.push(reader)
  }

  async #step(): Promise<void> {
    const dice = this.#below(40)
    if (dice < 16) this.#publishSome(1 + this.#below(3))
    else if (dice < 18) this.#publishSome(30)
    else if (dice < 22) this.#publish('latestBlock')
    else if (dice < 23 && !this.#updating) this.#publish('gap')
    else if (dice < 26) this.#cut()
    else if (dice < 28) this.#stopOrGoOn()
    else if (dice < 31) this.#update()
    else if (dice < 32) await this.#squeeze()
    else if (dice < 33) this.#forget()
    else if (dice < 34) this.#service.narrow(false)
    else if (dice < 38) this.#service.clock.advance([5, 20, 100, 2_000][dice - 34]!)
    else for (let turns = this.#below(10); turns > 0; turns--) await turn()
    if (this.#below(3) > 0) await turn()
  }

  #publishSome(count: number): void {
    for (let made = 0; made < count; made++) {
      const kind = this.#below(4) ? 'swap' : 'newPair'
      this.#publish(kind, VALUES[this.#below(VALUES.length)]!)
    }
  }

  #publish(what: Parameters<Service['publish']>[0], usdValue = Number.POSITIVE_INFINITY): void {
    this.#published.push(this.#service.publish(what, Math.min(usdValue, 1e6)))
  }

  #cut(): void {
    const { proxy } = this.#service
    this.#counts.cuts++
    const dice = this.#below(8)
    if (dice === 0) proxy.orphan()
    else proxy.cut(dice < 4 ? 0 : this.#below(2_000))
    // The next connection is cut too: in its handshake, its subscribes, their answers or its replay.
    if (dice === 1) proxy.cut(this.#below(3_000))
  }

  /** Reopens all connections as narrow ones, and publishes more than the gateway keeps for a slow client. */
  async #squeeze(): Promise<void> {
    const { narrow, proxy } = this.#service
    narrow(true)
    proxy.cut()
    this.#counts.cuts++
    for (let turns = 0; turns < SQUEEZED_TURNS; turns++) {
      if (turns >= JOINED_TURNS && turns % 4 === 0) this.#publishSome(SQUEEZED_EVENTS)
      await turn()
      this.#service.clock.advance(5)
    }
    if (this.#below(4) > 0) narrow(false)
  }

  #stopOrGoOn(): void {
    const reader = this.#readers[this.#below(this.#readers.length)]!
    const { open } = reader
    reader.open = () => {}
    if (this.#stopped.delete(reader)) open()
    else {
      this.#stopped.add(reader)
      reader.gate = new Promise((resolve) => {
        reader.open = resolve
      })
    }
  }

  #update(): void {
    const reader = this.#readers[0]!
    // A gap has no cursor: items passed before it are checked again when it is replayed, and may then follow it.
    const gap = this.#published.findLast((one) => one.gap)?.cursor ?? ''
    if (this.#updating || gap > (reader.stream.cursor ?? '')) return
    const from = FILTERS[this.#below(FILTERS.length)]!
    const updating = { isCut: false }
    this.#updating = updating
    this.#counts.updates++
    const notBefore = reader.got.findLast((item) => typeof item === 'string') ?? ''
    const filter = { from, notBefore: String(notBefore), notAfter: '\uffff' }
    reader.filters.push(filter)
    void reader.stream.update({ include: { usdValue: from } }).then(
      () => {
        filter.notAfter = this.#published.at(-1)!.cursor
        this.#updating = undefined
        if (updating.isCut) this.#counts.updatesInFlight++
      },
      (error) => this.#problems.push(`The update ended with ${error}.`),
    )
  }

  #forget(): void {
    this.#service.forget(this.#published.at(-1)!.cursor)
  }

  async #finish(): Promise<void> {
    this.#service.narrow(false)
    for (const reader of this.#stopped) reader.open()
    await this.#until('the update has no answer', () => !this.#updating)
    // Every reader wants these, and one that has them has all earlier ones.
    for (const what of ['swap', 'newPair', 'latestBlock'] as const) this.#publish(what)
    const last = this.#published.slice(-3)
    await this.#until('not all comes', () =>
      this.#readers.every(
        ({ kind, got }) => got.at(-1) === last.find(({ event }) => event!.kind === kind)!.cursor,
      ),
    )
  }

  /** Lets time pass until the condition holds. */
  async #until(problem: string, condition: () => boolean): Promise<void> {
    for (let turns = 0; !condition(); turns++) {
      if (turns > MOST_TURNS) {
        const stats = this.#readers.map(({ kind, stream }) => `${kind} ${JSON.stringify(stream.stats())}`)
        this.#problems.push(`${problem}: ${this.#pairwire.state}, ${stats.join(', ')}`)
        return
      }
      await turn()
      if (turns % 4 === 3) this.#service.clock.advance(20)
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}
