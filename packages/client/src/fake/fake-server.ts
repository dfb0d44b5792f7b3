import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatCursor, LAST_PLACE } from '@pairwire/contract/cursor'
import type { StreamErrorType } from '@pairwire/contract/stream-error-types'
import { WebSocketServer } from 'ws'
import { FakeConnection } from './fake-connection.ts'
import { aNewPair, aSwap, type FakeEvent, type FakeRequest, type KeptItem } from './fake-events.ts'

/** What to refuse: the next upgrades, or the next requests other than pings. */
type Refused = 'key' | 'plan' | 'limit' | number | StreamErrorType

/** HTTP status, close code and sentence of each refused upgrade. */
const REFUSALS: Readonly<Record<string, readonly [status: number, code: number, sentence: string]>> = {
  key: [401, 4001, 'This API key is not known, or it was reset.'],
  plan: [403, 4003, 'This account has no active plan.'],
  limit: [429, 4029, 'All connections of your plan are in use.'],
}

/** Longest body of a control request, in characters. */
const STEERING_MAX = 1_000_000

/** The first slot, and its time in Unix seconds; each later slot is a second after the one before. */
const FIRST_SLOT = 1_000
const FIRST_TIME = 1_795_000_000

/** Starts a fake server, by default on a free port. */
export async function createFakeServer(options: { port?: number; key?: string } = {}): Promise<FakeServer> {
  const server = new FakeServer(options.key ?? '0123456789abcdef0123456789abcdef')
  await server.listen(options.port ?? 0)
  return server
}

/**
 * A service for tests: it speaks the stream's protocol, takes one key and any number of connections, applies no
 * filters, and does as it is told. Make one with {@link createFakeServer}.
 */
class FakeServer {
  url = ''
  readonly key: string
  /** Every request received, oldest first. */
  readonly received: FakeRequest[] = []
  /** Items kept for resuming. */
  items: KeptItem[] = []
  oldest = ''
  newest = ''
  isHolding = false
  readonly #http = createServer((request, response) => {
    void this.#steer(request).then(({ status, answer }) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(`${JSON.stringify(answer ?? null)}\n`)
    })
  })
  readonly #connections = new Set<FakeConnection>()
  readonly #refused: Refused[] = []
  readonly #server = new WebSocketServer({
    server: this.#http,
    verifyClient: ({ req }, done) => {
      const [status, code, sentence] = this.#takeDoorRefusal(req)
      if (status === 101 || (code && req.url?.includes('refusals=close'))) {
        this.#closings.set(req, code ? [code, sentence] : undefined)
        done(true)
      } else done(false, status, sentence)
    },
  })
  /** Code and reason of connections to close as soon as they open. */
  readonly #closings = new WeakMap<IncomingMessage, [number, string] | undefined>()
  #slot = FIRST_SLOT
  #index = 0

  constructor(key: string) {
    this.key = key
    this.#server.on('connection', (socket, request) => {
      const closing = this.#closings.get(request)
      if (closing) {
        socket.close(...closing)
        return
      }
      const connection = new FakeConnection(socket, this)
      this.#connections.add(connection)
      socket.on('close', () => this.#connections.delete(connection))
    })
  }

  get docsUrl(): string {
    return `${this.url.replace('ws', 'http')}/docs`
  }

  async listen(port: number): Promise<void> {
    this.#http.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /**
   * Sends an event of `aSwap` or `aNewPair` to all subscribers of its kind; also `{ ammAccount, baseToken }` as a pair
   * update and `{ signatures }` as a dropped slot. @returns its cursor; null if it has none
   */
  push(event: FakeEvent, { to = 'confirmed' }: { to?: 'confirmed' | 'processed' } = {}): string | null {
    if ('baseToken' in event) return this.#sendSide('newPair', 'pairUpdateNotification', event, to)
    if ('signatures' in event)
      for (const kind of ['swap', 'newPair'])
        this.#sendSide(kind, 'slotDroppedNotification', { slot: this.#slot, ...event }, 'processed')
    if ('signatures' in event) return null
    const kind = 'pair' in event ? 'newPair' : 'swap'
    const { facts, ...told } = event
    const params = { slot: this.#slot, blockTime: FIRST_TIME + this.#slot - FIRST_SLOT, ...told }
    const item = { kind, frame: { method: `${kind}Notification`, params }, facts }
    if (to === 'confirmed') return this.#keep(item, { transactionIndex: this.#index++, eventIndex: 0 })
    for (const connection of this.#connections) connection.send(item, null, to)
    return null
  }

  /** Ends the current slot. @returns the cursor of its block */
  block(): string {
    const params = { block: this.#slot, blockTime: FIRST_TIME + this.#slot - FIRST_SLOT }
    const frame = { method: 'latestBlockNotification', params }
    const cursor = this.#keep({ kind: 'latestBlock', frame }, LAST_PLACE)
    this.#slot++
    this.#index = 0
    return cursor
  }

  /** Reports a gap to every subscription; by default the current slot, with the cause `upstream`. */
  gap(gap: { fromSlot?: number; toSlot?: number; cause?: string; resume_from?: string | null } = {}): void {
    const params = { fromSlot: this.#slot, toSlot: this.#slot, cause: 'upstream', resume_from: null, ...gap }
    const frame = { method: 'gapNotification', params }
    this.#keep({ kind: 'gap', frame }, { transactionIndex: this.#index++, eventIndex: 0 })
  }

  /** Drops every connection without a close frame. */
  cut(): void {
    for (const connection of this.#connections) connection.cut()
  }

  /** Closes every connection, after the service's closing frames. */
  close(code: number, reason = ''): void {
    for (const connection of this.#connections) connection.close(code, reason)
  }

  /** Refuses the next upgrades (`key`, `plan`, `limit` or an HTTP status) or the next requests (an `errorType`). */
  refuse(reason: Refused, times = 1): void {
    for (let time = 0; time < times; time++) this.#refused.push(reason)
  }

  /** Forgets all kept items: every earlier cursor is now too old. */
  forget(): void {
    this.items = this.items.slice(-1)
    this.oldest = this.newest
  }

  /** Sends nothing until {@link release}. */
  hold(): void {
    this.isHolding = true
  }

  release(): void {
    this.isHolding = false
    for (const connection of this.#connections) connection.release()
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.close()
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  takeRefusal(request: FakeRequest): StreamErrorType | undefined {
    this.received.push(request)
    const next = this.#refused[0]
    if (request.method === 'ping' || typeof next !== 'string' || next in REFUSALS) return undefined
    this.#refused.shift()
    // Any other reason refuses a request, not an upgrade.
    return next as StreamErrorType
  }

  #takeDoorRefusal({ url = '/', headers }: IncomingMessage): readonly [number, number, string] {
    const next = this.#refused[0]
    const named = typeof next === 'string' ? REFUSALS[next] : undefined
    if (named || typeof next === 'number') this.#refused.shift()
    if (named) return named
    if (typeof next === 'number') return [next, 0, `The fake server refuses with ${next}.`]
    const address = new URL(url, this.url)
    if (address.pathname !== '/') return [404, 0, 'The stream is at the path / of this host.']
    const isKnown = (headers['x-api-key'] ?? address.searchParams.get('key')) === this.key
    return isKnown ? [101, 0, ''] : REFUSALS.key!
  }

  #keep(
    item: Omit<KeptItem, 'cursor'>,
    place: Readonly<{ transactionIndex: number; eventIndex: number }>,
  ): string {
    const cursor = formatCursor({ run: 0, slot: this.#slot, ...place })
    this.items.push({ ...item, cursor })
    if (this.oldest === '') this.oldest = cursor
    this.newest = cursor
    for (const connection of this.#connections) connection.send(item, cursor)
    return cursor
  }

  #sendSide(kind: string, method: string, params: object, to: string): null {
    for (const connection of this.#connections) connection.send({ kind, frame: { method, params } }, null, to)
    return null
  }

  /** `POST /fake/<verb>` with a JSON list of arguments; also answers the docs addresses of errors. */
  async #steer(request: IncomingMessage): Promise<{ status: number; answer: unknown }> {
    const { method, url = '' } = request
    if (url.startsWith('/docs'))
      return { status: 200, answer: { message: 'The docs are on a real service.' } }
    const verb = /^\/fake\/(push|block|gap|cut|close|refuse|forget|hold|release)$/.exec(url)?.[1]
    if (method !== 'POST' || !verb)
      return { status: 404, answer: { message: 'There is nothing at this address.' } }
    let body = ''
    for await (const chunk of request) {
      body += chunk
      if (body.length > STEERING_MAX) return { status: 413, answer: { message: 'The request is too large.' } }
    }
    try {
      const [first, ...rest] = body === '' ? [] : JSON.parse(body)
      const { swap, pair, facts } = verb === 'push' ? first : {}
      const made = swap ? aSwap(swap, facts) : pair ? aNewPair(pair, facts) : first
      // One of the verbs checked above.
      const act = this[verb as 'push'] as (...given: unknown[]) => unknown
      return { status: 200, answer: { result: act.call(this, made, ...rest) ?? null } }
    } catch {
      return {
        status: 400,
        answer: { message: 'Send a list of arguments in JSON, as in [{"swap":{"usdValue":5}}].' },
      }
    }
  }
}

export type { FakeServer }
