import { isObject } from '@pairwire/basics/json'
import { decodeBase58, decodeBase58Data, QUOTE_MINTS } from '@pairwire/contract'
import { keyOf } from '../bytes/key-table.ts'
import { DECODERS } from '../registry.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../tokens/layout.ts'
import type { Instruction, TokenBalance, Transaction } from '../transaction.ts'
import { MalformedTransactionError } from './malformed-transaction-error.ts'

/**
 * Reads a transaction from the answer of `getTransaction` with encoding `json`, with or without its JSON-RPC envelope.
 * Instructions stay in the record, and their base58 is decoded when a decoder first reads it.
 *
 * @returns undefined when `record` is something else: no object, or one without a `transaction`.
 * @throws MalformedTransactionError when it has the form of a transaction and is broken or in another encoding.
 */
export function readRpcTransaction(record: unknown): Transaction | undefined {
  const result = isObject(record) && !('transaction' in record) && 'result' in record ? record.result : record
  if (!isObject(result) || !('transaction' in result)) return undefined

  const { transaction, meta } = result
  if (Array.isArray(transaction) || typeof transaction === 'string') {
    fail('is encoded in base64 or base58; ask for it with encoding "json"')
  }
  if (!isObject(transaction)) fail('has no readable `transaction`')
  if (!isObject(transaction.message)) fail('has no `message`')
  if (!isObject(meta)) fail('has no `meta`, so it is unknown whether it failed')

  const { message } = transaction
  const keys = readKeys(message.accountKeys, meta.loadedAddresses)
  return {
    signature: readSignature(transaction.signatures),
    slot: readWhole(result.slot, 'slot'),
    blockTime: readWhole(result.blockTime, 'blockTime'),
    index: readWhole(result.transactionIndex ?? result.index, 'transactionIndex'),
    failed: hasFailed(meta),
    keys,
    signerCount: readSignerCount(message.header, keys.length),
    instructions: readInstructions(message.instructions, meta.innerInstructions, keys.length),
    logs: readLogs(meta.logMessages),
    preTokenBalances: readBalances(meta.preTokenBalances, keys.length),
    postTokenBalances: readBalances(meta.postTokenBalances, keys.length),
  }
}

type Json = Readonly<Record<string, unknown>>

function fail(what: string): never {
  throw new MalformedTransactionError(`The transaction ${what}.`)
}

/** Reads a list of the record; an absent or null one is empty. */
function readList(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) fail(`has \`${name}\` that is no list`)
  return value
}

/** Reads an integer, or null when the record has none. */
function readWhole(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    fail(`has \`${name}\` that is no whole number`)
  }
  return value
}

function hasFailed(meta: Json): boolean {
  if (meta.err !== undefined) return meta.err !== null
  // Very old records have only the status.
  if (isObject(meta.status)) return !('Ok' in meta.status)
  fail('has neither `err` nor `status`, so it is unknown whether it failed')
}

function readSignature(signatures: unknown): Uint8Array {
  const [first] = readList(signatures, 'signatures')
  const signature = typeof first === 'string' && first.length <= 88 ? decodeBase58(first) : undefined
  if (signature?.length !== 64) fail('has no signature of 64 bytes')
  return signature
}

function readKeys(staticKeys: unknown, loaded: unknown): Uint8Array[] {
  const keys = readList(staticKeys, 'accountKeys').map(readKey)
  if (keys.length === 0) fail('names no accounts')
  if (isObject(loaded)) {
    for (const key of readList(loaded.writable, 'loadedAddresses.writable')) keys.push(readKey(key))
    for (const key of readList(loaded.readonly, 'loadedAddresses.readonly')) keys.push(readKey(key))
  }
  // An index is a byte on the chain.
  if (keys.length > 256) fail('names more than 256 accounts')
  return keys
}

function readKey(value: unknown): Uint8Array {
  if (isObject(value) && 'pubkey' in value)
    fail('is of encoding "jsonParsed"; ask for it with encoding "json"')
  const text = typeof value === 'string' && value.length <= 44 ? value : ''
  const key = WELL_KNOWN.get(text) ?? decodeBase58(text)
  if (key?.length !== 32) fail('names an account whose address is not 32 bytes of base58')
  return key
}

/** Keys of addresses in nearly every transaction, which need not be decoded again. */
const WELL_KNOWN: ReadonlyMap<string, Uint8Array> = new Map(
  [
    ...DECODERS.flatMap(({ programIds }) => programIds),
    ...QUOTE_MINTS,
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    METADATA_PROGRAM,
    '11111111111111111111111111111111',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'ComputeBudget111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'Sysvar1nstructions1111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  ].map((address) => [address, keyOf(address)]),
)

function readSignerCount(header: unknown, keyCount: number): number {
  const count = isObject(header) ? header.numRequiredSignatures : undefined
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > keyCount) {
    fail('has a header without a sound number of signatures')
  }
  return count
}

function readInstructions(top: unknown, inner: unknown, keyCount: number): Instruction[] {
  const topLevel = readList(top, 'instructions')
  const groups: (readonly unknown[] | undefined)[] = new Array(topLevel.length)
  for (const group of readList(inner, 'innerInstructions')) {
    const index = isObject(group) ? group.index : undefined
    if (!isObject(group) || typeof index !== 'number' || !(index in topLevel)) {
      fail('has inner instructions of an instruction that it does not have')
    }
    const known = groups[index]
    const list = readList(group.instructions, 'innerInstructions')
    groups[index] = known === undefined ? list : [...known, ...list]
  }

  let count = topLevel.length
  for (const group of groups) count += group?.length ?? 0
  if (count > MAX_INSTRUCTIONS) fail(`has ${count} instructions, more than the chain allows`)

  const instructions: Instruction[] = []
  for (let topIndex = 0; topIndex < topLevel.length; topIndex++) {
    instructions.push(new RpcInstruction(topLevel[topIndex], keyCount, topIndex, -1))
    const group = groups[topIndex]
    if (group === undefined) continue
    for (let innerIndex = 0; innerIndex < group.length; innerIndex++) {
      instructions.push(new RpcInstruction(group[innerIndex], keyCount, topIndex, innerIndex))
    }
  }
  return instructions
}

/** An instruction whose lists stay in the record until they are read. */
class RpcInstruction implements Instruction {
  readonly programIndex: number
  readonly stackHeight: number | null
  readonly topIndex: number
  readonly innerIndex: number
  readonly #accounts: readonly number[]
  readonly #text: string
  #accountBytes: Uint8Array | undefined
  #data: Uint8Array | undefined

  constructor(record: unknown, keyCount: number, topIndex: number, innerIndex: number) {
    if (!isObject(record)) fail('has an instruction that is no object')
    const { programIdIndex, accounts, data, stackHeight } = record
    if (programIdIndex === undefined && 'programId' in record) {
      fail('is of encoding "jsonParsed"; ask for it with encoding "json"')
    }
    this.programIndex = readIndex(programIdIndex, keyCount)
    const list = readList(accounts, 'accounts')
    for (let at = 0; at < list.length; at++) readIndex(list[at], keyCount)
    // Each entry was checked to be a number just above.
    this.#accounts = list as readonly number[]
    this.#text = readData(data)
    this.topIndex = topIndex
    this.innerIndex = innerIndex
    this.stackHeight = innerIndex === -1 ? 1 : readWhole(stackHeight, 'stackHeight')
  }

  get accounts(): Uint8Array {
    this.#accountBytes ??= Uint8Array.from(this.#accounts)
    return this.#accountBytes
  }

  get data(): Uint8Array {
    // The text was checked to be base58 before.
    this.#data ??= decodeBase58Data(this.#text)!
    return this.#data
  }
}

function readIndex(value: unknown, keyCount: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    fail('has an account index that is no whole number')
  }
  if (value >= keyCount) {
    fail(`uses account ${value} but names ${keyCount}; are its \`loadedAddresses\` missing?`)
  }
  return value
}

/** The runtime stops a transaction at 64 calls; the margin is for a higher limit. */
const MAX_INSTRUCTIONS = 1_024

/** Base58 characters of the largest call data, 10 KiB. */
const MAX_DATA_TEXT = 14_100
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]*$/

function readData(value: unknown): string {
  if (typeof value !== 'string') fail('has an instruction without `data`')
  if (value.length > MAX_DATA_TEXT) fail('has an instruction longer than the chain allows')
  if (!BASE58.test(value)) fail('has an instruction whose `data` is not base58')
  return value
}

function readLogs(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null
  const logs = readList(value, 'logMessages')
  for (const line of logs) if (typeof line !== 'string') fail('has a log line that is no text')
  // Each line was checked to be a text just above.
  return logs as readonly string[]
}

function readBalances(value: unknown, keyCount: number): TokenBalance[] {
  return readList(value, 'token balances').map((record) => {
    if (!isObject(record) || !isObject(record.uiTokenAmount)) fail('has a token balance without an amount')
    const { mint, owner } = record
    const { amount, decimals } = record.uiTokenAmount
    if (typeof mint !== 'string' || !ADDRESS.test(mint)) fail('has a token balance without a mint')
    if (typeof amount !== 'string' || !AMOUNT.test(amount)) fail('has a token balance without an amount')
    if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
      fail('has a token balance without decimals')
    }
    const accountIndex = readIndex(record.accountIndex, keyCount)
    return { accountIndex, mint, owner: typeof owner === 'string' ? owner : null, amount, decimals }
  })
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
/** Decimal digits of a u64. */
const AMOUNT = /^\d{1,20}$/
