import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import {
  namesOf,
  TOKEN_2022_PROGRAM,
  writeInitializeMint,
  writeLeg,
  writeMintTo,
} from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'
import { FIXED, PUMPSWAP_PROGRAM, type PumpswapPool, writePumpswapEvent } from './write-accounts.ts'

const CREATE_POOL = Uint8Array.of(0xe9, 0x92, 0xd1, 0x8e, 0xcf, 0x68, 0x40, 0xbc)
const INIT_BOOST = Uint8Array.of(0x8c, 0xe9, 0x21, 0x5e, 0x84, 0x5a, 0xc2, 0x8f)
const CREATE_POOL_EVENT = Uint8Array.of(0xb1, 0x31, 0x0c, 0xd2, 0xa0, 0x76, 0xa7, 0x74)
const INIT_BOOST_EVENT = Uint8Array.of(0xae, 0x7c, 0x4a, 0xf9, 0x04, 0x51, 0xf6, 0x11)

const createPoolAccounts = accountList(
  FIXED,
  'pool globalConfig creator baseMint quoteMint lpMint creatorBase creatorQuote creatorLp baseVault quoteVault',
  'system token2022 baseProgram quoteProgram ata eventAuthority program',
)
const initBoostAccounts = accountList(
  FIXED,
  'pool globalConfig creator baseMint quoteMint baseVault quoteVault pool boostVault quoteProgram system ata',
  'eventAuthority program',
)

/** Fields of a {@link writePumpswapCreatePool}; amounts in raw units. */
type PumpswapCreatePool = Readonly<{
  pool: PumpswapPool
  /** The payer: a wallet, or the migration's own authority. */
  creator: Uint8Array
  creatorBase: Uint8Array
  creatorQuote: Uint8Array
  creatorLp: Uint8Array
  index: number
  baseAmount: bigint
  quoteAmount: bigint
  timestamp: number
}>

/** Writes `create_pool`. */
export function writePumpswapCreatePool(fields: PumpswapCreatePool): Call {
  const { pool, creator, creatorBase, creatorQuote, creatorLp, index, baseAmount, quoteAmount } = fields
  const liquidity = squareRoot(baseAmount * quoteAmount)
  const event = new ByteWriter(360)
    .bytes(CREATE_POOL_EVENT)
    .i64(BigInt(fields.timestamp))
    .u16(index)
    .bytes(creator, pool.base.key, pool.quote.key)
    .u8(pool.base.decimals)
    .u8(pool.quote.decimals)
    .u64(baseAmount, quoteAmount, baseAmount, quoteAmount)
    .u64(100n, liquidity, liquidity - 100n) // minimum, made, the creator's
    .u8(254) // bump
    .bytes(pool.pool, pool.lpMint, creatorBase, creatorQuote, pool.coinCreator)
    .zeros(1 + 8 + 1 + 1) // mayhem, creator's fee in basis points and whether it can be edited, holder rewards
    .finish()
  const data = new ByteWriter(64)
    .bytes(CREATE_POOL)
    .u16(index)
    .u64(baseAmount, quoteAmount)
    .bytes(pool.coinCreator)
    .bool(false)
    .finish()
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: createPoolAccounts({ ...namesOf(pool), creator, creatorBase, creatorQuote, creatorLp }),
    data,
    steps: [
      'log: Instruction: CreatePool',
      writeInitializeMint(TOKEN_2022_PROGRAM, pool.lpMint, 9, pool.pool),
      writeLeg(pool.base, creatorBase, pool.baseVault, creator, baseAmount),
      writeLeg(pool.quote, creatorQuote, pool.quoteVault, creator, quoteAmount),
      writeMintTo(TOKEN_2022_PROGRAM, pool.lpMint, creatorLp, pool.pool, liquidity - 100n),
      ...writePumpswapEvent(event),
    ],
  }
}

/** Fields of a {@link writePumpswapInitBoost}. */
type PumpswapInitBoost = Readonly<{
  pool: PumpswapPool
  creator: Uint8Array
  /** The curve that the pool comes from. */
  curve: Uint8Array
  boostVault: Uint8Array
  /** Raw quote units that leave the pool's vault and still count in its price. */
  amount: bigint
  /** The vault's balance afterwards. */
  vaultAfter: bigint
  timestamp: number
}>

/** Writes `init_boost`: part of a new pool's quote is set aside for buying the coin back. */
export function writePumpswapInitBoost(fields: PumpswapInitBoost): Call {
  const { pool, creator, curve, boostVault, amount } = fields
  const event = new ByteWriter(140)
    .bytes(INIT_BOOST_EVENT)
    .i64(BigInt(fields.timestamp))
    .bytes(pool.base.key, curve, pool.pool)
    .i128(amount)
    .u64(fields.vaultAfter)
    .finish()
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: initBoostAccounts({ ...namesOf(pool), creator, boostVault }),
    data: INIT_BOOST,
    steps: [
      'log: Instruction: InitBoost',
      writeLeg(pool.quote, pool.quoteVault, boostVault, pool.pool, amount),
      ...writePumpswapEvent(event),
    ],
  }
}

/** Integer square root by Newton's method. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next === root || next === root + 1n || next === root - 1n) return next
    root = next
  }
}
