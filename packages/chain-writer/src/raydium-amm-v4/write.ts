import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  key,
  RENT,
  SYSTEM_PROGRAM,
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

const AUTHORITY = key(RAYDIUM_AMM_V4_AUTHORITY)
const MARKET_PROGRAM = key('srmqPvymJeFKQ4zGQed1GFppgkRHL9kaELCbyksJtPX')
const CONFIG = key('9DCxsMizn3H1hprZ7xWe6LDzeUeZBksYFpBWBtSf1PQX')
const FEE_DESTINATION = key('7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5')

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
  const log = new ByteWriter(75)
    .u8(0)
    .u64(BigInt(fields.openTime))
    .u8(pool.pcDecimals)
    .u8(pool.coinDecimals)
    .u64(1n) // pc lot
    .u64(1_000_000n) // coin lot
    .u64(pcAmount)
    .u64(coinAmount)
    .bytes(pool.market)
    .finish()

  return {
    program: RAYDIUM_AMM_V4_PROGRAM,
    accounts: [
      TOKEN_PROGRAM,
      ASSOCIATED_TOKEN_PROGRAM,
      SYSTEM_PROGRAM,
      RENT,
      pool.amm,
      AUTHORITY,
      pool.openOrders,
      pool.lpMint,
      pool.coinMint,
      pool.pcMint,
      pool.coinVault,
      pool.pcVault,
      pool.targetOrders,
      CONFIG,
      FEE_DESTINATION,
      MARKET_PROGRAM,
      pool.market,
      user,
      fields.userCoin,
      fields.userPc,
      fields.userLp,
    ],
    data: new ByteWriter(26)
      .u8(1)
      .u8(254)
      .u64(BigInt(fields.openTime))
      .u64(pcAmount)
      .u64(coinAmount)
      .finish(),
    steps: [
      'log: initialize2: InitializeInstruction2',
      writeCreateAccount(user, pool.amm, 6_124_800n, 752n, RAYDIUM_AMM_V4_PROGRAM),
      writeTransfer({
        tokenProgram: TOKEN_PROGRAM,
        from: fields.userCoin,
        to: pool.coinVault,
        authority: user,
        amount: coinAmount,
      }),
      writeTransfer({
        tokenProgram: TOKEN_PROGRAM,
        from: fields.userPc,
        to: pool.pcVault,
        authority: user,
        amount: pcAmount,
      }),
      writeMintTo(TOKEN_PROGRAM, pool.lpMint, fields.userLp, AUTHORITY, coinAmount),
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
  /** The owner's balance of what goes in, before. */
  sourceBalance: bigint
  amountIn: bigint
  amountOut: bigint
  /** Before the swap. */
  coinReserves: bigint
  pcReserves: bigint
}>

/** A swap, tags 9, 11, 16 and 17. */
export function writeRaydiumAmmV4Swap(swap: RaydiumAmmV4Swap): Call {
  const { pool, form, isCoinIn, amountIn, amountOut } = swap
  const isV2 = form.accounts === 'v2'
  const limit = form.isBaseIn ? (amountOut * 9n) / 10n : (amountIn * 11n) / 10n
  const tag = form.isBaseIn ? (isV2 ? 16 : 9) : isV2 ? 17 : 11

  const data = new ByteWriter(17).u8(tag)
  const log = new ByteWriter(57).u8(form.isBaseIn ? 3 : 4)
  for (const writer of [data, log]) {
    if (form.isBaseIn) writer.u64(amountIn).u64(limit)
    else writer.u64(limit).u64(amountOut)
  }
  log
    .u64(isCoinIn ? 2n : 1n)
    .u64(swap.sourceBalance)
    .u64(swap.coinReserves)
    .u64(swap.pcReserves)
    .u64(form.isBaseIn ? amountOut : amountIn)

  const [vaultIn, vaultOut] = isCoinIn ? [pool.coinVault, pool.pcVault] : [pool.pcVault, pool.coinVault]
  const user = [swap.userSource, swap.userDestination, swap.owner]
  const { market } = pool // stands for its eight accounts, which nothing reads
  return {
    program: RAYDIUM_AMM_V4_PROGRAM,
    accounts: isV2
      ? [TOKEN_PROGRAM, pool.amm, AUTHORITY, pool.coinVault, pool.pcVault, ...user]
      : [
          TOKEN_PROGRAM,
          pool.amm,
          AUTHORITY,
          pool.openOrders,
          ...(form.accounts === 18 ? [pool.targetOrders] : []),
          pool.coinVault,
          pool.pcVault,
          MARKET_PROGRAM,
          market,
          market,
          market,
          market,
          market,
          market,
          market,
          ...user,
        ],
    data: data.finish(),
    steps: [
      rayLog(log.finish()),
      writeTransfer({
        tokenProgram: TOKEN_PROGRAM,
        from: swap.userSource,
        to: vaultIn,
        authority: swap.owner,
        amount: amountIn,
      }),
      writeTransfer({
        tokenProgram: TOKEN_PROGRAM,
        from: vaultOut,
        to: swap.userDestination,
        authority: AUTHORITY,
        amount: amountOut,
      }),
    ],
  }
}

function rayLog(bytes: Uint8Array): string {
  return `log: ray_log: ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}`
}
