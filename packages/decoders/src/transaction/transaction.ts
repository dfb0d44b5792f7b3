/**
 * One confirmed transaction, as the decoders read it. Filled from RPC JSON or from gRPC bytes without copying:
 * bytes stay bytes, and what a record does not have is null.
 */
export type Transaction = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  slot: number | null
  /** Unix seconds. */
  blockTime: number | null
  /** Position in its block. */
  index: number | null
  /** Whether the chain undid it (`meta.err` is set). */
  failed: boolean
  /** 32-byte account keys: static ones, then loaded writable, then loaded readonly. Every index points in here. */
  keys: readonly Uint8Array[]
  /** The first keys are the signers; key 0 pays the fee. */
  signerCount: number
  /** Every instruction in order of execution: each top-level one followed by its inner ones. */
  instructions: readonly Instruction[]
  /** Program logs; cut off by the validator at 10 kB. Null when the record has none. */
  logs: readonly string[] | null
  preTokenBalances: readonly TokenBalance[]
  postTokenBalances: readonly TokenBalance[]
}>

/** Where an instruction stands: its position in `transaction.instructions`. */
export type Position = number

/** A call, of the transaction or of another call. */
export type Instruction = Readonly<{
  /** Index of the program's key. */
  programIndex: number
  /** Indexes of the accounts' keys, a byte each. */
  accounts: Uint8Array
  /** May be made on first reading. */
  data: Uint8Array
  /** 1 for a top-level instruction, 2 for a call it makes, and so on; null where the record has none. */
  stackHeight: number | null
  /** Index of the top-level instruction. */
  topIndex: number
  /** Index among its inner instructions; -1 for the top-level one itself. */
  innerIndex: number
}>

/** Balance of a token account before or after the transaction. */
export type TokenBalance = Readonly<{
  /** Index of the token account's key. */
  accountIndex: number
  /** Base58, as every source gives it. */
  mint: string
  /** Base58 of the wallet; null where the record has none. */
  owner: string | null
  /** Raw units, a decimal string. */
  amount: string
  decimals: number
}>
