import { encodeBase58 } from '@pairwire/contract'
import type { Instruction, TokenBalance, Transaction } from '@pairwire/decoders'

/** A transaction in the shape of a block's `transactions` with encoding `json`, as validators answer it. */
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
      /** Of version 1 only. */
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

/** Writes down a transaction of ours as a validator would answer it; all its accounts are static ones. */
export function toChainTransaction(transaction: Transaction): ChainTransaction {
  const top = transaction.instructions.filter(({ innerIndex }) => innerIndex === -1)
  const inner = new Map<number, ChainInstruction[]>()
  for (const instruction of transaction.instructions) {
    if (instruction.innerIndex === -1) continue
    const group = inner.get(instruction.topIndex) ?? []
    inner.set(instruction.topIndex, group)
    group.push({ ...toChainInstruction(instruction), stackHeight: instruction.stackHeight })
  }
  return {
    version: 0,
    transaction: {
      signatures: [encodeBase58(transaction.signature)],
      message: {
        header: {
          numRequiredSignatures: transaction.signerCount,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 0,
        },
        accountKeys: transaction.keys.map(encodeBase58),
        recentBlockhash: encodeBase58(transaction.signature.subarray(0, 32)),
        instructions: top.map(toChainInstruction),
        addressTableLookups: [],
      },
    },
    meta: {
      err: transaction.failed ? { InstructionError: [0, { Custom: 1 }] } : null,
      fee: 5_000,
      preBalances: transaction.keys.map(() => 1_000_000),
      postBalances: transaction.keys.map(() => 1_000_000),
      innerInstructions: [...inner].map(([index, instructions]) => ({ index, instructions })),
      logMessages: transaction.logs,
      preTokenBalances: transaction.preTokenBalances.map(toChainBalance),
      postTokenBalances: transaction.postTokenBalances.map(toChainBalance),
      loadedAddresses: { writable: [], readonly: [] },
      computeUnitsConsumed: 100_000,
    },
  }
}

/** Every account that a transaction names, those loaded from tables included. */
export function accountsOf({ transaction, meta }: ChainTransaction): readonly string[] {
  const loaded = meta.loadedAddresses
  return [...transaction.message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])]
}

function toChainInstruction({ programIndex, accounts, data }: Instruction): ChainInstruction {
  return { programIdIndex: programIndex, accounts: [...accounts], data: encodeBase58(data) }
}

function toChainBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance): ChainTokenBalance {
  return {
    accountIndex,
    mint,
    ...(owner === null ? {} : { owner }),
    programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    uiTokenAmount: {
      amount,
      decimals,
      uiAmount: Number(amount) / 10 ** decimals,
      uiAmountString: String(Number(amount) / 10 ** decimals),
    },
  }
}
