import { ByteWriter, type Call, type TransactionDraft } from '@pairwire/chain-writer'
import { describe, expect, it } from 'vitest'
import { REGISTRY } from '../registry.ts'
import { address, aKey, aMovement, aTransaction, aTransfer, TRADER } from '../testing/transactions.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../tokens/layout.ts'
import { CallTree } from './call-tree.ts'
import { readVaultFlow } from './vault-flow.ts'

const VAULT = aKey(1)
const USER = aKey(2)
const OTHER = aKey(3)

/** Flow of the vault over the first `count` calls of a transaction. */
function flowOf(calls: Call[], draft: Partial<TransactionDraft> = {}, count = calls.length): bigint | null {
  const transaction = aTransaction({ calls, ...draft })
  const vault = transaction.keys.indexOf(VAULT)
  return readVaultFlow(new CallTree(transaction, REGISTRY), 0, count, vault).flow
}

const movedBy = (change: bigint) => ({ movements: [aMovement(VAULT, 'mint', 100n, 100n + change)] })

describe('readVaultFlow', () => {
  it('adds what came in and subtracts what went out', () => {
    const calls = [aTransfer(USER, VAULT, 50n), aTransfer(VAULT, OTHER, 8n), aTransfer(USER, OTHER, 3n)]

    expect(flowOf(calls)).toBe(42n)
  })

  it('is null if no token instruction touches the account', () => {
    expect(flowOf([aTransfer(USER, OTHER, 3n), aTransfer(USER, VAULT, 1n)], {}, 1)).toBeNull()
  })

  it('counts tokens minted into an account and burned from it', () => {
    const program = address(TOKEN_PROGRAM)
    const made = { program, accounts: [OTHER, VAULT, USER], data: new ByteWriter().u8(7).u64(90n).finish() }
    const burned = {
      program,
      accounts: [VAULT, OTHER, USER],
      data: new ByteWriter().u8(15).u64(20n).u8(6).finish(),
    }

    expect(flowOf([made, burned])).toBe(70n)
  })

  it('subtracts the fee that an instruction names', () => {
    const data = new ByteWriter().u8(26).u8(1).u64(100n).u8(6).u64(4n).finish()
    const call = { program: address(TOKEN_2022_PROGRAM), accounts: [USER, OTHER, VAULT, TRADER], data }

    expect(flowOf([call])).toBe(96n)
  })

  it('trusts a Token-2022 transfer that the balances confirm, even if the account is used elsewhere', () => {
    const calls = [aTransfer(USER, VAULT, 50n, true), aTransfer(USER, VAULT, 7n, true)]

    expect(flowOf(calls, movedBy(57n), 1)).toBe(50n)
  })

  it('uses the balances if they do not confirm it and nothing else touched the account', () => {
    expect(flowOf([aTransfer(USER, VAULT, 50n, true)], movedBy(48n))).toBe(48n)
  })

  it('uses the balances if what else touched the account hides no fee', () => {
    const calls = [aTransfer(VAULT, OTHER, 9n, true), aTransfer(USER, VAULT, 50n, true)]

    expect(flowOf(calls, movedBy(39n), 1)).toBe(-9n)
    expect(flowOf(calls.toReversed(), movedBy(39n), 1)).toBe(48n)
  })

  it('is null if a hidden fee is unknown or the balances are missing', () => {
    const calls = [aTransfer(USER, VAULT, 50n, true), aTransfer(USER, VAULT, 50n, true)]

    expect(flowOf(calls, movedBy(96n), 1)).toBeNull()
    expect(flowOf(calls.slice(0, 1))).toBeNull()
  })

  it('is null if the record lost a balance, and the account was not opened in the transaction', () => {
    const call = aTransfer(USER, VAULT, 50n, true)
    const open = { program: address(TOKEN_2022_PROGRAM), accounts: [VAULT, OTHER], data: Uint8Array.of(18) }
    const balanced = (before: bigint | null, after: bigint | null) => ({
      movements: [aMovement(VAULT, 'mint', before, after)],
    })

    expect(flowOf([call], balanced(null, 148n))).toBeNull()
    expect(flowOf([call], balanced(100n, null))).toBeNull()
    expect(flowOf([open, call], balanced(null, 48n))).toBe(48n)
  })

  it('is null if the record lost the bytes', () => {
    const lost = { ...aTransfer(USER, VAULT, 5n), data: new Uint8Array(0) }

    expect(flowOf([lost, aTransfer(USER, VAULT, 5n)])).toBeNull()
  })

  it('reads the transfers in a batch', () => {
    const inner = (amount: bigint) => new ByteWriter().u8(3).u64(amount).finish()
    const batch: Call = {
      program: address(TOKEN_PROGRAM),
      accounts: [USER, VAULT, TRADER, VAULT, OTHER, TRADER],
      data: new ByteWriter().u8(255).u8(3).u8(9).bytes(inner(50n)).u8(3).u8(9).bytes(inner(8n)).finish(),
    }

    expect(flowOf([batch])).toBe(42n)
    expect(() => flowOf([{ ...batch, data: batch.data.subarray(0, 15) }])).toThrow(RangeError)
    expect(() => flowOf([{ ...batch, accounts: batch.accounts.slice(0, 4) }])).toThrow(RangeError)
  })
})
