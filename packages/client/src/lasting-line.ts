import { readObject } from '@pairwire/basics/json'
import { type AnswerError, asError, errorOfEnding, type PairwireError, sdkError } from './errors.ts'
import { type LineEvent, type LineState, nextLineState } from './line-states.ts'
import type { Platform } from './platform.ts'
import { type OpenSocket, type WebSocketClass, withoutKey } from './socket.ts'

/** Settings of a connection, named as in `createPairwire`. */
export type LineSettings = Readonly<{
  url: string
  key: string | (() => string | Promise<string>)
  /** Address of the service's docs. */
  docsUrl: string
  WebSocket?: WebSocketClass | undefined
  connectTimeoutMs: number
  retryFirstMs: number
  retryMaxMs: number
  quietMs: number
}>

/** A frame without an id, as far as the connection reads it. */
// biome-ignore lint/suspicious/noExplicitAny: the service's own frames; each kind is read where it is handled
export type Frame = Readonly<{ method: string } & Record<string, any>>

/** The service's answer to a request: an error or a result, of which only that of a subscribe is read. */
export type Answer = Readonly<{ result?: Readonly<{ subscription_id: number }>; error?: AnswerError }>

/** Calls that a connection makes. */
type LineCalls = Readonly<{
  /** It opened, or resumed reading. */
  opened(): void
  /** The connection is lost, with all its subscriptions. */
  lost(): void
  failed(error: PairwireError): void
  frame(frame: Frame): void
  state(state: LineState, why: PairwireError | null): void
}>

/** Milliseconds that the service has to answer a request or a ping. */
const ANSWER_LIMIT_MS = 10_000

/** Milliseconds that a connection must last to reset the retry count, which protects a service that accepts and drops. */
const STABLE_AFTER_MS = 10_000

/** Shortest wait in milliseconds after a connection limit; a random time up to as much again is added. */
const LIMIT_WAIT_MS = 2_000

/** Shortest time in milliseconds between two drops of a connection that cannot pause. */
const LET_GO_EVERY_MS = 5_000

/** A connection that reconnects by itself, unless no retry can help; `line-states.ts` has its table of states. */
export class LastingLine {
  readonly #settings: LineSettings
  readonly #platform: Platform
  readonly #calls: LineCalls
  readonly #requests = new Map<number, { answered: (answer: Answer) => void; stopWaiting: () => void }>()
  #state: LineState = 'idle'
  #socket: OpenSocket | undefined
  /** Identifies the current attempt to connect; results of earlier ones are ignored. */
  #attempt: object = {}
  #nextId = 1
  #tries = 0
  #openedAt = 0
  #heardAt = 0
  /** Whether any frame arrived since the last ping. */
  #hasHeard = false
  #letGoAt = Number.NEGATIVE_INFINITY
  #key = ''
  /** The key that was last refused, and the error. */
  #refusedKey: { key: string; why: PairwireError } | undefined
  #stopTimer = () => {}
  #stopOnline = () => {}

  constructor(settings: LineSettings, platform: Platform, calls: LineCalls) {
    this.#settings = settings
    this.#platform = platform
    this.#calls = calls
  }

  get state(): LineState {
    return this.#state
  }

  /** Whether requests can be sent now. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Moves to the next state by the table, and acts on it. */
  on(event: LineEvent, why: PairwireError | null = null): void {
    const before = this.#state
    const next = nextLineState(before, event, this.#socket !== undefined)
    if (next === undefined) return
    this.#state = next
    this.#stopTimer()
    this.#stopTimer = () => {}
    const hadSocket = this.#socket !== undefined
    if (event === 'wanted') {
      this.#refusedKey = undefined
      this.#stopOnline = this.#platform.onOnline(() => this.#online())
    }
    const isDone = next === 'failed' || next === 'idle'
    if (isDone) this.#stopOnline()
    if (isDone || event === 'lost') this.#drop()
    if (next === 'connecting') void this.#connect()
    else if (next === 'open') this.#open(event === 'opened')
    else if (next === 'waiting') this.#wait(why)
    else if (next === 'resting' && before === 'open') this.#rest()
    if (hadSocket && !this.#socket) this.#calls.lost()
    if (next === 'failed' && why) this.#calls.failed(why)
    if (next !== before) this.#calls.state(next, why)
  }

  /** Sends a request. `answered` is not called if the connection is lost before the answer. */
  request(method: string, params: object, answered: (answer: Answer) => void): void {
    const id = this.#nextId++
    this.#requests.set(id, { answered, stopWaiting: this.isOpen ? this.#limitAnswer(method) : () => {} })
    this.#socket?.send(JSON.stringify({ id, method, params }))
  }

  /** Returns the milliseconds to wait after attempt number `tries`, at random so that clients spread out. */
  waitMs(tries: number): number {
    const { retryFirstMs, retryMaxMs } = this.#settings
    return this.#platform.random() * Math.min(retryMaxMs, retryFirstMs * 2 ** tries)
  }

  async #connect(): Promise<void> {
    const { clock, findWebSocket, openSocket } = this.#platform
    const { url, key, WebSocket: given, connectTimeoutMs, docsUrl } = this.#settings
    const attempt = {}
    this.#attempt = attempt
    this.#openedAt = Number.POSITIVE_INFINITY
    this.#stopTimer = clock.after(connectTimeoutMs, () =>
      this.#lose(`No connection within ${connectTimeoutMs} ms.`),
    )
    try {
      this.#key = typeof key === 'string' ? key : await key()
      const Class = given ?? (await findWebSocket())
      if (attempt !== this.#attempt) return
      const refused = this.#refusedKey?.key === this.#key ? this.#refusedKey.why : undefined
      if (refused || !Class) {
        this.on('refused', refused ?? sdkError('NO_WEBSOCKET', docsUrl))
        return
      }
      this.#socket = openSocket(
        Class,
        { url, key: this.#key, clock },
        {
          opened: () => attempt === this.#attempt && this.on('opened'),
          text: (text) => attempt === this.#attempt && this.#hear(text),
          ended: (ending) => attempt === this.#attempt && this.#end(errorOfEnding(ending, docsUrl)),
        },
      )
    } catch (error) {
      if (attempt !== this.#attempt) return
      const cause = withoutKey(asError(error).message, this.#key)
      this.#lose(cause?.message ?? 'The connection could not be opened.', cause)
    }
  }

  #end(why: PairwireError): void {
    const mayHaveAnother = why.errorType === 'KEY_UNKNOWN' && typeof this.#settings.key === 'function'
    if (mayHaveAnother) this.#refusedKey = { key: this.#key, why }
    this.on(why.comeBack || mayHaveAnother ? 'lost' : 'refused', why)
  }

  #lose(message: string, cause?: Error): void {
    this.on('lost', errorOfEnding({ code: 1006, reason: message, cause }, this.#settings.docsUrl))
  }

  #drop(): void {
    this.#attempt = {}
    for (const { stopWaiting } of this.#requests.values()) stopWaiting()
    this.#requests.clear()
    this.#socket?.drop()
    this.#socket = undefined
  }

  #open(isNew: boolean): void {
    const now = this.#platform.clock.elapsed()
    if (isNew) this.#openedAt = now
    else this.#socket?.resume?.()
    this.#refusedKey = undefined
    this.#heardAt = now
    for (const request of this.#requests.values()) request.stopWaiting = this.#limitAnswer('request')
    this.#watch()
    this.#calls.opened()
  }

  #wait(why: PairwireError | null): void {
    const { clock, random } = this.#platform
    if (clock.elapsed() - this.#openedAt >= STABLE_AFTER_MS) this.#tries = 0
    const ms =
      why?.errorType === 'CONNECTION_LIMIT' ? LIMIT_WAIT_MS * (1 + random()) : this.waitMs(this.#tries)
    this.#tries++
    this.#stopTimer = clock.after(ms, () => this.on('retry'))
  }

  /** Stops reading; drops the connection where the class cannot pause. */
  #rest(): void {
    for (const { stopWaiting } of this.#requests.values()) stopWaiting()
    if (this.#socket?.pause) this.#socket.pause()
    else {
      this.#letGoAt = this.#platform.clock.elapsed()
      this.#drop()
    }
  }

  /** Resumes reading. */
  resume(): void {
    if (this.#state !== 'resting') return
    const { clock } = this.#platform
    const early = this.#letGoAt + LET_GO_EVERY_MS - clock.elapsed()
    this.#stopTimer()
    if (this.#socket || early <= 0) this.on('drained')
    else this.#stopTimer = clock.after(early, () => this.on('drained'))
  }

  /** On a restored network: retries at once, and pings an open connection, which may be dead. */
  #online(): void {
    if (this.#state === 'open') this.#ping()
    else this.on('retry')
  }

  /** Watches for silence. */
  #watch(): void {
    const { clock } = this.#platform
    const left = this.#heardAt + this.#settings.quietMs - clock.elapsed()
    if (left <= 0) this.#ping()
    else this.#stopTimer = clock.after(left, () => this.#watch())
  }

  #ping(): void {
    const { clock } = this.#platform
    this.#stopTimer()
    this.#hasHeard = false
    this.#socket?.send(JSON.stringify({ id: this.#nextId++, method: 'ping' }))
    this.#stopTimer = clock.after(ANSWER_LIMIT_MS, () => {
      if (this.#hasHeard) this.#watch()
      else this.#lose('The service is silent.')
    })
  }

  #limitAnswer(method: string): () => void {
    return this.#platform.clock.after(ANSWER_LIMIT_MS, () => this.#lose(`No answer to ${method}.`))
  }

  #hear(text: string): void {
    this.#heardAt = this.#platform.clock.elapsed()
    this.#hasHeard = true
    const frame = readObject(text)
    if (!frame) return
    if (typeof frame.method === 'string') {
      this.#calls.frame(frame as Frame)
      return
    }
    const request = typeof frame.id === 'number' ? this.#requests.get(frame.id) : undefined
    if (!request) return
    request.stopWaiting()
    this.#requests.delete(frame.id as number)
    request.answered(frame)
  }
}
