import type { Instruction, TokenBalance, Transaction } from '@pairwire/decoders'
import { checkIndex, fail } from './malformed.ts'
import { ProtobufReader } from './protobuf-reader.ts'
import { readBalances } from './read-balances.ts'

/** Field numbers of `SubscribeUpdateTransactionInfo`. @see https://github.com/rpcpool/yellowstone-grpc geyser.proto */
const INFO = { signature: 1, transaction: 3, meta: 4, index: 5 } as const

/** Field numbers of solana-storage.proto, of the same repository; what is not named is skipped. */
const TRANSACTION = { message: 2 } as const
const MESSAGE = { header: 1, accountKeys: 2, instructions: 4 } as const
const HEADER = { signatures: 1 } as const
const META = {
  error: 1,
  innerInstructions: 5,
  logMessages: 6,
  preTokenBalances: 7,
  postTokenBalances: 8,
  logMessagesNone: 11,
  loadedWritable: 12,
  loadedReadonly: 13,
} as const
const INNER = { index: 1, instructions: 2 } as const
const INSTRUCTION = { programIndex: 1, accounts: 2, data: 3, stackHeight: 4 } as const

/** The runtime stops a transaction at 64 calls; a margin is left for the day that it allows more. */
const MAX_INSTRUCTIONS = 1_024
/** An index is a byte on the chain. */
const MAX_KEYS = 256
const KEY_BYTES = 32

/**
 * A transaction from a `SubscribeUpdateTransactionInfo`, of any version. Keys, accounts and data are views into the
 * message; texts are made when a decoder reads them. All of it is checked here, so that no reading throws later.
 *
 * @throws MalformedMessageError, MalformedTransactionError when the bytes are none
 */
export function readTransaction(info: ProtobufReader, slot: number): Transaction {
  let signature: Buffer | undefined
  let index = 0
  let transactionAt = -1
  let transactionEnd = 0
  let metaAt = -1
  let metaEnd = 0
  while (info.next()) {
    if (info.number === INFO.signature) signature = info.view()
    else if (info.number === INFO.transaction) {
      transactionAt = info.open()
      transactionEnd = info.at
    } else if (info.number === INFO.meta) {
      metaAt = info.open()
      metaEnd = info.at
    } else if (info.number === INFO.index) index = info.varint()
    else info.skip()
  }
  if (signature?.length !== 64) fail('has no signature of 64 bytes')
  if (transactionAt === -1) fail('has no `transaction`')
  if (metaAt === -1) fail('has no `meta`, so that nobody knows whether it failed')
  const place = { slot, index, transactionAt, transactionEnd, metaAt, metaEnd }
  return new GrpcTransaction(info.bytes, signature, place)
}

/** Where a transaction stands in the chain, and its parts in its message. */
type Place = Readonly<{
  slot: number
  index: number
  transactionAt: number
  transactionEnd: number
  metaAt: number
  metaEnd: number
}>

/**
 * A transaction as the bytes of its message. What it is made of is fifty objects, which the collector would carry along
 * with every transaction that waits; so they are made again when it is read once another one was.
 */
class GrpcTransaction implements Transaction {
  readonly signature: Uint8Array
  readonly blockTime = null
  readonly #bytes: Buffer
  readonly #place: Place

  constructor(bytes: Buffer, signature: Uint8Array, place: Place) {
    this.signature = signature
    this.#bytes = bytes
    this.#place = place
    this.#open()
  }

  get slot(): number {
    return this.#place.slot
  }

  get index(): number {
    return this.#place.index
  }

  get failed(): boolean {
    return this.#open().failed
  }

  get keys(): readonly Uint8Array[] {
    const opened = this.#open()
    opened.keys ??= opened.keyStarts.map((at) => this.#bytes.subarray(at, at + KEY_BYTES))
    return opened.keys
  }

  get signerCount(): number {
    return this.#open().signerCount
  }

  get instructions(): readonly Instruction[] {
    return this.#open().instructions
  }

  get logs(): readonly string[] | null {
    const opened = this.#open()
    const { logRanges } = opened
    if (logRanges === null) return null
    if (opened.logs === undefined) {
      opened.logs = []
      for (let at = 0; at < logRanges.length; at += 2) {
        opened.logs.push(this.#bytes.toString('utf8', logRanges[at], logRanges[at + 1]))
      }
    }
    return opened.logs
  }

  get preTokenBalances(): readonly TokenBalance[] {
    return this.#open().preTokenBalances
  }

  get postTokenBalances(): readonly TokenBalance[] {
    return this.#open().postTokenBalances
  }

  /** What it is made of; kept until another one is read, as they are decoded one after the other. */
  #open(): Opened {
    if (newest?.of !== this) newest = openTransaction(this, this.#bytes, this.#place)
    return newest
  }
}

/** What one transaction is made of. */
type Opened = {
  readonly of: GrpcTransaction
  readonly failed: boolean
  readonly signerCount: number
  readonly instructions: readonly Instruction[]
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
  /** Where each key begins. */
  readonly keyStarts: readonly number[]
  /** Where each line of the logs begins and ends; null where the record has none. */
  readonly logRanges: readonly number[] | null
  /** Made when they are first read. */
  keys: readonly Uint8Array[] | undefined
  logs: string[] | undefined
}

/** The transaction that was read last. */
let newest: Opened | undefined

/** Reads with one reader, which goes from message to message: a transaction is made of eighty of them. */
function openTransaction(of: GrpcTransaction, bytes: Buffer, place: Place): Opened {
  const fields = new ProtobufReader(bytes, place.transactionAt, place.transactionEnd)
  const message = readMessage(fields)
  fields.moveTo(place.metaAt, place.metaEnd)
  const meta = readMeta(fields)
  const keyStarts = message.keyStarts.concat(meta.writable, meta.readonly)
  const keyCount = keyStarts.length
  if (keyCount === 0) fail('names no accounts')
  if (keyCount > MAX_KEYS) fail('names more than 256 accounts')
  if (message.signerCount < 1 || message.signerCount > keyCount) {
    fail('has a header without a sound number of signatures')
  }
  return {
    of,
    failed: meta.failed,
    signerCount: message.signerCount,
    instructions: readInstructions(fields, message.instructions, meta.inner, keyCount),
    preTokenBalances: readBalances(fields, meta.pre, keyCount),
    postTokenBalances: readBalances(fields, meta.post, keyCount),
    keyStarts,
    logRanges: meta.logRanges,
    keys: undefined,
    logs: undefined,
  }
}

/** Where messages begin and end, one after the other. */
type Ranges = number[]

type Message = { keyStarts: number[]; signerCount: number; instructions: Ranges }

function readMessage(fields: ProtobufReader): Message {
  const keyStarts: number[] = []
  const instructions: Ranges = []
  let signerCount = 0
  let hasMessage = false
  while (fields.next()) {
    if (fields.number !== TRANSACTION.message) {
      fields.skip()
      continue
    }
    hasMessage = true
    const transactionEnd = fields.enter()
    while (fields.next()) {
      if (fields.number === MESSAGE.accountKeys) keyStarts.push(readKey(fields))
      else if (fields.number === MESSAGE.instructions) instructions.push(fields.open(), fields.at)
      else if (fields.number === MESSAGE.header) {
        const messageEnd = fields.enter()
        while (fields.next()) {
          if (fields.number === HEADER.signatures) signerCount = fields.varint()
          else fields.skip()
        }
        fields.leave(messageEnd)
      } else fields.skip()
    }
    fields.leave(transactionEnd)
  }
  if (!hasMessage) fail('has no `message`')
  return { keyStarts, signerCount, instructions }
}

/** Where the field's address begins. */
function readKey(fields: ProtobufReader): number {
  const start = fields.open()
  if (fields.at - start !== KEY_BYTES) fail('names an account whose address is not 32 bytes')
  return start
}

type Meta = {
  failed: boolean
  writable: number[]
  readonly: number[]
  /** Inner instructions by the top-level one that made them. */
  inner: (Ranges | undefined)[]
  logRanges: Ranges | null
  pre: Ranges
  post: Ranges
}

function readMeta(fields: ProtobufReader): Meta {
  const meta: Meta = {
    failed: false,
    writable: [],
    readonly: [],
    inner: [],
    logRanges: [],
    pre: [],
    post: [],
  }
  while (fields.next()) {
    switch (fields.number) {
      case META.error:
        fields.skip()
        meta.failed = true
        break
      case META.innerInstructions:
        readInner(fields, meta.inner)
        break
      case META.logMessages:
        meta.logRanges?.push(fields.open(), fields.at)
        break
      case META.preTokenBalances:
        meta.pre.push(fields.open(), fields.at)
        break
      case META.postTokenBalances:
        meta.post.push(fields.open(), fields.at)
        break
      case META.logMessagesNone:
        if (fields.varint() === 1) meta.logRanges = null
        break
      case META.loadedWritable:
        meta.writable.push(readKey(fields))
        break
      case META.loadedReadonly:
        meta.readonly.push(readKey(fields))
        break
      default:
        fields.skip()
    }
  }
  return meta
}

function readInner(fields: ProtobufReader, inner: (Ranges | undefined)[]): void {
  const metaEnd = fields.enter()
  let index = 0
  const instructions: Ranges = []
  while (fields.next()) {
    if (fields.number === INNER.index) index = fields.varint()
    else if (fields.number === INNER.instructions) instructions.push(fields.open(), fields.at)
    else fields.skip()
  }
  fields.leave(metaEnd)
  if (index >= MAX_INSTRUCTIONS) fail('has inner instructions of an instruction that it does not have')
  const known = inner[index]
  inner[index] = known === undefined ? instructions : known.concat(instructions)
}

function readInstructions(
  fields: ProtobufReader,
  top: Ranges,
  inner: readonly (Ranges | undefined)[],
  keyCount: number,
): Instruction[] {
  if (inner.length > top.length / 2) fail('has inner instructions of an instruction that it does not have')
  let count = top.length / 2
  for (const group of inner) count += (group?.length ?? 0) / 2
  if (count > MAX_INSTRUCTIONS) fail(`has ${count} instructions, more than the chain allows`)

  const instructions: Instruction[] = []
  for (let topIndex = 0; topIndex * 2 < top.length; topIndex++) {
    fields.moveTo(top[topIndex * 2]!, top[topIndex * 2 + 1]!)
    instructions.push(new GrpcInstruction(fields, keyCount, topIndex, -1))
    const group = inner[topIndex]
    if (group === undefined) continue
    for (let innerIndex = 0; innerIndex * 2 < group.length; innerIndex++) {
      fields.moveTo(group[innerIndex * 2]!, group[innerIndex * 2 + 1]!)
      instructions.push(new GrpcInstruction(fields, keyCount, topIndex, innerIndex))
    }
  }
  return instructions
}

/** An instruction as offsets into its message; its views are made when they are first read. */
class GrpcInstruction implements Instruction {
  readonly programIndex: number
  readonly stackHeight: number | null
  readonly topIndex: number
  readonly innerIndex: number
  readonly #bytes: Buffer
  readonly #accountsAt: number
  readonly #accountsEnd: number
  readonly #dataAt: number
  readonly #dataEnd: number
  #accounts: Uint8Array | undefined
  #data: Uint8Array | undefined

  constructor(fields: ProtobufReader, keyCount: number, topIndex: number, innerIndex: number) {
    let programIndex = 0
    let stackHeight: number | null = null
    let accountsAt = 0
    let accountsEnd = 0
    let dataAt = 0
    let dataEnd = 0
    while (fields.next()) {
      switch (fields.number) {
        case INSTRUCTION.programIndex:
          programIndex = fields.varint()
          break
        case INSTRUCTION.accounts:
          accountsAt = fields.open()
          accountsEnd = fields.at
          break
        case INSTRUCTION.data:
          dataAt = fields.open()
          dataEnd = fields.at
          break
        case INSTRUCTION.stackHeight:
          stackHeight = fields.varint()
          break
        default:
          fields.skip()
      }
    }
    const { bytes } = fields
    checkIndex(programIndex, keyCount)
    for (let at = accountsAt; at < accountsEnd; at++) checkIndex(bytes[at]!, keyCount)
    this.programIndex = programIndex
    this.stackHeight = innerIndex === -1 ? 1 : stackHeight
    this.topIndex = topIndex
    this.innerIndex = innerIndex
    this.#bytes = bytes
    this.#accountsAt = accountsAt
    this.#accountsEnd = accountsEnd
    this.#dataAt = dataAt
    this.#dataEnd = dataEnd
  }

  get accounts(): Uint8Array {
    this.#accounts ??= viewOf(this.#bytes, this.#accountsAt, this.#accountsEnd)
    return this.#accounts
  }

  get data(): Uint8Array {
    this.#data ??= viewOf(this.#bytes, this.#dataAt, this.#dataEnd)
    return this.#data
  }
}

/** The bytes between two places; a plain view costs half of what a `Buffer` does. */
function viewOf({ buffer, byteOffset }: Buffer, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start)
}
