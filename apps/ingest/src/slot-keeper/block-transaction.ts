import { type CallCounter, CallNotes, type Decoded, type Transaction } from '@pairwire/decoders'
import { type Prepared, prepare } from '../enrich/event-params.ts'

/** A transaction decoded on arrival, so that a slot waits for its end without the bytes. */
export type DecodedTransaction = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  /** Position in its block. */
  index: number | null
  /** Whether it failed on the chain. */
  failed: boolean
  decoded: Decoded
  prepared: Prepared
  /** Counted when its block is published. */
  calls: CallNotes
  /** The transaction itself, where a decoder does not know a call in it. */
  raw: Transaction | undefined
}>

/** A transaction of a block, decoded or not. */
export type BlockTransaction = Transaction | DecodedTransaction

/** Decodes a transaction and reports its calls; the same bytes always give the same result. */
export type Decode = (transaction: Transaction, counter: CallCounter) => Decoded

/**
 * Decodes a transaction ahead of its block; leaves it unchanged if a decoder fails, so that the code that publishes the
 * block meets and reports the fault.
 */
export function decodeEarly(transaction: Transaction, decode: Decode): BlockTransaction {
  const { index, failed } = transaction
  const calls = new CallNotes()
  try {
    const decoded = decode(transaction, calls)
    const signature = new Uint8Array(transaction.signature)
    const raw = calls.unknownKinds.length > 0 ? transaction : undefined
    return { signature, index, failed, decoded, prepared: prepare(decoded, signature), calls, raw }
  } catch {
    return transaction
  }
}

/** Whether it is decoded already. */
export function isDecoded(transaction: BlockTransaction): transaction is DecodedTransaction {
  return 'decoded' in transaction
}
