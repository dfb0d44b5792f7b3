import { encodeBase58 } from '@pairwire/contract'
import type { Instruction, TokenBalance, Transaction } from '../transaction.ts'

/**
 * Writes a transaction as a validator's `getTransaction` with encoding `json` returns it, so that {@link
 * readRpcTransaction} restores it. Accounts loaded from tables are among the static ones.
 */
export function writeRpcTransaction(transaction: Transaction) {
  const { slot, blockTime, index, failed, keys, signerCount, instructions, logs } = transaction
  const inner = new Map<number, ReturnType<typeof writeInner>[]>()
  for (const instruction of instructions) {
    if (instruction.innerIndex === -1) continue
    const group = inner.get(instruction.topIndex) ?? []
    inner.set(instruction.topIndex, group)
    group.push(writeInner(instruction))
  }
  return {
    slot,
    blockTime,
    transactionIndex: index,
    transaction: {
      signatures: [encodeBase58(transaction.signature)],
      message: {
        header: { numRequiredSignatures: signerCount },
        accountKeys: keys.map(encodeBase58),
        instructions: instructions.filter(({ innerIndex }) => innerIndex === -1).map(writeInstruction),
      },
    },
    meta: {
      err: failed ? { InstructionError: [0, { Custom: 0 }] } : null,
      innerInstructions: [...inner].map(([index, instructions]) => ({ index, instructions })),
      logMessages: logs,
      preTokenBalances: transaction.preTokenBalances.map(writeBalance),
      postTokenBalances: transaction.postTokenBalances.map(writeBalance),
    },
  }
}

function writeInstruction({ programIndex, accounts, data }: Instruction) {
  return { programIdIndex: programIndex, accounts: [...accounts], data: encodeBase58(data) }
}

function writeInner(instruction: Instruction) {
  return { ...writeInstruction(instruction), stackHeight: instruction.stackHeight }
}

function writeBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance) {
  return { accountIndex, mint, ...(owner === null ? {} : { owner }), uiTokenAmount: { amount, decimals } }
}
