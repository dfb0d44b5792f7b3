import { QUOTING_PROGRAMS, TOKEN_PROGRAM } from '@pairwire/decoders'

/** A stream's request: transactions of these programs, swaps of those that mostly set quotes, and everything that completes slots. */
type StreamRequest = Readonly<{
  /** Base58 of the programs. */
  programs: readonly string[]
  /** The slot to begin with; undefined to begin with the next arrival. */
  fromSlot: number | undefined
  /** Whether to send transactions before they are confirmed; confirmed slots are reported in either case. */
  isAhead: boolean
}>

/** Field numbers of `SubscribeRequest`. @see https://github.com/rpcpool/yellowstone-grpc geyser.proto */
const REQUEST = { slots: 2, transactions: 3, blocksMeta: 5, commitment: 6, ping: 9, fromSlot: 11 } as const
const SLOTS_FILTER = { interslotUpdates: 2 } as const
const TRANSACTIONS_FILTER = { vote: 1, failed: 2, accountInclude: 3, accountRequired: 6 } as const
const MAP_ENTRY = { key: 1, value: 2 } as const
const PING = { id: 1 } as const
/** Of `CommitmentLevel`. */
const PROCESSED = 0
const CONFIRMED = 1

/** The server names the filter that a message passed; ours has this name. */
const FILTER = 'pairwire'

/** Writes the `SubscribeRequest` that opens a stream. */
export function writeRequest({ programs, fromSlot, isAhead }: StreamRequest): Buffer {
  const transactionsOf = (included: Iterable<string>) => [
    ...varintField(TRANSACTIONS_FILTER.vote, 0),
    ...varintField(TRANSACTIONS_FILTER.failed, 0),
    ...[...included].flatMap((program) => textField(TRANSACTIONS_FILTER.accountInclude, program)),
  ]
  const required = textField(TRANSACTIONS_FILTER.accountRequired, TOKEN_PROGRAM)
  return Buffer.from([
    ...mapField(REQUEST.slots, varintField(SLOTS_FILTER.interslotUpdates, 1)),
    ...mapField(REQUEST.transactions, transactionsOf(programs)),
    ...mapField(REQUEST.transactions, [...transactionsOf(QUOTING_PROGRAMS), ...required], 'pairwire-quoting'),
    ...mapField(REQUEST.blocksMeta, []),
    ...varintField(REQUEST.commitment, isAhead ? PROCESSED : CONFIRMED),
    ...(fromSlot === undefined ? [] : varintField(REQUEST.fromSlot, fromSlot)),
  ])
}

/** Writes the `SubscribeRequest` that answers a server's ping; it changes no filter. */
export function writePing(id: number): Buffer {
  return Buffer.from(bytesField(REQUEST.ping, varintField(PING.id, id)))
}

/** Writes a request with its commitment in field 1, like `GetSlotRequest`. */
export function writeCommitment(): Buffer {
  return Buffer.from(varintField(1, CONFIRMED))
}

function mapField(number: number, value: readonly number[], name = FILTER): number[] {
  return bytesField(number, [...textField(MAP_ENTRY.key, name), ...bytesField(MAP_ENTRY.value, value)])
}

function textField(number: number, text: string): number[] {
  return bytesField(number, [...Buffer.from(text)])
}

function bytesField(number: number, bytes: readonly number[]): number[] {
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}

function varintField(number: number, value: number): number[] {
  return [...varint(number * 8), ...varint(value)]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 128)
  }
}
