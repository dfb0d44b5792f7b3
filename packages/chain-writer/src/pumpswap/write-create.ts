import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  type WrittenMint,
  writeInitializeMint,
  writeMintTo,
  writeTransferChecked,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'
import { EVENT_AUTHORITY, GLOBAL_CONFIG, PUMPSWAP_PROGRAM, type PumpswapPool } from './write-accounts.ts'

const CREATE_POOL = Uint8Array.of(0xe9, 0x92, 0xd1, 0x8e, 0xcf, 0x68, 0x40, 0xbc)
const INIT_BOOST = Uint8Array.of(0x8c, 0xe9, 0x21, 0x5e, 0x84, 0x5a, 0xc2, 0x8f)
const CREATE_POOL_EVENT = Uint8Array.of(0xb1, 0x31, 0x0c, 0xd2, 0xa0, 0x76, 0xa7, 0x74)
const INIT_BOOST_EVENT = Uint8Array.of(0xae, 0x7c, 0x4a, 0xf9, 0x04, 0x51, 0xf6, 0x11)

/** Fields of a {@link writePumpswapCreatePool}; amounts in raw units. */
type PumpswapCreatePool = Readonly<{
  pool: PumpswapPool
  /** Who pays: a wallet, or the migration's own authority. */
  creator: Uint8Array
  creatorBase: Uint8Array
  creatorQuote: Uint8Array
  creatorLp: Uint8Array
  index: number
  baseAmount: bigint
  quoteAmount: bigint
  timestamp: number
}>

/** `create_pool`. */
export function writePumpswapCreatePool(fields: PumpswapCreatePool): Call {
  const { pool, creator, baseAmount, quoteAmount } = fields
  const liquidity = squareRoot(baseAmount * quoteAmount)
  const event = new ByteWriter(360)
    .bytes(CREATE_POOL_EVENT)
    .i64(BigInt(fields.timestamp))
    .u16(fields.index)
    .bytes(creator)
    .bytes(pool.base.key)
    .bytes(pool.quote.key)
    .u8(pool.base.decimals)
    .u8(pool.quote.decimals)
    .u64(baseAmount)
    .u64(quoteAmount)
    .u64(baseAmount)
    .u64(quoteAmount)
    .u64(100n) // minimum liquidity
    .u64(liquidity)
    .u64(liquidity - 100n)
    .u8(254) // bump
    .bytes(pool.pool)
    .bytes(pool.lpMint)
    .bytes(fields.creatorBase)
    .bytes(fields.creatorQuote)
    .bytes(pool.coinCreator)
    .bool(false) // mayhem
    .u64(0n) // creator's fee in basis points
    .bool(false) // whether it can be edited
    .bool(false) // holder rewards
    .finish()

  const data = new ByteWriter(64)
    .bytes(CREATE_POOL)
    .u16(fields.index)
    .u64(baseAmount)
    .u64(quoteAmount)
    .bytes(pool.coinCreator)
    .bool(false)
    .finish()

  const deposit = (mint: WrittenMint, from: Uint8Array, to: Uint8Array, amount: bigint) =>
    writeTransferChecked({
      tokenProgram: mint.tokenProgram,
      mint: mint.key,
      decimals: mint.decimals,
      from,
      to,
      authority: creator,
      amount,
    })

  return {
    program: PUMPSWAP_PROGRAM,
    accounts: [
      pool.pool,
      GLOBAL_CONFIG,
      creator,
      pool.base.key,
      pool.quote.key,
      pool.lpMint,
      fields.creatorBase,
      fields.creatorQuote,
      fields.creatorLp,
      pool.baseVault,
      pool.quoteVault,
      SYSTEM_PROGRAM,
      TOKEN_2022_PROGRAM,
      pool.base.tokenProgram,
      pool.quote.tokenProgram,
      ASSOCIATED_TOKEN_PROGRAM,
      EVENT_AUTHORITY,
      PUMPSWAP_PROGRAM,
    ],
    data,
    steps: [
      'log: Instruction: CreatePool',
      writeInitializeMint(TOKEN_2022_PROGRAM, pool.lpMint, 9, pool.pool),
      deposit(pool.base, fields.creatorBase, pool.baseVault, baseAmount),
      deposit(pool.quote, fields.creatorQuote, pool.quoteVault, quoteAmount),
      writeMintTo(TOKEN_2022_PROGRAM, pool.lpMint, fields.creatorLp, pool.pool, liquidity - 100n),
      writeEventLog(event),
      writeEventCall(PUMPSWAP_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}

/** Fields of a {@link writePumpswapInitBoost}. */
type PumpswapInitBoost = Readonly<{
  pool: PumpswapPool
  creator: Uint8Array
  /** The curve from which the pool comes. */
  curve: Uint8Array
  boostVault: Uint8Array
  /** Raw units of the quote that leave the pool's vault and still make its price. */
  amount: bigint
  /** What the pool's vault holds afterwards. */
  vaultAfter: bigint
  timestamp: number
}>

/** `init_boost`: a part of a new pool's quote is set aside for buying the coin back. */
export function writePumpswapInitBoost(fields: PumpswapInitBoost): Call {
  const { pool, boostVault, amount } = fields
  const event = new ByteWriter(140)
    .bytes(INIT_BOOST_EVENT)
    .i64(BigInt(fields.timestamp))
    .bytes(pool.base.key)
    .bytes(fields.curve)
    .bytes(pool.pool)
    .i128(amount)
    .u64(fields.vaultAfter)
    .finish()
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: [
      pool.pool,
      GLOBAL_CONFIG,
      fields.creator,
      pool.base.key,
      pool.quote.key,
      pool.baseVault,
      pool.quoteVault,
      pool.pool,
      boostVault,
      pool.quote.tokenProgram,
      SYSTEM_PROGRAM,
      ASSOCIATED_TOKEN_PROGRAM,
      EVENT_AUTHORITY,
      PUMPSWAP_PROGRAM,
    ],
    data: INIT_BOOST,
    steps: [
      'log: Instruction: InitBoost',
      writeTransferChecked({
        tokenProgram: pool.quote.tokenProgram,
        mint: pool.quote.key,
        decimals: pool.quote.decimals,
        from: pool.quoteVault,
        to: boostVault,
        authority: pool.pool,
        amount,
      }),
      writeEventLog(event),
      writeEventCall(PUMPSWAP_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}

/** Whole square root by Newton's steps. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next === root || next === root + 1n || next === root - 1n) return next
    root = next
  }
}
