import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock } from '@pairwire/basics'
import { createInProcessBus } from '@pairwire/bus'
import { createRandom } from '@pairwire/chain-double'
import type { StreamEvent } from '@pairwire/contract'
import { takeStreams } from '../door/take-streams.ts'
import { createGateway } from '../gateway.ts'
import { createFakeAccounts, keyNumber } from './fake-accounts.ts'
import { createStreamChain, type StreamChain } from './stream-chain.ts'

/** The outcome of some cuts. */
type StreamOutcome = Readonly<{
  cuts: Readonly<Record<Cut, number>>
  events: number
  gaps: number
  /** Streams that gave way to their own client. */
  gaveWay: number
  longestAwayMs: number
  /** The problems, each as a sentence; empty if all is well. */
  problems: readonly string[]
}>

/** How a client's line ends: its end is said, it is reset, or nothing is said and nothing read any more. */
const CUTS = ['fin', 'rst', 'silence'] as const
type Cut = (typeof CUTS)[number]

const CLIENTS = 30
const SLOT_MS = 40

/** Milliseconds in which a client must be back, by the clock of the service. */
const BACK_MS = 10_000
/** Milliseconds of real time in which the last events must arrive. */
const PATIENCE_MS = 60_000

/**
 * Cuts clients of server-sent events, each on a plan of one connection, which come back as a browser does: after the wait
 * that they were told, with the last id that they were sent. A third filter, and another third has a filter that nothing
 * matches. What each gets is compared with the chain. `speed` is how many times as fast as real time the service runs.
 */
export async function tortureStreams(cuts: number, seed: number, speed: number): Promise<StreamOutcome> {
  const random = createRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const problems: string[] = []
  const clock: Clock = {
    ...systemClock,
    elapsed: () => systemClock.elapsed() * speed,
    after: (ms, callback) => systemClock.after(ms / speed, callback),
  }
  const bus = createInProcessBus({ maxBytes: 200_000_000 })
  const accounts = createFakeAccounts()
  const gateway = createGateway({
    ...{ bus, accounts, clock, source: 'chain', docsUrl: '', supportEmail: '', clientAddress: () => '::1' },
    log: { info: () => {}, warn: (text) => problems.push(text), error: (text) => problems.push(text) },
    limits: { connectsPerSecondPerAddress: 10_000, resumesPerMinute: 100_000 },
  })
  const server = createServer()
  takeStreams(server, gateway)
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1_000 }, resolve))
  const { port } = server.address() as AddressInfo // it listens on a port

  const chain = createStreamChain()
  await bus.publish(chain.nextSlot())
  const publishing = setInterval(() => void bus.publish(chain.nextSlot()), SLOT_MS / speed)
  const clients = Array.from({ length: CLIENTS }, (_, at) => {
    accounts.set(`a${at}`, { key: keyNumber(at) })
    return createStreamClient({
      name: `client ${at}`,
      key: keyNumber(at),
      port,
      speed,
      chain,
      kind: at % 3,
      problems,
    })
  })

  const counts = { fin: 0, rst: 0, silence: 0 }
  for (let done = 0; done < cuts && problems.length === 0; ) {
    await wait(2)
    const client = clients[below(CLIENTS)]!
    if (!client.isOpen()) continue
    const how = CUTS[below(CUTS.length)]!
    client.cut(how)
    counts[how]++
    done++
  }

  clearInterval(publishing)
  const until = performance.now() + PATIENCE_MS
  while (!clients.every((client) => client.hasAll()) && problems.length === 0) {
    if (performance.now() > until)
      problems.push(`${clients.filter((one) => !one.hasAll()).length} clients lack events at the end.`)
    await wait(20)
  }
  const { ended } = gateway.stats()
  for (const client of clients) client.close()
  await gateway.close(100)
  server.closeAllConnections()
  server.close()
  await bus.close()
  return {
    cuts: counts,
    events: clients.reduce((sum, { events }) => sum + events(), 0),
    gaps: clients.reduce((sum, { gaps }) => sum + gaps(), 0),
    gaveWay: ended.connectionLimit ?? 0,
    longestAwayMs: Math.max(...clients.map((client) => client.longestAwayMs())),
    problems,
  }
}

type ClientParts = Readonly<{
  name: string
  key: string
  port: number
  speed: number
  chain: StreamChain
  /** 0: every swap. 1: those of a wallet. 2: a filter that nothing matches. */
  kind: number
  problems: string[]
}>

function createStreamClient({ name, key, port, speed, chain, kind, problems }: ClientParts) {
  const wallet = [undefined, 2, 99][kind]
  const wants = (event: StreamEvent) => chain.isFor(event, wallet)
  const path = `/v1/stream/swaps${wallet === undefined ? '' : `?include.walletAccount=${chain.wallet(wallet)}`}`
  const sockets: Socket[] = []
  let socket: Socket | undefined
  let text = ''
  let lastId: string | undefined
  let retryMs = 0
  /** Index of the next event of the chain that it has not been past. */
  let next: number | undefined
  let awaySince: number | undefined
  let [events, gaps, longestAwayMs] = [0, 0, 0]
  let isClosed = false
  let hasBegun = false

  const open = () => {
    if (isClosed) return
    text = ''
    hasBegun = false
    const opened = connect(port, '127.0.0.1')
    socket = opened
    sockets.push(opened)
    opened.setEncoding('utf8')
    opened.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nAccept: text/event-stream\r\nSec-Fetch-Mode: cors\r\n${lastId === undefined ? '' : `Last-Event-ID: ${lastId}\r\n`}\r\n`,
    )
    opened.on('error', () => {})
    opened.on('data', (chunk: string) => {
      if (opened === socket) take(chunk)
    })
    opened.on('close', () => {
      if (opened === socket) comeBack()
    })
  }

  const comeBack = () => {
    socket = undefined
    awaySince ??= performance.now()
    setTimeout(open, retryMs / speed)
  }

  const take = (chunk: string) => {
    text += chunk
    if (text.startsWith('HTTP/1.1 ')) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!text.startsWith('HTTP/1.1 200 ')) problems.push(`${name}: ${text.slice(0, end + 200)}`)
      text = text.slice(end + 4)
    }
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      takeBlock(text.slice(0, end).split('\n'))
      text = text.slice(end + 2)
    }
  }

  const takeBlock = (lines: readonly string[]) => {
    const fieldOf = (field: string) =>
      lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2)
    const [retry, id, data] = [fieldOf('retry'), fieldOf('id'), fieldOf('data')]
    if (retry !== undefined) retryMs = Number(retry)
    if (id !== undefined) {
      if (lastId !== undefined && id < lastId) problems.push(`${name}: the id ${id} came after ${lastId}.`)
      lastId = id
      next ??= chain.events.findIndex(({ cursor }) => cursor > id)
      if (next < 0) next = chain.events.length
      noteBegin()
    }
    if (data !== undefined) takeMessage(JSON.parse(data), id)
  }

  const noteBegin = () => {
    hasBegun = true
    if (awaySince === undefined) return
    const awayMs = performance.now() - awaySince
    awaySince = undefined
    if (awayMs > longestAwayMs) longestAwayMs = awayMs
    if (awayMs * speed > BACK_MS && speed === 1)
      problems.push(`${name}: was away for ${Math.round(awayMs)} ms.`)
  }

  const takeMessage = ({ method, code }: { method: string; code?: number }, id: string | undefined) => {
    // 4029 on a line that was cut silently goes unread; no other close is expected.
    if (method === 'connectionClosed') problems.push(`${name}: closed with ${code}.`)
    else if (id === undefined) problems.push(`${name}: ${method} has no id.`)
    else if (next !== undefined) {
      while (next < chain.events.length && !wants(chain.events[next]!)) next++
      const due = chain.events[next]?.cursor
      if (due !== id) problems.push(`${name}: ${id} came where ${due} was due.`)
      next++
      if (method === 'gapNotification') gaps++
      else events++
    }
  }

  const isOpen = () => socket !== undefined && hasBegun && next !== undefined

  open()
  return {
    /** Whether it has an id to come back with, and knows where it is. */
    isOpen,
    cut(how: Cut) {
      const cut = socket!
      socket = undefined
      if (how === 'fin') cut.end()
      else if (how === 'rst') cut.resetAndDestroy()
      else cut.pause()
      comeBack()
    },
    /** Whether it is back from its last cut, and has all events. */
    hasAll: () => isOpen() && chain.events.slice(next).every((event) => !wants(event)),
    events: () => events,
    gaps: () => gaps,
    longestAwayMs: () => longestAwayMs,
    close() {
      isClosed = true
      for (const one of sockets) one.destroy()
    },
  }
}
