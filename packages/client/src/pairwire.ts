import { within } from './clock.ts'
import { type PairwireOptions, readConfig } from './config.ts'
import { errorOfAnswer, type PairwireError } from './errors.ts'
import type { LineState } from './line-states.ts'
import type { Platform } from './platform.ts'
import { SharedLine } from './shared-line.ts'
import type { BlockEvent, NewPairEvent, SwapEvent, WithFacts } from './stream/items.ts'
import { EventStream, type Stream } from './stream/stream.ts'
import { readStreamOptions, type StreamOptions } from './stream/stream-options.ts'
import type { NewPairParams, SwapParams } from './subscribe-params.ts'

/** The streams of one service, for one key. */
export type Pairwire = Readonly<{
  /** Makes a stream of swaps. @throws RequestError (`ALREADY_SUBSCRIBED`) for a second one of a kind and commitment */
  swaps(
    params: SwapParams & AsksFacts,
    options?: StreamOptions,
  ): Stream<WithFacts<SwapEvent>, SwapParams & AsksFacts>
  swaps(params?: SwapParams, options?: StreamOptions): Stream<SwapEvent, SwapParams>
  /** Makes a stream of new pairs. @throws as `swaps` does */
  newPairs(
    params: NewPairParams & AsksFacts,
    options?: StreamOptions,
  ): Stream<WithFacts<NewPairEvent>, NewPairParams & AsksFacts>
  newPairs(params?: NewPairParams, options?: StreamOptions): Stream<NewPairEvent, NewPairParams>
  /** Makes a stream of blocks. @throws as `swaps` does */
  blocks(options?: StreamOptions): Stream<BlockEvent>
  /** State of the connection; if there are several, of the one that changed last. */
  state: LineState
  /** Saves the cursors and ends every stream, within two seconds. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}>

declare global {
  /** For a program whose `lib` is older. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** Params whose events have facts; an update has to ask for them again. */
type AsksFacts = Readonly<{ facts: true }>

/** Milliseconds that closing may take: a store that hangs does not hold up the program. */
const CLOSE_LIMIT_MS = 2_000

/** Plural names of the kinds, as callers know them. */
const NAMES = { swap: 'swaps', newPair: 'newPairs', latestBlock: 'blocks' } as const

/** Makes the package entry's function for a runtime. */
export function pairwireFor(platform: Platform): (options?: PairwireOptions) => Pairwire {
  /**
   * Makes the client. It connects when the first stream is read.
   *
   * @throws UsageError (`NO_URL`, `NO_KEY`)
   */
  return function createPairwire(options = {}) {
    return new Streams(options, platform)
  }
}

class Streams implements Pairwire {
  readonly #settings
  readonly #platform: Platform
  readonly #onState: PairwireOptions['onState']
  readonly #warn: (sentence: string) => void
  /** By the archive hours that they replay; undefined for the live one. */
  readonly #lines = new Map<string | undefined, SharedLine>()
  /** By kind, commitment and hours. */
  readonly #streams = new Map<string, EventStream>()
  #state: LineState = 'idle'
  #lastReason = ''

  constructor(options: PairwireOptions, platform: Platform) {
    this.#settings = readConfig(options)
    this.#platform = platform
    this.#onState = options.onState
    this.#warn = options.onWarning ?? ((sentence) => console.warn(sentence))
  }

  get state(): LineState {
    return this.#state
  }

  // The service gives what the params ask for.
  swaps(params?: SwapParams, options?: StreamOptions): Stream<never, never> {
    return this.#open('swap', params, options) as Stream<never, never>
  }

  newPairs(params?: NewPairParams, options?: StreamOptions): Stream<never, never> {
    return this.#open('newPair', params, options) as Stream<never, never>
  }

  blocks(options?: StreamOptions): Stream<BlockEvent> {
    return this.#open('latestBlock', {}, options) as Stream<BlockEvent>
  }

  async close(): Promise<void> {
    const closeAll = () => Promise.all([...this.#streams.values()].map((stream) => stream.close()))
    await within(this.#platform.clock, CLOSE_LIMIT_MS, closeAll).catch(() => {})
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #open(
    kind: EventStream['kind'],
    params: SwapParams | NewPairParams = {},
    options: StreamOptions = {},
  ): EventStream {
    const { docsUrl } = this.#settings
    const hours: string | undefined = JSON.stringify(params.replay)
    const id = `${kind} ${params.commitment ?? 'confirmed'} ${hours}`
    if (this.#streams.has(id)) {
      const message = `There is a stream of ${NAMES[kind]} already. Change its filter with update(), or close it.`
      throw errorOfAnswer({ code: -32_010, message, data: { errorType: 'ALREADY_SUBSCRIBED' } }, docsUrl)
    }
    const stream = new EventStream({
      kind,
      params,
      options: readStreamOptions(options, NAMES[kind]),
      line: this.#lineOf(hours, params.replay),
      clock: this.#platform.clock,
      docsUrl,
      warn: this.#warn,
      ended: () => this.#streams.delete(id),
    })
    if (!options.signal?.aborted) this.#streams.set(id, stream)
    return stream
  }

  #lineOf(hours: string | undefined, replay: object | undefined): SharedLine {
    const calls = {
      warn: this.#warn,
      state: (state: LineState, why: PairwireError | null) => this.#noteState(state, why),
    }
    const line = this.#lines.get(hours) ?? new SharedLine(this.#settings, this.#platform, calls, replay)
    this.#lines.set(hours, line)
    return line
  }

  #noteState(state: LineState, why: PairwireError | null): void {
    this.#state = state
    if (this.#onState) this.#onState(state, why)
    else if (why?.comeBack && why.message !== this.#lastReason) {
      this.#lastReason = why.message
      this.#warn(`The connection is ${state}: ${why.message}`)
    }
  }
}
