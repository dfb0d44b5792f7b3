import { BoundedMap } from '@pairwire/basics/bounded-map'
import { NOTIFICATION_METHODS } from '@pairwire/contract/methods'
import { type ChartBuckets, createChartBuckets } from '../feed/chart-buckets.ts'
import {
  type BlockReading,
  type MessageReading,
  type PairReading,
  readEvent,
  type SwapReading,
} from '../feed/read-event.ts'
import type { Refusal, StandingError } from '../feed/refusal.ts'
import { CONSOLE_ROWS, type Row, type RowReading, rowKind } from '../feed/row.ts'
import { type RowFilter, rowTest } from '../feed/row-filter.ts'
import type { TokenFace } from '../feed/token-face.ts'
import type { KindCounts, Snapshot } from '../feed/worker-messages.ts'
import { WEBSOCKET_CLOSED } from '../words.ts'
import { type ActiveTokens, createActiveTokens, MOST_SHOWN } from './active-tokens.ts'
import { createLagMedian, type LagMedian } from './lag-median.ts'
import { createRing, type Ring } from './ring.ts'
import { createStoppingPlace, type StoppingPlace } from './stopping-place.ts'
import { createSubscriptionBook, type SubscriptionBook } from './subscription-book.ts'

type Books = {
  received: number
  pairs: number
  events: Ring<Row>
  /** Messages are stored separately, so that no stream of events pushes them out. */
  messages: Ring<Row>
  matching: Ring<Row>
  kinds: Record<keyof KindCounts, number>
  buckets: ChartBuckets
  active: ActiveTokens
}

/**
 * Records a stream: the count, the latest block, the chart's buckets, the lag, and the latest rows, both all and those
 * that pass the filter. Times are Unix milliseconds and are passed in.
 */
export class Recorder {
  readonly #symbols = new BoundedMap<string, string>(SYMBOLS_LIMIT)
  #named: TokenFace[] = []
  #takenBack: number[] = []
  #tokensAt = 0
  /** Whether the page shows tokens of an earlier state. */
  #areTokensStale = false
  #clockOffset = 0
  #books = newBooks()
  #cleared: Books | undefined
  #clearedAt = 0
  #test: ((row: Row) => boolean) | undefined
  /** The test for the text alone: chips count the rows that pass it. */
  #textTest: ((row: Row) => boolean) | undefined
  #lag: LagMedian = createLagMedian()
  #lastId = 0
  /** Increases when rows that the page has may be outdated. */
  #epoch = 1
  #block: number | null = null
  #blockAt: number | null = null
  #startedAt: number | null = null
  #stoppedAt: number | null = null
  /** When the block feed of this connection last sent something. */
  #heardAt: number | null = null
  #error: StandingError | null = null
  /** The kind of stream that the last refused request was for; empty if none. */
  #refused = ''
  /** The last notice's sentence on this connection. */
  #said = ''
  readonly #place: Pick<StoppingPlace, 'counted'>
  readonly #subscriptions: SubscriptionBook

  /** Passes what it counts and hears to `place` and `subscriptions`. */
  constructor(
    place: Pick<StoppingPlace, 'counted'> = createStoppingPlace(),
    subscriptions: SubscriptionBook = createSubscriptionBook(),
  ) {
    this.#place = place
    this.#subscriptions = subscriptions
  }

  /** Takes one frame; with `countOnly` it is counted and drawn, but makes no row. */
  take(text: string, now: number, countOnly = false) {
    if (countOnly) {
      const side = swapSide(text)
      if (side !== undefined) return this.#count(side, text, now)
    }
    const reading = readEvent(text)
    if (reading.kind === 'block') return this.#sawBlock(reading, text, now)
    if (reading.kind === 'face') return this.#saw(reading.face)
    if (reading.kind === 'swap') {
      this.#count(reading.isBuy ? 0 : 1, text, now, reading)
      if (!countOnly) this.#watch(reading, now)
    }
    if (reading.kind === 'pair') {
      this.#count(2, text, now, reading)
      this.#saw(reading)
    }
    if (reading.kind === 'message') {
      const answer = this.#subscriptions.heard(text, now)
      if (answer && !answer.isAccepted) this.#refused = answer.kind
      // The refused request is now accepted, or was replaced by another.
      else if (answer?.kind && (this.#refused === '' || this.#refused === answer.kind)) this.#error = null
      if (reading.takesBack) this.#takeBack(reading.takesBack)
    }
    if (!countOnly || reading.kind === 'message') this.#addRow(reading, text, now)
  }

  /** Learns names from elsewhere than the stream. */
  name(faces: readonly TokenFace[]): void {
    for (const face of faces) this.#remember(face)
  }

  /** Adds a row of the console itself. */
  note(reading: RowReading, now: number): void {
    this.#addRow(reading, '', now)
  }

  filter(filter: RowFilter): void {
    this.#test = rowTest(filter)
    this.#textTest = rowTest({ kind: 'all', text: filter.text })
    this.#sift()
  }

  /** Empties list, count, chart and active tokens; the latest block stays. */
  clear(now: number): void {
    this.#cleared = this.#books
    this.#clearedAt = now
    this.#books = newBooks()
    this.#areTokensStale = true
    this.#lag = createLagMedian()
    if (this.#startedAt !== null && this.#stoppedAt === null) this.#startedAt = now
    this.#epoch++
  }

  /** Restores what the last `clear` removed, below newer rows. */
  undo(now: number): void {
    if (!this.#cleared) return
    const since = this.#books
    this.#books = this.#cleared
    this.#cleared = undefined
    this.#areTokensStale = true
    this.#books.received += since.received
    this.#books.pairs += since.pairs
    this.#books.buckets.merge(since.buckets, this.#stoppedAt ?? now)
    for (const row of newestFirst(since, () => true).reverse()) this.#push(row)
    this.#sift()
  }

  started(now: number): void {
    this.#startedAt = now
    this.#stoppedAt = null
    this.#heardAt = null
    this.#error = null
    this.#said = ''
    this.#lag = createLagMedian()
  }

  /** The connection is open: the block feed is expected from now on. */
  opened(now: number): void {
    this.#heardAt = now
  }

  stopped(now: number): void {
    this.#stoppedAt ??= now
    this.#heardAt = null
  }

  /** Returns what is new since the snapshot `epoch` and the row `since`; without rows when the page holds its list. */
  snapshot(
    now: number,
    asked: Readonly<{ epoch: number; since: number; rows: boolean; clockOffset?: number }>,
  ): Snapshot {
    this.#clockOffset = asked.clockOffset ?? 0
    const at = this.#stoppedAt ?? now
    const isFresh = asked.epoch === this.#epoch
    const isNew = isFresh ? (row: Row) => row.id > asked.since : () => true
    const take = () => (this.#test ? this.#books.matching.takeWhile(isNew) : newestFirst(this.#books, isNew))
    const rows = asked.rows || !isFresh ? take().slice(0, CONSOLE_ROWS) : []
    const news = { named: this.#named, takenBack: this.#takenBack }
    this.#named = []
    this.#takenBack = []
    return {
      ...news,
      epoch: this.#epoch,
      isReset: !isFresh,
      rows,
      received: this.#books.received,
      pairs: this.#books.pairs,
      kept: Math.min(CONSOLE_ROWS, this.#books.events.size + this.#books.messages.size),
      kinds: this.#textTest
        ? countKinds(newestFirst(this.#books, () => true).filter(this.#textTest))
        : { ...this.#books.kinds },
      block: this.#block,
      blockAt: this.#blockAt,
      heardAt: this.#heardAt,
      subscriptions: this.#subscriptions.read(now),
      error: this.#error,
      lagMs: this.#stoppedAt === null ? this.#lag.read(now) : null,
      perSecond:
        this.#stoppedAt === null && this.#startedAt !== null
          ? this.#books.buckets.perSecond(now, this.#startedAt)
          : 0,
      ...this.#dueTokens(now),
      buckets: this.#books.buckets.read(at),
      starts: this.#books.buckets.starts(at),
      at,
    }
  }

  /** Only in frames so far: the same signature may come again. */
  #takeBack(signatures: readonly string[]) {
    for (const row of this.#books.events.takeWhile(() => true)) {
      const { id, reading } = row
      if (reading.kind === 'message' || !reading.isEarly || !signatures.includes(reading.signature)) continue
      row.isTakenBack = true
      this.#takenBack.push(id)
    }
  }

  /** Rebuilds the matching rows from the recorded ones. */
  #sift() {
    this.#books.matching = createRing(CONSOLE_ROWS)
    if (this.#test) {
      const matching = newestFirst(this.#books, () => true).filter(this.#test)
      for (const row of matching.reverse()) this.#books.matching.push(row)
    }
    this.#epoch++
  }

  #dueTokens(now: number): Pick<Snapshot, 'tokens'> {
    if (!this.#areTokensStale && (this.#stoppedAt !== null || now - this.#tokensAt < TOKENS_MS)) return {}
    this.#areTokensStale = false
    const tokens = this.#books.active.read(this.#stoppedAt ?? now, (mint) => this.#symbols.get(mint) ?? '')
    // The first ones are shown as they come.
    this.#tokensAt = tokens.length < MOST_SHOWN ? now - TOKENS_MS + FIRST_TOKENS_MS : now
    return { tokens }
  }

  #count(series: 0 | 1 | 2, text: string, now: number, reading?: SwapReading | PairReading) {
    this.#books.received++
    const kind = series === 2 ? 'newPair' : 'swap'
    // Early events have no cursor.
    if (!reading?.isEarly) this.#place.counted(kind, text)
    this.#subscriptions.counted(kind, text, now)
    if (series === 2) this.#books.pairs++
    this.#books.buckets.add(series, now)
    if (reading?.blockTime) this.#lag.add(now + this.#clockOffset - reading.blockTime * 1000, now)
  }

  #watch(reading: SwapReading, now: number) {
    this.#books.active.add(reading, now)
    // The state that an undo restores has continued.
    if (this.#cleared && now - this.#clearedAt < UNDO_LIMIT_MS) this.#cleared.active.add(reading, now)
  }

  #sawBlock(reading: BlockReading, text: string, now: number) {
    this.#place.counted('latestBlock', text)
    if (this.#heardAt !== null) this.#heardAt = now
    this.#books.buckets.beat(now)
    if (reading.block === null) return
    this.#block = reading.block
    this.#blockAt = now
    if (reading.blockTime !== null) this.#lag.add(now + this.#clockOffset - reading.blockTime * 1000, now)
  }

  /** The stream has named a token; pass it on to the page. */
  #saw({ mint, symbol, name, logo }: TokenFace) {
    if (mint === '' || (symbol === '' && name === '' && logo === '')) return
    if (this.#named.length < SYMBOLS_LIMIT) this.#named.push({ mint, symbol, name, logo })
    this.#remember({ mint, symbol })
  }

  #remember({ mint, symbol }: Pick<TokenFace, 'mint' | 'symbol'>) {
    if (mint === '' || symbol === '') return
    this.#symbols.set(mint, symbol)
  }

  #addRow(given: RowReading, text: string, now: number) {
    const reading = given.kind === 'message' ? this.#saidOnce(given) : given
    this.#lastId++
    if (reading.kind === 'message' && reading.tone === 'error') {
      const { words, detail, refusal = UNEXPLAINED } = reading
      this.#error = { id: this.#lastId, words, detail, ...refusal }
    }
    this.#push({
      id: this.#lastId,
      at: now,
      text,
      reading,
      symbol: reading.kind === 'swap' ? (this.#symbols.get(reading.mint) ?? '') : '',
    })
  }

  /** Only the first row of a closing connection has the reason, and only the last the cursor to resume from. */
  #saidOnce(reading: MessageReading): MessageReading {
    if (reading.tone !== 'notice') return reading
    const [sentence = '', cursor] = reading.detail.split(/ ?resume_from: /)
    const place = cursor && reading.words === WEBSOCKET_CLOSED ? `resume_from: ${cursor}` : ''
    const detail = `${sentence === this.#said ? '' : sentence} ${place}`.trim()
    this.#said = sentence || this.#said
    return { ...reading, detail }
  }

  #push(row: Row) {
    const leaving = (row.reading.kind === 'message' ? this.#books.messages : this.#books.events).push(row)
    if (leaving) this.#books.kinds[rowKind(leaving)]--
    this.#books.kinds[rowKind(row)]++
    if (this.#test?.(row)) this.#books.matching.push(row)
  }
}

/** Tokens whose symbol is remembered; the one named longest ago is dropped. */
const SYMBOLS_LIMIT = 2_000
/** Milliseconds in which a clear can be undone; the page offers that for five seconds. */
const UNDO_LIMIT_MS = 10_000
/** Milliseconds between two orders of the active tokens: with all five known, and before that. */
const TOKENS_MS = 5_000
const FIRST_TOKENS_MS = 1_000

/** Messages kept. */
const MESSAGE_ROWS = 50
const UNEXPLAINED: Refusal = { errorType: '', docs: '', oldest: '' }

/** Joins events and messages into one list, while `keep` is true. */
function newestFirst({ events, messages }: Books, keep: (row: Row) => boolean): Row[] {
  return [...events.takeWhile(keep), ...messages.takeWhile(keep)].sort((a, b) => b.id - a.id)
}

function countKinds(rows: readonly Row[]): KindCounts {
  const kinds = { pair: 0, buy: 0, sell: 0, message: 0 }
  for (const row of rows) kinds[rowKind(row)]++
  return kinds
}

function newBooks(): Books {
  return {
    received: 0,
    pairs: 0,
    events: createRing(CONSOLE_ROWS),
    messages: createRing(MESSAGE_ROWS),
    matching: createRing(CONSOLE_ROWS),
    kinds: { pair: 0, buy: 0, sell: 0, message: 0 },
    buckets: createChartBuckets(),
    active: createActiveTokens(),
  }
}

const SWAP = `"method":"${NOTIFICATION_METHODS.swap}"`

/**
 * Finds a swap's side without parsing. A quote inside a JSON string is always escaped, so these marks cannot occur in a
 * stranger's name. @returns `undefined` when the frame must be parsed.
 */
function swapSide(text: string): 0 | 1 | undefined {
  if (!text.includes(SWAP)) return undefined
  if (text.includes('"swapType":"buy"')) return 0
  return text.includes('"swapType":"sell"') ? 1 : undefined
}
