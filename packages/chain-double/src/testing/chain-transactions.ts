import { createHash } from 'node:crypto'
import { encodeBase58 } from '@pairwire/contract'
import type { ChainTransaction } from '../chain-transaction.ts'

/** A program whose transactions tests request. */
export const PROGRAM = encodeBase58(new Uint8Array(32).fill(200))

/** A transaction of {@link PROGRAM}, or of another program, without effects; each `name` has its own signature. */
export function aChainTransaction(name: string, program?: 'other'): ChainTransaction {
  const signature = createHash('sha512').update(name).digest()
  const called = program === 'other' ? encodeBase58(new Uint8Array(32).fill(201)) : PROGRAM
  return {
    version: 0,
    transaction: {
      signatures: [encodeBase58(signature)],
      message: {
        header: { numRequiredSignatures: 1 },
        accountKeys: [encodeBase58(signature.subarray(0, 32)), called],
        recentBlockhash: encodeBase58(signature.subarray(32)),
        instructions: [{ programIdIndex: 1, accounts: [0], data: '2' }],
      },
    },
    meta: { err: null, innerInstructions: [], logMessages: [], preTokenBalances: [], postTokenBalances: [] },
  }
}
