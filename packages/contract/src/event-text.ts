import { type SwapFacts, UNKNOWN_FACTS } from './events/facts.ts'
import type { NotificationEvent, StreamEvent, SwapParams } from './events.ts'

type SwapEvent = Extract<NotificationEvent, { kind: 'swap' }>

/** The `params` of an event as JSON. */
export function paramsText(event: NotificationEvent): string {
  if (event.kind !== 'swap') return JSON.stringify(event.params)
  return event instanceof UnreadSwap ? event.paramsText : swapText(event.params)
}

/** The facts of an event as JSON; all unknown if it has none. A block has none. */
export function factsText(event: Exclude<NotificationEvent, { kind: 'latestBlock' }>): string {
  if (event instanceof UnreadSwap && event.factsText !== undefined) return event.factsText
  const facts = event.facts ?? UNKNOWN_FACTS[event.kind]
  return 'walletBalance' in facts ? swapFactsText(facts) : JSON.stringify(facts)
}

/** Whether it is a buy. */
export function isBuy(event: SwapEvent): boolean {
  return event instanceof UnreadSwap ? event.isBuy : event.params.swap.swapType === 'buy'
}

/** Events as a JSON list. */
export function eventsText(events: readonly StreamEvent[]): string {
  return [...eventsTextParts(events, events.length)].join('')
}

/** The same in parts, each made of this many events on demand. */
export function* eventsTextParts(events: readonly StreamEvent[], perPart: number): Generator<string> {
  let before = BEGIN
  for (let at = 0; at < events.length; at += perPart) {
    yield before +
      events
        .slice(at, at + perPart)
        .map(eventText)
        .join(BETWEEN)
    before = BETWEEN
  }
  yield events.length === 0 ? BEGIN + END : END
}

/** A list of texts of events. */
export function eventListText(texts: readonly string[]): string {
  return BEGIN + texts.join(BETWEEN) + END
}

/** The events of such a list. Swaps are parsed on first access: most only pass through. */
export function eventsOfText(text: string): readonly StreamEvent[] {
  if (!text.startsWith(`${BEGIN}{`)) return JSON.parse(text)
  return text.slice(BEGIN.length, -END.length).split(BETWEEN).map(readEvent)
}

/** No text within an event contains a line feed: JSON escapes it. */
const [BEGIN, BETWEEN, END] = ['[\n', ',\n', '\n]']

function eventText(event: StreamEvent): string {
  if (event.kind !== 'swap') return JSON.stringify(event)
  const { cursor, receivedAt, unplaced, commitment } = event
  const rest = `${member('receivedAt', receivedAt)}${member('unplaced', unplaced)}${member('commitment', commitment)}`
  const begin = `{"kind":"swap","cursor":"${cursor}","params":${paramsText(event)}${rest}`
  // Those of a swap that only passes through stay unparsed.
  const facts = event instanceof UnreadSwap ? event.factsText : event.facts && swapFactsText(event.facts)
  return facts === undefined ? `${begin}}` : `${begin}${FACTS_BEGIN}${facts}}`
}

/**
 * Nearly everything sent and kept are swaps, and nothing in them needs escaping: addresses, numbers and our own names.
 * Concatenated like this they take a quarter of the time.
 */
function swapText({ slot, signature, blockTime, swap }: SwapParams): string {
  const launchpad = member('launchpad', swap.launchpad)
  return `{"slot":${slot},"signature":"${signature}","blockTime":${blockTime},"swap":{"sourceExchange":"${swap.sourceExchange}"${launchpad},"ammAccount":"${swap.ammAccount}","baseTokenMint":"${swap.baseTokenMint}","quoteTokenMint":"${swap.quoteTokenMint}","walletAccount":"${swap.walletAccount}","quotePrice":"${swap.quotePrice}","usdValue":${swap.usdValue},"baseAmount":"${swap.baseAmount}","quoteAmount":"${swap.quoteAmount}","swapType":"${swap.swapType}","quoteTokenLiquidity":"${swap.quoteTokenLiquidity}"}}`
}

/** The same for its facts. */
function swapFactsText({ marketCap, walletBalance, curve }: SwapFacts): string {
  const ofCurve =
    curve &&
    `{"progress":${curve.progress},"complete":${curve.complete},"virtualBase":${quoted(curve.virtualBase)},"virtualQuote":${quoted(curve.virtualQuote)}}`
  return `{"marketCap":${quoted(marketCap)},"walletBalance":${quoted(walletBalance)},"curve":${ofCurve}}`
}

function quoted(text: string | null): string | null {
  return text === null ? null : `"${text}"`
}

const SWAP_BEGIN = '{"kind":"swap","cursor":"'
const PARAMS_BEGIN = '","params":'
/** The members of a swap, and of the params around it. */
const PARAMS_END = '}}'
/** They come last, behind plain members. */
const FACTS_BEGIN = ',"facts":'

function readEvent(text: string): StreamEvent {
  if (!text.startsWith(SWAP_BEGIN)) return JSON.parse(text)
  const cursorEnd = text.indexOf('"', SWAP_BEGIN.length)
  const begin = cursorEnd + PARAMS_BEGIN.length
  const end = text.indexOf(PARAMS_END, begin) + PARAMS_END.length
  const factsAt = text.indexOf(FACTS_BEGIN, end)
  const restEnd = factsAt < 0 ? text.length - 1 : factsAt
  const rest = restEnd > end ? JSON.parse(`{${text.slice(end + 1, restEnd)}}`) : undefined
  const facts = factsAt < 0 ? undefined : text.slice(factsAt + FACTS_BEGIN.length, -1)
  return new UnreadSwap(text.slice(SWAP_BEGIN.length, cursorEnd), text.slice(begin, end), rest, facts)
}

/** A swap as `eventText` wrote it. */
class UnreadSwap implements SwapEvent {
  readonly kind = 'swap'
  readonly cursor: string
  /** Parsed on first access. An own property, as in any event, so that copies have it. */
  declare readonly params: SwapParams
  declare readonly receivedAt?: number
  /** Parsed at each access, which is rare; absent if it has none. */
  declare readonly facts?: SwapFacts
  readonly #text: string
  readonly #facts: string | undefined
  #read: SwapParams | undefined

  constructor(cursor: string, text: string, rest: object | undefined, facts: string | undefined) {
    this.cursor = cursor
    this.#text = text
    this.#facts = facts
    Object.defineProperty(this, 'params', UnreadSwap.#params)
    if (rest) Object.assign(this, rest)
    if (facts !== undefined) Object.defineProperty(this, 'facts', UnreadSwap.#parsedFacts)
  }

  get factsText(): string | undefined {
    return this.#facts
  }

  get paramsText(): string {
    return this.#text
  }

  get isBuy(): boolean {
    return this.#text.includes('"swapType":"buy"')
  }

  static readonly #params = {
    enumerable: true,
    get(this: UnreadSwap) {
      this.#read ??= JSON.parse(this.#text)
      return this.#read
    },
  }

  static readonly #parsedFacts = {
    enumerable: true,
    get(this: UnreadSwap) {
      return JSON.parse(this.#facts!) // defined only where there are some
    },
  }
}

function member(name: string, value: string | number | boolean | null | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? `,"${name}":"${value}"` : `,"${name}":${value}`
}
