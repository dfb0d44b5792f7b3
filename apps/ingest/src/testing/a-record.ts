import { encodeBase58 } from '@pairwire/contract'

/** A `getTransaction` result of a transaction without effects, with a signature made from `id`, for tests. */
export function aRecord(
  id: number,
  fields: Readonly<{
    slot?: number
    blockTime?: number
    transactionIndex?: number
    /** Base58 of a program, and of its call data, without accounts. */
    calls?: readonly Readonly<{ program: string; data: string }>[]
  }> = {},
): Record<string, unknown> {
  const { slot = null, blockTime = null, calls = [], ...rest } = fields
  return {
    slot,
    blockTime,
    ...rest,
    meta: { err: null, innerInstructions: [], logMessages: [], preTokenBalances: [], postTokenBalances: [] },
    transaction: {
      signatures: [signatureOf(id)],
      message: {
        accountKeys: [encodeBase58(new Uint8Array(32).fill(7)), ...calls.map(({ program }) => program)],
        header: { numRequiredSignatures: 1 },
        instructions: calls.map(({ data }, at) => ({ programIdIndex: at + 1, accounts: [], data })),
      },
    },
  }
}

/** Base58 of the signature of {@link aRecord}. */
export function signatureOf(id: number): string {
  return encodeBase58(new Uint8Array(64).fill(id))
}
