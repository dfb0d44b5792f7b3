import {
  type Call,
  type TransactionDraft,
  writeTransaction,
  writeTransferChecked,
} from '@pairwire/chain-writer'
import { keyOf } from '../bytes/key-table.ts'
import { decodeTransaction } from '../decode-transaction.ts'
import type { Decoded } from '../decoded.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../tokens/layout.ts'
import type { Transaction } from '../transaction.ts'

/** Returns the same object for the same address, as drafts require. */
export function address(base58: string): Uint8Array {
  let key = known.get(base58)
  if (key === undefined) {
    key = keyOf(base58)
    known.set(base58, key)
  }
  return key
}

const known = new Map<string, Uint8Array>()

/** A made-up key: 32 times the same number, the same object for the same number. */
export function aKey(number: number): Uint8Array {
  let key = made.get(number)
  if (key === undefined) {
    key = new Uint8Array(32).fill(number)
    made.set(number, key)
  }
  return key
}

const made = new Map<number, Uint8Array>()

/** The wallet that signs and pays, unless a test says otherwise. */
export const TRADER = aKey(201)

/** Another program that calls ours. */
export const ROUTER = aKey(202)

/** A transaction signed by {@link TRADER}, overridden by a test. */
export function aTransaction(draft: Partial<TransactionDraft>): Transaction {
  return writeTransaction({
    signature: new Uint8Array(64).fill(1),
    slot: 1,
    blockTime: 1,
    index: 0,
    failed: false,
    signers: [TRADER],
    calls: [],
    movements: [],
    ...draft,
  })
}

/** Decodes a transaction with these calls. */
export function decodeCalls(calls: readonly Call[], draft: Partial<TransactionDraft> = {}): Decoded {
  return decodeTransaction(aTransaction({ calls, ...draft }))
}

/** Wraps calls in a router's call. */
export function routed(...calls: Call[]): Call {
  return { program: ROUTER, accounts: [], data: new Uint8Array(8), steps: calls }
}

/** A checked transfer of SPL Token, or of Token-2022. */
export function aTransfer(from: Uint8Array, to: Uint8Array, amount: bigint, is2022 = false): Call {
  return writeTransferChecked({
    tokenProgram: address(is2022 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM),
    mint: aKey(203),
    decimals: 6,
    from,
    to,
    authority: TRADER,
    amount,
  })
}

/** Base58 of a balance's mint and an amount before and after, for one token account. */
export function aMovement(
  account: Uint8Array,
  mint: string,
  before: bigint | null,
  after: bigint | null,
  decimals = 6,
): TransactionDraft['movements'][number] {
  return { account, mint, owner: mint, decimals, before, after }
}

/** Concatenates bytes. */
export function concat(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
