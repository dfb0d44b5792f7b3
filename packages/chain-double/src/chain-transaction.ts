import { encodeBase58 } from '@pairwire/contract'
import { type Transaction, writeRpcTransaction } from '@pairwire/decoders'

/** A transaction in the form of a block's `transactions` with encoding `json`, as validators return it. */
export type ChainTransaction = Readonly<{
  version?: 'legacy' | number
  transaction: Readonly<{
    signatures: readonly string[]
    message: Readonly<{
      header: Readonly<{
        numRequiredSignatures: number
        numReadonlySignedAccounts?: number
        numReadonlyUnsignedAccounts?: number
      }>
      accountKeys: readonly string[]
      recentBlockhash?: string
      instructions: readonly ChainInstruction[]
      addressTableLookups?: readonly unknown[]
      /** Only in version 1. */
      transactionConfig?: Readonly<Record<string, unknown>>
    }>
  }>
  meta: Readonly<{
    err: unknown
    fee?: number
    preBalances?: readonly number[]
    postBalances?: readonly number[]
    innerInstructions?:
      | readonly Readonly<{ index: number; instructions: readonly ChainInstruction[] }>[]
      | null
    logMessages?: readonly string[] | null
    preTokenBalances?: readonly ChainTokenBalance[] | null
    postTokenBalances?: readonly ChainTokenBalance[] | null
    loadedAddresses?: Readonly<{ writable: readonly string[]; readonly: readonly string[] }>
    computeUnitsConsumed?: number
  }>
}>

/** A call; `data` is base58. */
export type ChainInstruction = Readonly<{
  programIdIndex: number
  accounts: readonly number[]
  data: string
  stackHeight?: number | null
}>

/** A token account's balance before or after a transaction. */
export type ChainTokenBalance = Readonly<{
  accountIndex: number
  mint: string
  owner?: string
  programId?: string
  uiTokenAmount: Readonly<{
    amount: string
    decimals: number
    uiAmount?: number | null
    uiAmountString?: string
  }>
}>

/** Converts one of our transactions to a validator's form; all its accounts are static ones. */
export function toChainTransaction(written: Transaction): ChainTransaction {
  const { transaction, meta } = writeRpcTransaction(written)
  const { message } = transaction
  return {
    version: 0,
    transaction: {
      ...transaction,
      message: {
        ...message,
        header: { ...message.header, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
        recentBlockhash: encodeBase58(written.signature.subarray(0, 32)),
        addressTableLookups: [],
      },
    },
    meta: {
      ...meta,
      fee: 5_000,
      preBalances: written.keys.map(() => 1_000_000),
      postBalances: written.keys.map(() => 1_000_000),
      preTokenBalances: meta.preTokenBalances.map(toChainBalance),
      postTokenBalances: meta.postTokenBalances.map(toChainBalance),
      loadedAddresses: { writable: [], readonly: [] },
      computeUnitsConsumed: 100_000,
    },
  }
}

/** Returns every account that a transaction names, including those loaded from tables. */
export function accountsOf({ transaction, meta }: ChainTransaction): readonly string[] {
  const loaded = meta.loadedAddresses
  return [...transaction.message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])]
}

/** Adds the fields of validators that the decoders do not need. */
function toChainBalance(balance: Omit<ChainTokenBalance, 'programId'>): ChainTokenBalance {
  const { amount, decimals } = balance.uiTokenAmount
  const uiAmount = Number(amount) / 10 ** decimals
  return {
    ...balance,
    programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    uiTokenAmount: { amount, decimals, uiAmount, uiAmountString: String(uiAmount) },
  }
}
