import { readU64, TruncatedError } from '../../bytes/byte-reader.ts'
import type { CreationPlaces } from '../creation.ts'
import type { VaultTrade } from '../vault-trade.ts'

/**
 * Raydium's AMM v4 in bytes. It is not an Anchor program: an instruction begins with a tag of one byte, and its effect
 * is logged as `ray_log`.
 *
 * @see https://github.com/raydium-io/raydium-amm/blob/master/program/src/instruction.rs
 * @see https://github.com/raydium-io/raydium-amm/blob/master/program/src/log.rs
 */
export const PROGRAM_ID = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'

/** With OpenBook's accounts and target orders: 18 accounts. */
const WITH_TARGET_ORDERS = swapPlaces(5, 17)
/** With OpenBook's accounts but no target orders: 17 accounts. */
const WITHOUT_TARGET_ORDERS = swapPlaces(4, 16)
/** The V2 swaps omit OpenBook's accounts: 8 accounts. */
const WITHOUT_MARKET = swapPlaces(3, 7)

/** A swap names both vaults in a row, and no mint. */
function swapPlaces(vaults: number, authority: number): VaultTrade {
  return { pool: 1, authority, base: { vault: vaults, mint: null }, quote: { vault: vaults + 1, mint: null } }
}

/** Indexes of the accounts of `initialize2`. */
export const INITIALIZE: CreationPlaces = {
  pool: 4,
  base: { mint: 8, vault: 10 },
  quote: { mint: 9, vault: 11 },
}
export const INITIALIZE_USER = 17

/** The meaning of an instruction to us. */
type AmmInstruction =
  | Readonly<{ kind: 'swap'; trade: VaultTrade }>
  | Readonly<{ kind: 'initialize'; pcAmount: bigint; coinAmount: bigint }>
  | Readonly<{ kind: 'other' }>

/**
 * Reads the tag and its arguments; `undefined` for an unknown tag.
 *
 * @throws TruncatedError when the arguments end too early or there are no bytes at all.
 */
export function readInstruction(data: Uint8Array, accountCount: number): AmmInstruction | undefined {
  switch (data[0]) {
    case undefined:
      throw new TruncatedError()
    case 1: // initialize2: nonce, open_time, init_pc_amount, init_coin_amount
      need(data, 26)
      return { kind: 'initialize', pcAmount: readU64(data, 10), coinAmount: readU64(data, 18) }
    case 9: // swapBaseIn
    case 11: // swapBaseOut
      need(data, 17)
      return { kind: 'swap', trade: accountCount === 17 ? WITHOUT_TARGET_ORDERS : WITH_TARGET_ORDERS }
    case 16: // swapBaseInV2
    case 17: // swapBaseOutV2
      need(data, 17)
      return { kind: 'swap', trade: WITHOUT_MARKET }
    default: // 0 is also unknown: the first form of initialize
      return OTHERS.includes(data[0]) ? { kind: 'other' } : undefined
  }
}

/**
 * Tags that are neither trade nor creation: monitorStep, deposit, withdraw, migrateToOpenBook, setParams, withdrawPnl,
 * withdrawSrm, preInitialize, simulateInfo, adminCancelOrders, createConfigAccount, updateConfigAccount.
 */
const OTHERS: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15]

/** A swap as logged. */
export type SwapLog = Readonly<{
  amountIn: bigint
  amountOut: bigint
  /** Whether pc came in and coin went out. */
  givesCoin: boolean
  /** Raw units in the pool before the swap, including OpenBook orders and without the owner's profit. */
  coinReserveBefore: bigint
  pcReserveBefore: bigint
}>

/** Size of the two swap logs in bytes. */
const SWAP_LOG_BYTES = 57

/** `undefined` for a log other than a swap's. @throws TruncatedError when it ends too early. */
export function readSwapLog(log: Uint8Array): SwapLog | undefined {
  const [type] = log
  if (type !== 3 && type !== 4) return undefined
  need(log, SWAP_LOG_BYTES)
  const direction = readU64(log, 17)
  if (direction !== 1n && direction !== 2n) return undefined
  // SwapBaseIn: amount_in, minimum_out, ..., out_amount. SwapBaseOut: max_in, amount_out, ..., deduct_in.
  const last = readU64(log, 49)
  return {
    amountIn: type === 3 ? readU64(log, 1) : last,
    amountOut: type === 3 ? last : readU64(log, 9),
    givesCoin: direction === 1n,
    coinReserveBefore: readU64(log, 33),
    pcReserveBefore: readU64(log, 41),
  }
}

function need(bytes: Uint8Array, count: number): void {
  if (bytes.length < count) throw new TruncatedError()
}
