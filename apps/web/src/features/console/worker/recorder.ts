import { NOTIFICATION_METHODS } from '@pairwire/contract/methods'
import { CONSOLE_ROWS } from '@pairwire/contract/plans'
import { type ChartBuckets, createChartBuckets } from '../chart-buckets.ts'
import {
  type BlockReading,
  type MessageReading,
  type PairReading,
  readEvent,
  type SwapReading,
} from '../read-event.ts'
import type { Refusal, StandingError } from '../refusal.ts'
import { type Row, type RowReading, rowKind } from '../row.ts'
import { type RowFilter, rowTest } from '../row-filter.ts'
import type { TokenFace } from '../token-face.ts'
import { WEBSOCKET_CLOSED } from '../words.ts'
import type { KindCounts, Snapshot } from '../worker-messages.ts'
import { type ActiveTokens, createActiveTokens, MOST_SHOWN } from './active-tokens.ts'
import { createLagMedian, type LagMedian } from './lag-median.ts'
import { createRing, type Ring } from './ring.ts'
import { createStoppingPlace, type StoppingPlace } from './stopping-place.ts'
import { createSubscriptionBook, type SubscriptionBook } from './subscription-book.ts'

/**
 * Keeps the books of a stream: the count, the latest block, the chart's buckets, the lag, and the latest rows, all
 * and those that pass the filter. Times are Unix milliseconds and are passed in.
 */
type Recorder = Readonly<{
  /** Takes one frame; with `countOnly` it is counted and drawn, but makes no row. */
  take(text: string, now: number, countOnly?: boolean): void
  /** Learns names from elsewhere than the stream. */
  name(faces: readonly TokenFace[]): void
  /** Adds a row of the console's own. */
  note(reading: RowReading, now: number): void
  filter(filter: RowFilter): void
  /** Empties list, count, chart and active tokens; the latest block stays. */
  clear(now: number): void
  /** Brings back what the last `clear` took, under what came since. */
  undo(now: number): void
  started(now: number): void
  /** The connection is open: the block feed is expected from here on. */
  opened(now: number): void
  stopped(now: number): void
  /** What is new since the snapshot `epoch` and the row `since`; without rows when the page holds its list. */
  snapshot(
    now: number,
    asked: Readonly<{ epoch: number; since: number; rows: boolean; clockOffset?: number }>,
  ): Snapshot
}>

type Books = {
  received: number
  pairs: number
  events: Ring<Row>
  /** Messages have room of their own, so that no stream of events pushes out what the server said. */
  messages: Ring<Row>
  matching: Ring<Row>
  kinds: Record<keyof KindCounts, number>
  buckets: ChartBuckets
  active: ActiveTokens
}

/** Makes a recorder that has seen nothing. It tells `place` and `subscriptions` what it counts and what it hears. */
export function createRecorder(
  place: Pick<StoppingPlace, 'counted'> = createStoppingPlace(),
  subscriptions: SubscriptionBook = createSubscriptionBook(),
): Recorder {
  const symbols = new Map<string, string>()
  let named: TokenFace[] = []
  let takenBack: number[] = []
  let tokensAt = 0
  /** Whether the page shows tokens of other books. */
  let areTokensStale = false
  let clockOffset = 0
  let books = newBooks()
  let cleared: Books | undefined
  let clearedAt = 0
  let test: ((row: Row) => boolean) | undefined
  /** The same of the text alone: chips count what it lets through. */
  let textTest: typeof test
  let lag: LagMedian = createLagMedian()
  let lastId = 0
  /** Grows when rows that the page has may no longer be right. */
  let epoch = 1
  let block: number | null = null
  let blockAt: number | null = null
  let startedAt: number | null = null
  let stoppedAt: number | null = null
  /** When the block feed of this connection was last heard of. */
  let heardAt: number | null = null
  let error: StandingError | null = null
  /** The kind of stream that was asked for when the last error came; empty where it was none. */
  let refused = ''
  /** The last sentence of a notice on this connection. */
  let said = ''

  return {
    take(text, now, countOnly = false) {
      if (countOnly) {
        const side = swapSide(text)
        if (side !== undefined) return count(side, text, now)
      }
      const reading = readEvent(text)
      if (reading.kind === 'block') return sawBlock(reading, text, now)
      if (reading.kind === 'face') return saw(reading.face)
      if (reading.kind === 'swap') {
        count(reading.isBuy ? 0 : 1, text, now, reading)
        if (!countOnly) watch(reading, now)
      }
      if (reading.kind === 'pair') {
        count(2, text, now, reading)
        saw(reading)
      }
      if (reading.kind === 'message') {
        const answer = subscriptions.heard(text, now)
        if (answer && !answer.isAccepted) refused = answer.kind
        // What was refused is accepted by now, or something else than it was asked for in its place.
        else if (answer?.kind && (refused === '' || refused === answer.kind)) error = null
        if (reading.takesBack) takeBack(reading.takesBack)
      }
      if (!countOnly || reading.kind === 'message') addRow(reading, text, now)
    },
    name: (faces) => faces.forEach(remember),
    note(reading, now) {
      addRow(reading, '', now)
    },
    filter(filter) {
      test = rowTest(filter)
      textTest = rowTest({ kind: 'all', text: filter.text })
      sift()
    },
    clear(now) {
      cleared = books
      clearedAt = now
      books = newBooks()
      areTokensStale = true
      lag = createLagMedian()
      if (startedAt !== null && stoppedAt === null) startedAt = now
      epoch++
    },
    undo(now) {
      if (!cleared) return
      const since = books
      books = cleared
      cleared = undefined
      areTokensStale = true
      books.received += since.received
      books.pairs += since.pairs
      books.buckets.merge(since.buckets, stoppedAt ?? now)
      for (const row of newestFirst(since, () => true).reverse()) push(row)
      sift()
    },
    started(now) {
      startedAt = now
      stoppedAt = null
      heardAt = null
      error = null
      said = ''
      lag = createLagMedian()
    },
    opened(now) {
      heardAt = now
    },
    stopped(now) {
      stoppedAt ??= now
      heardAt = null
    },
    snapshot(now, asked) {
      clockOffset = asked.clockOffset ?? 0
      const at = stoppedAt ?? now
      const isFresh = asked.epoch === epoch
      const isNew = isFresh ? (row: Row) => row.id > asked.since : () => true
      const take = () => (test ? books.matching.takeWhile(isNew) : newestFirst(books, isNew))
      const rows = asked.rows || !isFresh ? take().slice(0, CONSOLE_ROWS) : []
      const news = { named, takenBack }
      named = []
      takenBack = []
      return {
        ...news,
        epoch,
        isReset: !isFresh,
        rows,
        received: books.received,
        pairs: books.pairs,
        kept: Math.min(CONSOLE_ROWS, books.events.size + books.messages.size),
        kinds: textTest ? countKinds(newestFirst(books, () => true).filter(textTest)) : { ...books.kinds },
        block,
        blockAt,
        heardAt,
        subscriptions: subscriptions.read(now),
        error,
        lagMs: stoppedAt === null ? lag.read(now) : null,
        perSecond: stoppedAt === null && startedAt !== null ? books.buckets.perSecond(now, startedAt) : 0,
        ...dueTokens(now),
        buckets: books.buckets.read(at),
        starts: books.buckets.starts(at),
        at,
      }
    },
  }

  /** Only what has come so far: the same signature may come again. */
  function takeBack(signatures: readonly string[]) {
    for (const row of books.events.takeWhile(() => true)) {
      const { id, reading } = row
      if (reading.kind === 'message' || !reading.isEarly || !signatures.includes(reading.signature)) continue
      row.isTakenBack = true
      takenBack.push(id)
    }
  }

  /** Makes the matching rows anew from those that are kept. */
  function sift() {
    books.matching = createRing(CONSOLE_ROWS)
    if (test) {
      const matching = newestFirst(books, () => true).filter(test)
      for (const row of matching.reverse()) books.matching.push(row)
    }
    epoch++
  }

  function dueTokens(now: number): Pick<Snapshot, 'tokens'> {
    if (!areTokensStale && (stoppedAt !== null || now - tokensAt < TOKENS_MS)) return {}
    areTokensStale = false
    const tokens = books.active.read(stoppedAt ?? now, (mint) => symbols.get(mint) ?? '')
    // The first ones are shown as they come.
    tokensAt = tokens.length < MOST_SHOWN ? now - TOKENS_MS + FIRST_TOKENS_MS : now
    return { tokens }
  }

  function count(series: 0 | 1 | 2, text: string, now: number, reading?: SwapReading | PairReading) {
    books.received++
    const kind = series === 2 ? 'newPair' : 'swap'
    // What is early has no place.
    if (!reading?.isEarly) place.counted(kind, text)
    subscriptions.counted(kind, text, now)
    if (series === 2) books.pairs++
    books.buckets.add(series, now)
    if (reading?.blockTime) lag.add(now + clockOffset - reading.blockTime * 1000, now)
  }

  function watch(reading: SwapReading, now: number) {
    books.active.add(reading, now)
    // What an undo brings back has gone on meanwhile.
    if (cleared && now - clearedAt < UNDO_LIMIT_MS) cleared.active.add(reading, now)
  }

  function sawBlock(reading: BlockReading, text: string, now: number) {
    place.counted('latestBlock', text)
    if (heardAt !== null) heardAt = now
    books.buckets.beat(now)
    if (reading.block === null) return
    block = reading.block
    blockAt = now
    if (reading.blockTime !== null) lag.add(now + clockOffset - reading.blockTime * 1000, now)
  }

  /** The stream has named a token; the page is to know it too. */
  function saw({ mint, symbol, name, logo }: TokenFace) {
    if (mint === '' || (symbol === '' && name === '' && logo === '')) return
    if (named.length < SYMBOLS_LIMIT) named.push({ mint, symbol, name, logo })
    remember({ mint, symbol })
  }

  function remember({ mint, symbol }: Pick<TokenFace, 'mint' | 'symbol'>) {
    if (mint === '' || symbol === '') return
    symbols.delete(mint)
    symbols.set(mint, symbol)
    if (symbols.size > SYMBOLS_LIMIT) symbols.delete(symbols.keys().next().value!)
  }

  function symbolOf({ mint }: SwapReading): string {
    return symbols.get(mint) ?? ''
  }

  function addRow(given: RowReading, text: string, now: number) {
    const reading = given.kind === 'message' ? saidOnce(given) : given
    lastId++
    if (reading.kind === 'message' && reading.tone === 'error') {
      const { words, detail, refusal = UNEXPLAINED } = reading
      error = { id: lastId, words, detail, ...refusal }
    }
    push({ id: lastId, at: now, text, reading, symbol: reading.kind === 'swap' ? symbolOf(reading) : '' })
  }

  /** Why a connection ends is said by the first of its rows alone, and where to resume from by the last. */
  function saidOnce(reading: MessageReading): MessageReading {
    if (reading.tone !== 'notice') return reading
    const [sentence = '', cursor] = reading.detail.split(/ ?resume_from: /)
    const place = cursor && reading.words === WEBSOCKET_CLOSED ? `resume_from: ${cursor}` : ''
    const detail = `${sentence === said ? '' : sentence} ${place}`.trim()
    said = sentence || said
    return { ...reading, detail }
  }

  function push(row: Row) {
    const leaving = (row.reading.kind === 'message' ? books.messages : books.events).push(row)
    if (leaving) books.kinds[rowKind(leaving)]--
    books.kinds[rowKind(row)]++
    if (test?.(row)) books.matching.push(row)
  }
}

/** Tokens whose symbol is remembered; the one named longest ago makes room. */
const SYMBOLS_LIMIT = 2_000
/** Milliseconds in which a clear may be taken back; the page offers it for five seconds. */
const UNDO_LIMIT_MS = 10_000
/** Milliseconds between two orders of the active tokens: all five known, and before that. */
const TOKENS_MS = 5_000
const FIRST_TOKENS_MS = 1_000

/** Messages that are kept. */
const MESSAGE_ROWS = 50
const UNEXPLAINED: Refusal = { errorType: '', docs: '', oldest: '' }

/** Events and messages as one list, for as long as `keep` holds. */
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
 * Which side a swap took, found without parsing. A quote inside a JSON string is always escaped, so these marks
 * cannot stand in a stranger's name. @returns `undefined` when the frame has to be read properly.
 */
function swapSide(text: string): 0 | 1 | undefined {
  if (!text.includes(SWAP)) return undefined
  if (text.includes('"swapType":"buy"')) return 0
  return text.includes('"swapType":"sell"') ? 1 : undefined
}
