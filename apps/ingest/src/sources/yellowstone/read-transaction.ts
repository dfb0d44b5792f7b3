import type { Instruction, TokenBalance, Transaction } from '@pairwire/decoders'
import { PlaceList, ProtobufReader } from './protobuf-reader.ts'
import { checkIndex, fail, readBalances } from './read-balances.ts'

/** Field numbers of `SubscribeUpdateTransactionInfo`. @see https://github.com/rpcpool/yellowstone-grpc geyser.proto */
const INFO = { signature: 1, transaction: 3, meta: 4, index: 5 } as const

/** Field numbers of solana-storage.proto, of the same repository; other fields are skipped. */
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

/** The runtime stops a transaction at 64 calls; the margin is for a higher limit. */
const MAX_INSTRUCTIONS = 1_024
/** An index is a byte on the chain. */
const MAX_KEYS = 256
const KEY_BYTES = 32

/**
 * Reads a transaction of any version from a `SubscribeUpdateTransactionInfo`. Keys, accounts and data are views into
 * the message; texts are made when a decoder reads them. Everything is checked here, so that no later read throws.
 *
 * @throws MalformedMessageError, MalformedTransactionError when the bytes are not one
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
  if (metaAt === -1) fail('has no `meta`, so it is unknown whether it failed')
  const place = { slot, index, transactionAt, transactionEnd, metaAt, metaEnd }
  return new GrpcTransaction(info.bytes, signature, place)
}

/** The position of a transaction in the chain, and of its parts in its message. */
type Place = Readonly<{
  slot: number
  index: number
  transactionAt: number
  transactionEnd: number
  metaAt: number
  metaEnd: number
}>

/**
 * A transaction as the bytes of its message. Its parts are fifty objects, which would burden the garbage collector with
 * every waiting transaction; so they are made again when it is read after another one.
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
    opened.keys ??= []
    for (let at = opened.keys.length; at < KEYS.length; at++)
      opened.keys.push(viewOf(this.#bytes, KEYS.at(at), KEYS.at(at) + KEY_BYTES))
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
    if (opened.logs === undefined) {
      opened.logs = []
      for (let at = 0; at < LOGS.length; at += 2) {
        opened.logs.push(this.#bytes.toString('utf8', LOGS.at(at), LOGS.at(at + 1)))
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

  /** Returns its parts; kept until another one is read, as transactions are decoded one after the other. */
  #open(): Opened {
    if (newest?.of === this) return newest
    newest = undefined
    newest = openTransaction(this, this.#bytes, this.#place)
    return newest
  }
}

/** The parts of one transaction besides the lists below. */
type Opened = {
  readonly of: GrpcTransaction
  readonly failed: boolean
  readonly signerCount: number
  readonly instructions: readonly Instruction[]
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
  /** Made on first read; logs are null if the record has none. */
  keys: Uint8Array[] | undefined
  logs: string[] | null | undefined
}

/** The transaction that was last read. */
let newest: Opened | undefined

/** Offset of each of its keys: those of the message, then the loaded ones. */
const KEYS = new PlaceList()
const WRITABLE = new PlaceList()
const READONLY = new PlaceList()
/** Start and end of each line of its logs. */
const LOGS = new PlaceList()
/** The same for its top-level instructions, and for its token balances before and after it. */
const TOP = new PlaceList()
const PRE = new PlaceList()
const POST = new PlaceList()
/** For each inner instruction: the index of its top-level one, its start, and its end. */
const INNER_ONES = new PlaceList()

const LISTS = [KEYS, WRITABLE, READONLY, LOGS, TOP, PRE, POST, INNER_ONES]

/** Uses one reader, which moves from message to message: a transaction consists of eighty of them. */
function openTransaction(of: GrpcTransaction, bytes: Buffer, place: Place): Opened {
  for (const list of LISTS) list.clear()
  const fields = new ProtobufReader(bytes, place.transactionAt, place.transactionEnd)
  const signerCount = readMessage(fields)
  fields.moveTo(place.metaAt, place.metaEnd)
  const { failed, hasLogs } = readMeta(fields)
  for (const loaded of [WRITABLE, READONLY]) {
    for (let at = 0; at < loaded.length; at++) KEYS.push(loaded.at(at))
  }
  const keyCount = KEYS.length
  if (keyCount === 0) fail('names no accounts')
  if (keyCount > MAX_KEYS) fail('names more than 256 accounts')
  if (signerCount < 1 || signerCount > keyCount) fail('has a header without a sound number of signatures')
  return {
    of,
    failed,
    signerCount,
    instructions: readInstructions(fields, keyCount),
    preTokenBalances: readBalances(fields, PRE, keyCount),
    postTokenBalances: readBalances(fields, POST, keyCount),
    keys: undefined,
    logs: hasLogs ? undefined : null,
  }
}

/** @returns the number of signers */
function readMessage(fields: ProtobufReader): number {
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
      if (fields.number === MESSAGE.accountKeys) KEYS.push(readKey(fields))
      else if (fields.number === MESSAGE.instructions) pushRange(TOP, fields)
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
  return signerCount
}

/** Adds the start and end of the field's message. */
function pushRange(list: PlaceList, fields: ProtobufReader): void {
  list.push(fields.open())
  list.push(fields.at)
}

/** Returns the offset of the field's address. */
function readKey(fields: ProtobufReader): number {
  const start = fields.open()
  if (fields.at - start !== KEY_BYTES) fail('names an account whose address is not 32 bytes')
  return start
}

function readMeta(fields: ProtobufReader): { failed: boolean; hasLogs: boolean } {
  let failed = false
  let hasLogs = true
  while (fields.next()) {
    switch (fields.number) {
      case META.error:
        fields.skip()
        failed = true
        break
      case META.innerInstructions:
        readInner(fields)
        break
      case META.logMessages:
        pushRange(LOGS, fields)
        break
      case META.preTokenBalances:
        pushRange(PRE, fields)
        break
      case META.postTokenBalances:
        pushRange(POST, fields)
        break
      case META.logMessagesNone:
        if (fields.varint() === 1) hasLogs = false
        break
      case META.loadedWritable:
        WRITABLE.push(readKey(fields))
        break
      case META.loadedReadonly:
        READONLY.push(readKey(fields))
        break
      default:
        fields.skip()
    }
  }
  return { failed, hasLogs }
}

function readInner(fields: ProtobufReader): void {
  const metaEnd = fields.enter()
  const first = INNER_ONES.length
  let index = 0
  while (fields.next()) {
    if (fields.number === INNER.index) index = fields.varint()
    else if (fields.number === INNER.instructions) {
      INNER_ONES.push(0)
      pushRange(INNER_ONES, fields)
    } else fields.skip()
  }
  fields.leave(metaEnd)
  // The message comes before the meta, so that its instructions are known.
  if (index >= TOP.length / 2) fail('has inner instructions of an instruction that it does not have')
  for (let at = first; at < INNER_ONES.length; at += 3) INNER_ONES.set(at, index)
}

function readInstructions(fields: ProtobufReader, keyCount: number): Instruction[] {
  const count = TOP.length / 2 + INNER_ONES.length / 3
  if (count > MAX_INSTRUCTIONS) fail(`has ${count} instructions, more than the chain allows`)

  const instructions: Instruction[] = []
  for (let topIndex = 0; topIndex * 2 < TOP.length; topIndex++) {
    fields.moveTo(TOP.at(topIndex * 2), TOP.at(topIndex * 2 + 1))
    instructions.push(new GrpcInstruction(fields, keyCount, topIndex, -1))
    let innerIndex = 0
    for (let at = 0; at < INNER_ONES.length; at += 3) {
      if (INNER_ONES.at(at) !== topIndex) continue
      fields.moveTo(INNER_ONES.at(at + 1), INNER_ONES.at(at + 2))
      instructions.push(new GrpcInstruction(fields, keyCount, topIndex, innerIndex++))
    }
  }
  return instructions
}

/** An instruction as offsets into its message; its views are made on first read. */
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

/** Returns the bytes between two offsets; a plain view costs half as much as a `Buffer`. */
function viewOf({ buffer, byteOffset }: Buffer, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start)
}
