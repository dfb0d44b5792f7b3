import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import {
  key,
  PROGRAMS,
  TOKEN_PROGRAM,
  writeCreateAccount,
  writeMintTo,
  writeTransfer,
} from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'

/**
 * Writes Raydium AMM v4's calls: tag 1 (`initialize2`), and swaps in all four forms with their `ray_log`.
 *
 * @see https://github.com/raydium-io/raydium-amm/blob/master/program/src/instruction.rs
 * @see https://github.com/raydium-io/raydium-amm/blob/master/program/src/log.rs
 */
export const RAYDIUM_AMM_V4_PROGRAM = key('675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8')

/** Owner of every pool's vaults. */
export const RAYDIUM_AMM_V4_AUTHORITY = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'

const FIXED = {
  ...PROGRAMS,
  authority: key(RAYDIUM_AMM_V4_AUTHORITY),
  marketProgram: key('srmqPvymJeFKQ4zGQed1GFppgkRHL9kaELCbyksJtPX'),
  config: key('9DCxsMizn3H1hprZ7xWe6LDzeUeZBksYFpBWBtSf1PQX'),
  feeDestination: key('7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5'),
}

const initializeAccounts = accountList(
  FIXED,
  'token ata system rent amm authority openOrders lpMint coinMint pcMint coinVault pcVault targetOrders config',
  'feeDestination marketProgram market user userCoin userPc userLp',
)

/** The market also fills its eight accounts, which nothing reads. */
const MARKET = 'marketProgram market market market market market market market'
const USER = 'userSource userDestination owner'
/** Accounts of each form of a swap. */
const SWAP_ACCOUNTS = {
  18: accountList(FIXED, 'token amm authority openOrders targetOrders coinVault pcVault', MARKET, USER),
  17: accountList(FIXED, 'token amm authority openOrders coinVault pcVault', MARKET, USER),
  v2: accountList(FIXED, 'token amm authority coinVault pcVault', USER),
}

/** The accounts of one pool. */
export type RaydiumAmmV4Pool = Readonly<{
  amm: Uint8Array
  openOrders: Uint8Array
  targetOrders: Uint8Array
  market: Uint8Array
  lpMint: Uint8Array
  coinMint: Uint8Array
  pcMint: Uint8Array
  coinVault: Uint8Array
  pcVault: Uint8Array
  coinDecimals: number
  pcDecimals: number
}>

/** Fields of a {@link writeRaydiumAmmV4Initialize}; amounts in raw units. */
type RaydiumAmmV4Initialize = Readonly<{
  pool: RaydiumAmmV4Pool
  user: Uint8Array
  userCoin: Uint8Array
  userPc: Uint8Array
  userLp: Uint8Array
  coinAmount: bigint
  pcAmount: bigint
  /** Unix seconds from which it trades. */
  openTime: number
}>

/** `initialize2`: opens a pool with its first liquidity. */
export function writeRaydiumAmmV4Initialize(fields: RaydiumAmmV4Initialize): Call {
  const { pool, user, coinAmount, pcAmount } = fields
  const openTime = BigInt(fields.openTime)
  const log = new ByteWriter(75)
    .u8(0)
    .u64(openTime)
    .u8(pool.pcDecimals)
    .u8(pool.coinDecimals)
    .u64(1n, 1_000_000n, pcAmount, coinAmount) // the lots of pc and coin before the amounts
    .bytes(pool.market)
    .finish()

  return {
    program: RAYDIUM_AMM_V4_PROGRAM,
    accounts: initializeAccounts({ ...pool, ...fields }),
    data: new ByteWriter(26).u8(1).u8(254).u64(openTime, pcAmount, coinAmount).finish(),
    steps: [
      'log: initialize2: InitializeInstruction2',
      writeCreateAccount(user, pool.amm, 6_124_800n, 752n, RAYDIUM_AMM_V4_PROGRAM),
      pay(fields.userCoin, pool.coinVault, user, coinAmount),
      pay(fields.userPc, pool.pcVault, user, pcAmount),
      writeMintTo(TOKEN_PROGRAM, pool.lpMint, fields.userLp, FIXED.authority, coinAmount),
      rayLog(log),
    ],
  }
}

/**
 * The forms of a swap: with the market's accounts (18, or 17 without the target orders) or without (`v2`), by
 * what goes in or by what comes out.
 */
export type RaydiumAmmV4Form = Readonly<{ accounts: 17 | 18 | 'v2'; isBaseIn: boolean }>

/** Fields of a {@link writeRaydiumAmmV4Swap}; amounts in raw units. */
type RaydiumAmmV4Swap = Readonly<{
  pool: RaydiumAmmV4Pool
  form: RaydiumAmmV4Form
  /** Whether coin goes in and pc comes out. */
  isCoinIn: boolean
  owner: Uint8Array
  userSource: Uint8Array
  userDestination: Uint8Array
  /** The owner's balance of the input before the swap. */
  sourceBalance: bigint
  amountIn: bigint
  amountOut: bigint
  /** Before the swap. */
  coinReserves: bigint
  pcReserves: bigint
}>

/** Writes a swap, tags 9, 11, 16 and 17. */
export function writeRaydiumAmmV4Swap(swap: RaydiumAmmV4Swap): Call {
  const { pool, form, isCoinIn, amountIn, amountOut } = swap
  const isV2 = form.accounts === 'v2'
  const limit = form.isBaseIn ? (amountOut * 9n) / 10n : (amountIn * 11n) / 10n
  const tag = form.isBaseIn ? (isV2 ? 16 : 9) : isV2 ? 17 : 11

  const data = new ByteWriter(17).u8(tag)
  const log = new ByteWriter(57).u8(form.isBaseIn ? 3 : 4)
  for (const writer of [data, log]) {
    if (form.isBaseIn) writer.u64(amountIn, limit)
    else writer.u64(limit, amountOut)
  }
  log
    .u64(isCoinIn ? 2n : 1n, swap.sourceBalance, swap.coinReserves, swap.pcReserves)
    .u64(form.isBaseIn ? amountOut : amountIn)

  const [vaultIn, vaultOut] = isCoinIn ? [pool.coinVault, pool.pcVault] : [pool.pcVault, pool.coinVault]
  return {
    program: RAYDIUM_AMM_V4_PROGRAM,
    accounts: SWAP_ACCOUNTS[form.accounts]({ ...pool, ...swap }),
    data: data.finish(),
    steps: [
      rayLog(log.finish()),
      pay(swap.userSource, vaultIn, swap.owner, amountIn),
      pay(vaultOut, swap.userDestination, FIXED.authority, amountOut),
    ],
  }
}

function pay(from: Uint8Array, to: Uint8Array, authority: Uint8Array, amount: bigint): Call {
  return writeTransfer({ tokenProgram: TOKEN_PROGRAM, from, to, authority, amount })
}

function rayLog(bytes: Uint8Array): string {
  return `log: ray_log: ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}`
}
