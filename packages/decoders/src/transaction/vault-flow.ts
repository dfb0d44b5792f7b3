import { readU32, readU64 } from '../bytes/byte-reader.ts'
import { Refused } from '../refused.ts'
import { OPENING_TAGS, readTokenCalls, readTokenMove, TOKEN_TAGS, type TokenCall } from '../tokens/layout.ts'
import type { Position } from '../transaction.ts'
import type { CallTree } from './call-tree.ts'

/**
 * By how many raw units a balance changed; null when no token instruction touches the account, or a fee is unknown. And
 * whether a transfer delivered less than its amount, and whether there was any.
 */
export type VaultFlow = Readonly<{ flow: bigint | null; hasFee: boolean; isMoved: boolean }>

/**
 * Computes the change of a token account's balance between two positions from the token instructions there. A
 * Token-2022 mint may withhold a fee that the instruction does not name; then the balances before and after the
 * transaction must either confirm the sum or, if no other instruction hides a fee from the account, tell it.
 */
export function readVaultFlow(tree: CallTree, from: Position, to: Position, accountIndex: number): VaultFlow {
  const here = sumMoves(tree, from, to, accountIndex)
  const { hasFee } = here
  const isMoved = here.count > 0 || here.unreadable
  if (here.count === 0 || here.unreadable) return { flow: null, hasFee, isMoved }
  if (!here.mayHideFee) return { flow: here.sum, hasFee, isMoved }

  const before = sumMoves(tree, 0, from, accountIndex)
  const after = sumMoves(tree, to, tree.transaction.instructions.length, accountIndex)
  const change = balanceChange(tree, accountIndex)
  if (before.unreadable || after.unreadable || change === null) return { flow: null, hasFee, isMoved }
  const elsewhere = before.sum + after.sum
  if (here.sum + elsewhere === change) return { flow: here.sum, hasFee, isMoved }
  return { flow: before.mayHideFee || after.mayHideFee ? null : change - elsewhere, hasFee: true, isMoved }
}

/**
 * Returns the raw units that each token instruction between two positions moved from one token account straight to
 * another, in order, including what the mint withheld.
 */
export function readPayments(
  tree: CallTree,
  from: Position,
  to: Position,
  source: number,
  destination: number,
): readonly bigint[] {
  const { instructions } = tree.transaction
  const payments: bigint[] = []
  for (let at = from; at < to; at++) {
    if (tree.roleAt(at)?.kind !== 'token') continue
    const instruction = instructions[at]!
    if (!instruction.accounts.includes(source) || !instruction.accounts.includes(destination)) continue
    for (const { accounts, data } of readTokenCalls(instruction)) {
      const move = readTokenMove(data)
      if (move === undefined || move.source < 0 || move.destination < 0) continue
      if (accounts[move.source] === source && accounts[move.destination] === destination)
        payments.push(move.amount)
    }
  }
  return payments
}

/** Divisor for the largest part of a trade that fees in a vault may be; the highest seen are a few per cent. */
const MOST_OF_TRADE = 4n
/** Raw units of tolerance for fees that are each rounded up. */
const ROUNDING = 4n

/**
 * Compares an event's amount with the vault's flow, for programs that leave fees in the vault, so that the two are
 * close but not equal. Both are positive for inflow and negative for outflow; `flow` is null when the record has no
 * transfers.
 *
 * @throws Refused when the vault moved the other way, or by an amount that no fee explains.
 */
export function holdAgainstVault(stated: bigint, flow: bigint | null): void {
  if (flow === null) return
  const difference = absolute(flow - stated) - ROUNDING
  const isSameWay = flow > 0n === stated > 0n && flow !== 0n
  if (!isSameWay || difference * MOST_OF_TRADE > absolute(stated)) throw new Refused('contradicted')
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** Returns the lamports that the system program moved between two positions from one account straight to another. */
export function readLamportPayment(
  tree: CallTree,
  from: Position,
  to: Position,
  source: number,
  destination: number,
): bigint {
  const { instructions, keys } = tree.transaction
  let paid = 0n
  for (let at = from; at < to; at++) {
    const { programIndex, accounts, data } = instructions[at]!
    if (accounts[0] !== source || accounts[1] !== destination || data.length < 12) continue
    if (!keys[programIndex]?.every((byte) => byte === 0)) continue
    if (readU32(data, 0) === SYSTEM_TRANSFER) paid += readU64(data, 4)
  }
  return paid
}

/** Tag of the system program's `Transfer`. */
const SYSTEM_TRANSFER = 2

type Sum = { sum: bigint; count: number; hasFee: boolean; mayHideFee: boolean; unreadable: boolean }

function sumMoves(tree: CallTree, from: Position, to: Position, accountIndex: number): Sum {
  const { instructions } = tree.transaction
  const result: Sum = { sum: 0n, count: 0, hasFee: false, mayHideFee: false, unreadable: false }
  for (let at = from; at < to; at++) {
    const role = tree.roleAt(at)
    if (role === null || role.kind !== 'token') continue
    const instruction = instructions[at]!
    if (!instruction.accounts.includes(accountIndex)) continue
    // A record made from parsed instructions may lack the bytes.
    const { data } = instruction
    if (data.length === 0) result.unreadable = true
    else if (data[0] !== TOKEN_TAGS.batch) addMove(result, instruction, accountIndex, role.is2022)
    else for (const call of readTokenCalls(instruction)) addMove(result, call, accountIndex, role.is2022)
  }
  return result
}

function addMove(sum: Sum, { accounts, data }: TokenCall, accountIndex: number, is2022: boolean): void {
  const move = readTokenMove(data)
  if (move === undefined) return
  const isSource = move.source >= 0 && accounts[move.source] === accountIndex
  const isDestination = move.destination >= 0 && accounts[move.destination] === accountIndex
  if (!isSource && !isDestination) return
  sum.count++
  if (isSource) sum.sum -= move.amount
  if (isDestination) {
    sum.sum += move.amount - move.fee
    if (move.fee > 0n) sum.hasFee = true
    if (is2022 && data[0] === TOKEN_TAGS.transferChecked) sum.mayHideFee = true
  }
}

/** Null if the record lost a balance: only an account that the transaction opens has none before it. */
function balanceChange(tree: CallTree, accountIndex: number): bigint | null {
  const before = tree.balanceBefore(accountIndex)
  const after = tree.balanceAfter(accountIndex)
  const isOpened = before !== undefined || tree.isNamedFirst(accountIndex, OPENING_TAGS)
  if (after === undefined || !isOpened) return null
  return BigInt(after.amount) - BigInt(before?.amount ?? 0)
}
