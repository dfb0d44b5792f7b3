import type { LogDecoder } from '@pairwire/decoders'
import WebSocket from 'ws'
import { type Feed, FeedError, type FeedOptions, type FeedParts } from '../chain/feed.ts'
import { hideSecrets } from '../hide-secrets.ts'
import { unreachable } from '../rpc/rpc-client.ts'
import { type Message, readMessage } from './read-message.ts'

/** An update from program logs. */
export type LogsUpdate =
  /** Every subscription was answered; earlier logs are lost. */
  | Readonly<{ kind: 'subscribed' }>
  | (Extract<Message, { kind: 'logs' }> & Readonly<{ program: LogDecoder }>)
  | Readonly<{ kind: 'unreadable'; reason: string }>

/** Milliseconds in which a websocket must open, and then answer every subscription. */
const ANSWER_MS = 10_000

/** Milliseconds between two pings, which also keep the line open where it passes through others. */
const PING_MS = 5_000

/** Milliseconds without a word after which a line counts as dead: slots come every 0.4 s. */
const SILENT_MS = 20_000

/** Bytes of the largest message that is taken; logs are cut at 10 kB. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** Id of the request for slots, which show that the connection is alive; those of logs follow. */
const SLOTS_ID = 0

/** Reads the logs of each program from a JSON-RPC's websocket, at commitment confirmed. Nothing can be replayed. */
export function createLogsFeed(options: FeedOptions<LogDecoder>): Feed<LogsUpdate> {
  return {
    name: `logs ${options.url.host}`,
    canReplay: false,
    read: (parts) =>
      new Promise((resolve, reject) => {
        const line = new LogsLine(options, parts, (fault) =>
          fault === undefined ? resolve() : reject(fault),
        )
        line.open()
      }),
  }
}

/**
 * One connection.
 *
 *     opening ── open ──► subscribing ── all answered ──► reading
 *        └──────────────────────┴── fault, silence, abort ───┴──► ended
 */
class LogsLine {
  readonly #options: FeedOptions<LogDecoder>
  readonly #parts: FeedParts<LogsUpdate>
  readonly #end: (fault: FeedError | undefined) => void
  readonly #socket: WebSocket
  readonly #closing = new AbortController()
  readonly #programs = new Map<number, LogDecoder>()
  readonly #refused = new Map<LogDecoder, string>()
  #isReading = false
  #hasSlots = true
  #heardAt: number

  constructor(
    options: FeedOptions<LogDecoder>,
    parts: FeedParts<LogsUpdate>,
    end: (fault: FeedError | undefined) => void,
  ) {
    this.#options = options
    this.#parts = parts
    this.#end = end
    this.#heardAt = options.clock.elapsed()
    const { url, token } = options
    this.#socket = new WebSocket(url, {
      headers: token === undefined ? {} : { 'x-token': token },
      handshakeTimeout: ANSWER_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    })
  }

  open(): void {
    const socket = this.#socket
    const stop = () => this.#close(undefined)
    this.#parts.signal.addEventListener('abort', stop, { signal: this.#closing.signal })
    socket.on('open', () => this.#subscribe())
    socket.on('message', (text) => this.#take(readMessage(String(text))))
    socket.on('pong', () => {
      if (!this.#hasSlots) this.#heard()
    })
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      this.#close(refusalOf(response.statusCode ?? 0))
    })
    socket.on('error', (error) => this.#close(faultOf(error)))
    socket.on('close', (code) =>
      this.#close(new FeedError('broken', `The endpoint closed the connection (${code}).`)),
    )
    if (this.#parts.signal.aborted) stop()
  }

  #subscribe(): void {
    const send = (id: number, method: string, params?: readonly unknown[]) =>
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) }))
    for (const [at, { programId }] of this.#options.programs.entries()) {
      send(at + 1, 'logsSubscribe', [{ mentions: [programId] }, { commitment: 'confirmed' }])
    }
    send(SLOTS_ID, 'slotSubscribe')
    void this.#watch()
  }

  /** Closes a connection that does not answer, or has gone silent. */
  async #watch(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#closing
    await clock.wait(ANSWER_MS, signal)
    if (!this.#isReading) {
      this.#close(new FeedError('broken', 'The endpoint did not answer a subscription to logs within 10 s.'))
    }
    while (!signal.aborted) {
      if (!this.#socket.isPaused && clock.elapsed() - this.#heardAt > SILENT_MS) {
        this.#close(
          new FeedError('broken', 'The endpoint keeps the connection open but no longer sends anything.'),
        )
        return
      }
      this.#socket.ping()
      await clock.wait(PING_MS, signal)
    }
  }

  #heard(): void {
    this.#heardAt = this.#options.clock.elapsed()
  }

  #take(message: Message): void {
    this.#heard()
    switch (message.kind) {
      case 'answer':
        if (message.id !== SLOTS_ID) this.#answered(message.id, message.subscription, undefined)
        return
      case 'refusal':
        if (message.id === SLOTS_ID) this.#hasSlots = false
        else this.#answered(message.id, undefined, message.sentence)
        return
      case 'logs': {
        const program = this.#programs.get(message.subscription)
        if (this.#isReading && program) this.#push({ ...message, program })
        return
      }
      case 'unreadable':
        this.#push(message)
    }
  }

  #answered(id: number, subscription: number | undefined, refusal: string | undefined): void {
    const { programs } = this.#options
    const program = programs[id - 1]
    if (!program) return
    if (subscription !== undefined) this.#programs.set(subscription, program)
    else this.#refused.set(program, refusal ?? '')
    if (this.#isReading || this.#programs.size + this.#refused.size < programs.length) return

    const { url, token } = this.#options
    const reason = hideSecrets([token], [url])([...this.#refused.values()][0] ?? '')
    if (this.#programs.size === 0) {
      this.#close(new FeedError('unusable', `The endpoint refuses every subscription to logs: “${reason}”`))
      return
    }
    const refused = [...this.#refused.keys()].map(({ exchange }) => exchange)
    const warning = `The endpoint refuses the logs of ${refused.join(', ')}: “${reason}”`
    this.#parts.report({ warning: refused.length === 0 ? null : warning })
    this.#isReading = true
    this.#push({ kind: 'subscribed' })
  }

  #push(update: LogsUpdate): void {
    if (this.#parts.push(update) || this.#socket.isPaused) return
    // Unread bytes wait at the other end, which closes the connection when they are too many.
    this.#socket.pause()
    void this.#parts.drained().then(() => {
      this.#heard()
      this.#socket.resume()
    })
  }

  #close(fault: FeedError | undefined): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    this.#socket.terminate()
    this.#end(fault)
  }
}

function faultOf(error: Error): FeedError {
  if (
    /opening handshake|Unexpected server response|Invalid Sec-WebSocket|Invalid Upgrade/i.test(error.message)
  ) {
    return new FeedError('unusable', 'The server at this address does not open a websocket.')
  }
  if (/max payload/i.test(error.message)) {
    return new FeedError('broken', 'The endpoint sent a message that is too large for logs.')
  }
  return unreachable(error)
}

function refusalOf(status: number): FeedError {
  if (status === 401 || status === 403) {
    return new FeedError('unauthorised', `The endpoint refuses our token or key (HTTP ${status}).`)
  }
  if (status === 429) {
    return new FeedError('broken', 'The endpoint allows no further connection for now (HTTP 429).')
  }
  if (status >= 500) return new FeedError('broken', `The endpoint answers with HTTP ${status}.`)
  return new FeedError('unusable', `There is no websocket at this address (HTTP ${status}).`)
}
