import { isObject } from '@pairwire/basics'
import { MalformedTransactionError, readRpcTransaction, type Transaction } from '@pairwire/decoders'
import { readFiles } from './read-files.ts'

/** A transaction of a recording with its JSON, or why a value is none. */
type Recorded =
  | Readonly<{ place: string; transaction: Transaction; record: object }>
  | Readonly<{ place: string; refusal: string; isUnreadable: boolean }>

/**
 * Reads the transactions of a file or folder, in the order of files and lines: `getTransaction` results with or without
 * their envelope, lists of them, and `getBlock` results. Other values are named, and reading continues.
 */
export async function* readRecording(path: string): AsyncIterable<Recorded> {
  for await (const file of readFiles(path)) {
    if ('refusal' in file) yield file
    else yield* readRecord(file.place, file.record, 0)
  }
}

/** Lists in lists of blocks are enough; no recording is deeper. */
const MAX_DEPTH = 3

function* readRecord(place: string, value: unknown, depth: number): Iterable<Recorded> {
  if (Array.isArray(value) && depth < MAX_DEPTH) {
    if (value.length === 0) yield { place, refusal: 'is an empty list', isUnreadable: false }
    for (const [index, entry] of value.entries()) yield* readRecord(`${place}[${index}]`, entry, depth + 1)
    return
  }
  const record = isObject(value) && !('transaction' in value) && 'result' in value ? value.result : value
  if (isObject(record) && Array.isArray(record.transactions)) {
    yield* readBlock(place, record, record.transactions)
    return
  }
  yield readOne(place, record)
}

/** A block has its time once, and a transaction's index is its position in the list. */
function* readBlock(
  place: string,
  block: Readonly<Record<string, unknown>>,
  transactions: readonly unknown[],
): Iterable<Recorded> {
  const { slot = null, blockTime = null } = block
  for (const [index, entry] of transactions.entries()) {
    const record = isObject(entry) ? { slot, blockTime, transactionIndex: index, ...entry } : entry
    yield readOne(`${place}[${index}]`, record)
  }
}

function readOne(place: string, record: unknown): Recorded {
  try {
    const transaction = readRpcTransaction(record)
    if (transaction && isObject(record)) return { place, transaction, record }
    return { place, refusal: 'is no transaction', isUnreadable: false }
  } catch (error) {
    if (!(error instanceof MalformedTransactionError)) throw error
    return { place, refusal: error.message, isUnreadable: false }
  }
}
