import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { type Call, type TransactionDraft, writeTransaction } from './write-transaction.ts'

const keyOf = (id: number) => new Uint8Array(32).fill(id)
const [wallet, program, other, vault] = [keyOf(1), keyOf(2), keyOf(3), keyOf(4)]

const aDraft = (calls: readonly Call[], fields: Partial<TransactionDraft> = {}): TransactionDraft => ({
  signature: new Uint8Array(64).fill(5),
  slot: 10,
  blockTime: 1_000,
  index: 0,
  failed: false,
  signers: [wallet],
  calls,
  movements: [],
  ...fields,
})

const aCall = (fields: Partial<Call> = {}): Call => ({
  program,
  accounts: [wallet],
  data: Uint8Array.of(1),
  ...fields,
})

describe('writeTransaction', () => {
  it('flattens calls in order of execution, with their depth', () => {
    const grandchild = aCall({ program: other })
    const calls = [aCall(), aCall({ steps: [aCall({ steps: [grandchild] }), aCall()] })]

    const { instructions } = writeTransaction(aDraft(calls))

    expect(instructions.map((each) => [each.topIndex, each.innerIndex, each.stackHeight])).toEqual([
      [0, -1, 1],
      [1, -1, 1],
      [1, 0, 2],
      [1, 1, 3],
      [1, 2, 2],
    ])
  })

  it('lists each key once, signers first', () => {
    const { keys, instructions, signerCount } = writeTransaction(
      aDraft([aCall({ accounts: [vault, wallet] })], { signers: [wallet, other] }),
    )

    expect(keys).toEqual([wallet, other, vault, program])
    expect(signerCount).toBe(2)
    expect(instructions[0]).toMatchObject({ programIndex: 3, accounts: Uint8Array.of(2, 0) })
  })

  it('logs as a validator does', () => {
    const calls = [aCall({ steps: ['log: Hello', aCall({ program: other }), 'data: AQ=='] })]

    const { logs } = writeTransaction(aDraft(calls))

    expect(logs).toEqual([
      `Program ${encodeBase58(program)} invoke [1]`,
      'Program log: Hello',
      `Program ${encodeBase58(other)} invoke [2]`,
      `Program ${encodeBase58(other)} success`,
      'Program data: AQ==',
      `Program ${encodeBase58(program)} success`,
    ])
  })

  it('truncates its logs after 10 kB with a last line that says so', () => {
    const { logs } = writeTransaction(aDraft([aCall({ steps: Array(200).fill(`data: ${'A'.repeat(100)}`) })]))

    expect(logs?.at(-1)).toBe('Log truncated')
    expect(logs?.join('').length).toBeLessThan(10_300)
  })

  it('keeps balances unchanged when it failed, and lists none for an account that does not exist yet', () => {
    const movement = { account: vault, mint: 'mint', owner: 'owner', decimals: 6 }
    const movements = [{ ...movement, before: null, after: 7n }]

    const made = writeTransaction(aDraft([aCall({ accounts: [vault] })], { movements }))
    const failed = writeTransaction(aDraft([aCall({ accounts: [vault] })], { movements, failed: true }))

    expect([made.preTokenBalances, failed.preTokenBalances, failed.postTokenBalances]).toEqual([[], [], []])
    expect(made.postTokenBalances).toEqual([
      { accountIndex: 1, mint: 'mint', owner: 'owner', amount: '7', decimals: 6 },
    ])
  })
})
