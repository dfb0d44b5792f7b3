import { encodeBase58, QUOTES } from '@pairwire/contract'
import { holdsAt } from '../bytes/discriminator.ts'
import { AddressCache, indexOfAddress, type KeyTable } from '../bytes/key-table.ts'
import { LogTree } from '../logs/log-tree.ts'
import type { Role } from '../role.ts'
import { CLOSING_TAGS, readTokenCalls } from '../tokens/layout.ts'
import type { Instruction, Position, TokenBalance, Transaction } from '../transaction.ts'
import { EVENT_CALL } from './event-call.ts'

/**
 * A transaction with lookups for its decoders, each computed once on demand:
 *
 *     0 router.route                 stackHeight 1   end(0) = 5
 *     1 ├─ pumpswap.buy                          2   end(1) = 4, parent 0
 *     2 │  ├─ token.transferChecked               3   parent 1
 *     3 │  └─ pumpswap.<event>                    3
 *     4 └─ token.closeAccount                    2
 */
export class CallTree {
  readonly transaction: Transaction
  readonly #roles: (Role | null | undefined)[]
  readonly #table: KeyTable<Role>
  readonly #addresses: (string | undefined)[]
  #logs: LogTree | undefined

  constructor(transaction: Transaction, table: KeyTable<Role>) {
    this.transaction = transaction
    this.#table = table
    this.#roles = new Array(transaction.keys.length)
    this.#addresses = new Array(transaction.keys.length)
  }

  /** Returns the role of the program of the instruction at `at`; null for an unknown program. */
  roleAt(at: Position): Role | null {
    const index = this.transaction.instructions[at]!.programIndex
    const known = this.#roles[index]
    if (known !== undefined) return known
    const key = this.transaction.keys[index]
    const role = (key?.length === 32 ? this.#table.get(key) : undefined) ?? null
    this.#roles[index] = role
    return role
  }

  /**
   * Returns the position after the last direct or indirect call of the instruction at `at`. Without stack heights an
   * inner instruction's calls are those up to the next instruction of a decoded program, except its events to itself.
   */
  end(at: Position): Position {
    const { instructions } = this.transaction
    const { topIndex, innerIndex, stackHeight, programIndex } = instructions[at]!
    let end = at + 1
    for (; end < instructions.length; end++) {
      const next = instructions[end]!
      if (next.topIndex !== topIndex) break
      if (innerIndex === -1) continue
      if (stackHeight !== null && next.stackHeight !== null) {
        if (next.stackHeight <= stackHeight) break
      } else if (this.roleAt(end)?.kind === 'decoder') {
        if (next.programIndex !== programIndex || !isEventCall(next)) break
      }
    }
    return end
  }

  /**
   * Returns the position of the nearest direct or indirect caller of `at` that passes `test`; -1 for none. Without
   * stack heights every earlier instruction of the same top-level call counts.
   */
  callerOf(at: Position, test: (caller: Instruction) => boolean): Position | -1 {
    const { instructions } = this.transaction
    const { topIndex, stackHeight } = instructions[at]!
    let below = stackHeight
    for (let before = at - 1; before >= 0; before--) {
      const caller = instructions[before]!
      if (caller.topIndex !== topIndex) break
      if (below !== null && caller.stackHeight !== null) {
        if (caller.stackHeight >= below) continue
        below = caller.stackHeight
      }
      if (test(caller)) return before
    }
    return -1
  }

  /** Returns the base58 of the key at `index`, which must exist. */
  address(index: number): string {
    const known = this.#addresses[index]
    if (known !== undefined) return known
    const address = addressOf(this.transaction.keys[index]!)
    this.#addresses[index] = address
    return address
  }

  /** Returns the index of this base58 address among the transaction's keys, -1 if it is missing. */
  indexOf(address: string): number {
    return indexOfAddress(this.transaction.keys, address)
  }

  /** Returns the token account's balance after the transaction, else before it; by key index. */
  balance(accountIndex: number): TokenBalance | undefined {
    return this.balanceAfter(accountIndex) ?? this.balanceBefore(accountIndex)
  }

  balanceBefore(accountIndex: number): TokenBalance | undefined {
    return findBalance(this.transaction.preTokenBalances, accountIndex)
  }

  balanceAfter(accountIndex: number): TokenBalance | undefined {
    return findBalance(this.transaction.postTokenBalances, accountIndex)
  }

  /**
   * Returns the raw units of `mint` in all accounts of `wallet` after the transaction, as the record has them. Null if
   * it touched none of them, or lacks an owner.
   */
  balanceOf(wallet: string, mint: string): string | null {
    const { postTokenBalances, preTokenBalances } = this.transaction
    let sum: string | null = null
    for (const balance of postTokenBalances) {
      if (isOf(balance, mint, wallet)) {
        const { amount } = balance
        sum = sum === null ? amount : String(BigInt(sum) + BigInt(amount))
      } else if (isOf(balance, mint, null)) return null
    }
    if (sum !== null) return sum
    // An account that was closed held nothing any more; one that was not is missing in the record.
    const before = preTokenBalances.filter((balance) => isOf(balance, mint, wallet))
    const isClosed = before.every((balance) => this.isNamedFirst(balance.accountIndex, CLOSING_TAGS))
    return before.length > 0 && isClosed ? '0' : null
  }

  /** Whether a token instruction with one of these tags names the account first. */
  isNamedFirst(accountIndex: number, tags: readonly number[]): boolean {
    return this.transaction.instructions.some((instruction, at) => {
      if (this.roleAt(at)?.kind !== 'token' || !instruction.accounts.includes(accountIndex)) return false
      return readTokenCalls(instruction).some(
        ({ accounts, data }) => accounts[0] === accountIndex && tags.includes(data[0]!),
      )
    })
  }

  /** Returns the decimals of `mint`: well known, from a balance in it, or null. */
  decimalsOf(mint: string): number | null {
    const known = QUOTES.get(mint)
    if (known !== undefined) return known.decimals
    const { postTokenBalances, preTokenBalances } = this.transaction
    for (const balance of postTokenBalances) if (isOf(balance, mint)) return balance.decimals
    for (const balance of preTokenBalances) if (isOf(balance, mint)) return balance.decimals
    return null
  }

  /** The program logs by invocation, read on first use. */
  get logs(): LogTree {
    this.#logs ??= new LogTree(this.transaction)
    return this.#logs
  }
}

/** Returns the base58 of a key. */
export function addressOf(key: Uint8Array): string {
  return key.length === 32 ? ADDRESSES.of(key) : encodeBase58(key)
}

/** Whether the instruction is a program's event to itself. */
export function isEventCall(instruction: Instruction): boolean {
  return mayBeEventCall(instruction) && holdsAt(instruction.data, EVENT_CALL, 0)
}

/**
 * Whether it looks like one: Anchor's event calls name only the event authority. No trade and no creation has so few
 * accounts, and events have the longest data of all, which a JSON record keeps in base58. In a `multi_hop_curve_swap`
 * pump.fun also calls itself with the bare event marker, and names the curve and the buyback recipient after the
 * authority.
 */
export function mayBeEventCall(instruction: Instruction): boolean {
  const { length } = instruction.accounts
  return instruction.innerIndex >= 0 && (length === 1 || (length === 3 && isBareMark(instruction.data)))
}

function isBareMark(data: Uint8Array): boolean {
  return data.length === EVENT_CALL.length && holdsAt(data, EVENT_CALL, 0)
}

/** Whether it is of this mint, and of `owner` if given; null is for none. */
function isOf(balance: TokenBalance, mint: string, owner?: string | null): boolean {
  if (balance.isOf) return balance.isOf(mint, owner)
  return balance.mint === mint && (owner === undefined || balance.owner === owner)
}

function findBalance(balances: readonly TokenBalance[], accountIndex: number): TokenBalance | undefined {
  for (const balance of balances) if (balance.accountIndex === accountIndex) return balance
  return undefined
}

const ADDRESSES = new AddressCache()
