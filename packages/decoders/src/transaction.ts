/**
 * One confirmed transaction for the decoders. Filled from RPC JSON or from gRPC bytes without copying: bytes stay
 * bytes, and what a record lacks is null.
 */
export type Transaction = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  slot: number | null
  /** Unix seconds. */
  blockTime: number | null
  /** Position in its block. */
  index: number | null
  /** Whether the chain reverted it (`meta.err` is set). */
  failed: boolean
  /** 32-byte account keys: static ones, then loaded writable, then loaded readonly. Every index refers to this list. */
  keys: readonly Uint8Array[]
  /** The first keys are the signers; key 0 pays the fee. */
  signerCount: number
  /** Every instruction in order of execution: each top-level one followed by its inner ones. */
  instructions: readonly Instruction[]
  /** Program logs, truncated by the validator at 10 kB. Null when the record has none. */
  logs: readonly string[] | null
  preTokenBalances: readonly TokenBalance[]
  postTokenBalances: readonly TokenBalance[]
}>

/** The position of an instruction in `transaction.instructions`. */
export type Position = number

/** A call, by the transaction or by another call. */
export type Instruction = Readonly<{
  /** Index of the program's key. */
  programIndex: number
  /** Indexes of the accounts' keys, a byte each. */
  accounts: Uint8Array
  /** May be decoded on first read. */
  data: Uint8Array
  /** 1 for a top-level instruction, 2 for its calls, and so on; null if the record has none. */
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
  /** Base58, as in every source. */
  mint: string
  /** Base58 of the wallet; null if the record has none. */
  owner: string | null
  /** Whether they are these, `owner` if given: of a record that makes its texts on each read. */
  isOf?(mint: string, owner?: string | null): boolean
  /** Raw units, a decimal string. */
  amount: string
  decimals: number
}>
