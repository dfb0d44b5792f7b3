import { isObject, readObject } from '@pairwire/basics/json'
import {
  GAP_NOTIFICATION,
  NOTIFICATION_METHODS,
  PAIR_UPDATE_NOTIFICATION,
  REQUEST_FAILED,
  SLOT_DROPPED_NOTIFICATION,
  SUBSCRIPTION_CLOSED,
} from '@pairwire/contract/methods'
import type { Refusal } from './refusal.ts'
import type { TokenFace } from './token-face.ts'

/**
 * The meaning of one frame for the console. A `block` updates the latest block, a `face` names a token; everything else
 * becomes a row.
 */
type EventReading = SwapReading | PairReading | MessageReading | BlockReading | FaceReading

/** A swap. Absent text is empty; absent or invalid numbers are null. */
export type SwapReading = Readonly<{
  kind: 'swap'
  isBuy: boolean
  exchange: string
  /** Quote per base, as the server wrote it. */
  price: string
  usd: number | null
  mint: string
  quoteMint: string
  wallet: string
  signature: string
  /** Unix seconds. */
  blockTime: number | null
  /** Whether it was only executed, and may be taken back. */
  isEarly: boolean
}>

/** A new pair. `name` and `symbol` come from strangers. */
export type PairReading = Readonly<{
  kind: 'pair'
  exchange: string
  isMigration: boolean
  name: string
  symbol: string
  /** Address of its picture, from a stranger; empty without one. */
  logo: string
  mint: string
  quoteMint: string
  signature: string
  /** Unix seconds. */
  blockTime: number | null
  /** Whether it was only executed, and may be taken back. */
  isEarly: boolean
}>

/** An answer, a refusal or any other message of the server. */
export type MessageReading = Readonly<{
  kind: 'message'
  tone: 'result' | 'error' | 'gap' | 'notice'
  words: string
  /** Further text, shown after the words; empty without any. */
  detail: string
  /** Details of an error. */
  refusal?: Refusal
  /** Signatures of early events that it takes back. */
  takesBack?: readonly string[]
}>

/** The newest block of the block feed. */
export type BlockReading = Readonly<{ kind: 'block'; block: number | null; blockTime: number | null }>

/** New details of a pair's token after the pair was sent. */
type FaceReading = Readonly<{ kind: 'face'; face: TokenFace }>

/**
 * Reads a frame tolerantly: an event's fields may be in `params`, or in its `pair` or `swap`, its `blockTime` and
 * `signature` there or next to `method`; `migration` may be a flag or a word; unknown members are ignored, and `""`,
 * null and absent are equivalent. Anything else is a message, shown unchanged.
 */
export function readEvent(text: string): EventReading {
  const frame = readObject(text)
  if (!frame) return notice(text)

  switch (frame.method) {
    case NOTIFICATION_METHODS.swap:
      return readSwap(frame)
    case NOTIFICATION_METHODS.newPair:
      return readPair(frame)
    case NOTIFICATION_METHODS.latestBlock: {
      const params = fieldsOf(frame.params)
      return {
        kind: 'block',
        block: numberOf(params.block ?? frame.block),
        blockTime: numberOf(params.blockTime ?? frame.blockTime),
      }
    }
    case PAIR_UPDATE_NOTIFICATION:
      return { kind: 'face', face: faceOf(fieldsOf(fieldsOf(frame.params).baseToken)) }
    default:
      return readMessage(frame, text)
  }
}

/** A JSON object whose members are not read yet. */
export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = {}

function readSwap(frame: Fields): SwapReading {
  const params = fieldsOf(frame.params)
  const swap = isObject(params.swap) ? params.swap : params
  return {
    kind: 'swap',
    isBuy: textOf(swap.swapType).toLowerCase() !== 'sell',
    exchange: textOf(swap.sourceExchange),
    price: textOf(swap.quotePrice),
    usd: numberOf(swap.usdValue),
    mint: textOf(swap.baseTokenMint),
    quoteMint: textOf(swap.quoteTokenMint),
    wallet: textOf(swap.walletAccount),
    ...originOf(swap, params, frame),
  }
}

function readPair(frame: Fields): PairReading {
  const params = fieldsOf(frame.params)
  const pair = isObject(params.pair) ? params.pair : params
  return {
    kind: 'pair',
    exchange: textOf(pair.sourceExchange),
    isMigration: pair.migration === true || textOf(pair.migration) !== '',
    ...faceOf(fieldsOf(pair.baseToken)),
    quoteMint: textOf(fieldsOf(pair.quoteToken).account),
    ...originOf(pair, params, frame),
  }
}

/** Reads details in an event, around it, or next to its method. */
function originOf(event: Fields, params: Fields, frame: Fields) {
  return {
    signature: textOf(event.signature) || textOf(params.signature) || textOf(frame.signature),
    blockTime: numberOf(event.blockTime) ?? numberOf(params.blockTime) ?? numberOf(frame.blockTime),
    isEarly: frame.commitment === 'processed',
  }
}

function faceOf(token: Fields): TokenFace {
  const metadata = fieldsOf(fieldsOf(token.info).metadata)
  return {
    mint: textOf(token.account),
    name: textOf(metadata.name),
    symbol: textOf(metadata.symbol),
    logo: textOf(metadata.logo),
  }
}

function readMessage(frame: Fields, text: string): MessageReading {
  if (frame.error !== undefined && frame.error !== null) return readError(fieldsOf(frame.error), text)
  if (frame.method === REQUEST_FAILED) return readError(fieldsOf(frame.params), text)
  if (frame.method === GAP_NOTIFICATION) return readGap(fieldsOf(frame.params))
  if (frame.method === SLOT_DROPPED_NOTIFICATION) return readDropped(fieldsOf(frame.params))
  if (frame.method === SUBSCRIPTION_CLOSED) {
    const reason = textOf(frame.reason) || textOf(fieldsOf(frame.params).reason)
    const hasEnded = frame.errorType === 'REPLAY_ENDED'
    return {
      ...{ kind: 'message', tone: 'notice' },
      ...(hasEnded ? { words: reason, detail: '' } : { words: 'Subscription closed', detail: reason }),
    }
  }
  return 'result' in frame
    ? { kind: 'message', tone: 'result', words: oneLine(text), detail: '' }
    : notice(text)
}

function readError(error: Fields, text: string): MessageReading {
  const code = numberOf(error.code)
  const data = fieldsOf(error.data)
  return {
    kind: 'message',
    tone: 'error',
    words: textOf(error.message) || oneLine(text),
    detail: code === null ? '' : `code ${code}`,
    refusal: { errorType: textOf(data.errorType), docs: textOf(data.docs), oldest: textOf(data.oldest) },
  }
}

function readGap({ fromSlot, toSlot, cause }: Fields): MessageReading {
  const [from, to] = [numberOf(fromSlot), numberOf(toSlot)]
  const words =
    from === null || to === null ? 'Some slots are missing here.' : `Slots ${from} to ${to} are missing here.`
  return { kind: 'message', tone: 'gap', words, detail: GAP_CAUSES[textOf(cause)] ?? textOf(cause) }
}

function readDropped({ slot, signatures }: Fields): MessageReading {
  const takesBack = Array.isArray(signatures) ? signatures.map(textOf) : []
  const words = `Transactions taken back from slot ${textOf(slot)}: ${takesBack.length}`
  return { kind: 'message', tone: 'gap', words, detail: '', takesBack }
}

/** Why events could not be delivered, by the stream's word for it. */
const GAP_CAUSES: Readonly<Record<string, string>> = {
  upstream: 'the source did not give them',
}

function notice(text: string): MessageReading {
  return { kind: 'message', tone: 'notice', words: oneLine(text), detail: '' }
}

/** Characters of a message in a row; the raw view has all of them. */
const MESSAGE_LENGTH = 400

function oneLine(text: string): string {
  return text.slice(0, MESSAGE_LENGTH).replace(/\s+/g, ' ').trim()
}

/** Returns the members of a value; empty if it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NONE
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : ''
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
