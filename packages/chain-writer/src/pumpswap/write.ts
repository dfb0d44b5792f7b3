import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  key,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  type WrittenMint,
  writeInitializeMint,
  writeMintTo,
  writeTransferChecked,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call, Step } from '../write-transaction.ts'

/**
 * Writes PumpSwap's calls with their events: the layout of late 2025 (events up to `ix_name` for a buy, up to the
 * creator's fee for a sell).
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump_amm.json
 */
export const PUMPSWAP_PROGRAM = key('pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA')

const GLOBAL_CONFIG = key('ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw')
const EVENT_AUTHORITY = key('GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR')
const FEE_RECIPIENT = key('JCRGumoE9Qi5BBgULTgdgTLjSgkCMSbF62ZZfGs84JeU')
const FEE_PROGRAM = key('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ')
const FEE_CONFIG = key('5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx')
const VOLUME_ACCUMULATOR = key('C2aFPdENg4A2HQsmrd5rTw5TaYBX5Ku887cWjbFKtZpw')

const CREATE_POOL = Uint8Array.of(0xe9, 0x92, 0xd1, 0x8e, 0xcf, 0x68, 0x40, 0xbc)
const BUY = Uint8Array.of(0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea)
const SELL = Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad)
const BUY_EXACT_QUOTE_IN = Uint8Array.of(0xc6, 0x2e, 0x15, 0x52, 0xb4, 0xd9, 0xe8, 0x70)

const CREATE_POOL_EVENT = Uint8Array.of(0xb1, 0x31, 0x0c, 0xd2, 0xa0, 0x76, 0xa7, 0x74)
const BUY_EVENT = Uint8Array.of(0x67, 0xf4, 0x52, 0x1f, 0x2c, 0xf5, 0x77, 0x77)
const SELL_EVENT = Uint8Array.of(0x3e, 0x2f, 0x37, 0x0a, 0xa5, 0x03, 0xdc, 0x2a)

/** The accounts of one pool, in the program's own order of base and quote. */
export type PumpswapPool = Readonly<{
  pool: Uint8Array
  base: WrittenMint
  quote: WrittenMint
  baseVault: Uint8Array
  quoteVault: Uint8Array
  lpMint: Uint8Array
  coinCreator: Uint8Array
  creatorVault: Uint8Array
  /** The protocol's account of the quote. */
  protocolVault: Uint8Array
}>

/** Fields of a {@link writePumpswapCreatePool}; amounts in raw units. */
export type PumpswapCreatePool = Readonly<{
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

/** Fees of a trade in raw units of the program's quote; `lp` stays in the pool. */
export type PumpswapFees = Readonly<{ lp: bigint; protocol: bigint; creator: bigint }>

/** The program's fees in basis points. */
export const PUMPSWAP_FEE_BASIS_POINTS = { lp: 20n, protocol: 5n, creator: 5n }

/** Fields of a {@link writePumpswapTrade}; `isBuy` and amounts are the program's own, in raw units. */
export type PumpswapTrade = Readonly<{
  pool: PumpswapPool
  isBuy: boolean
  /** Whether a buy names what it spends instead of what it wants. */
  isExactIn: boolean
  user: Uint8Array
  userBase: Uint8Array
  userQuote: Uint8Array
  baseAmount: bigint
  /** By the curve alone, before any fee. */
  quoteAmount: bigint
  fees: PumpswapFees
  /** Before the trade. */
  baseReserves: bigint
  quoteReserves: bigint
  timestamp: number
}>

/** `buy`, `buy_exact_quote_in` or `sell`. */
export function writePumpswapTrade(trade: PumpswapTrade): Call {
  const { pool, isBuy, fees, baseAmount, quoteAmount } = trade
  const isExactIn = isBuy && trade.isExactIn
  const spent = quoteAmount + fees.lp + fees.protocol + fees.creator

  const data = new ByteWriter(25).bytes(isExactIn ? BUY_EXACT_QUOTE_IN : isBuy ? BUY : SELL)
  if (isExactIn) data.u64(spent).u64((baseAmount * 9n) / 10n)
  else data.u64(baseAmount).u64(isBuy ? (spent * 11n) / 10n : (quoteAmount * 9n) / 10n)
  if (isBuy) data.u8(1)

  const event = isBuy ? writeBuyEvent(trade, isExactIn, spent) : writeSellEvent(trade)
  const base = { tokenProgram: pool.base.tokenProgram, mint: pool.base.key, decimals: pool.base.decimals }
  const quote = { tokenProgram: pool.quote.tokenProgram, mint: pool.quote.key, decimals: pool.quote.decimals }
  const payer = isBuy
    ? { from: trade.userQuote, authority: trade.user }
    : { from: pool.quoteVault, authority: pool.pool }

  const steps: Step[] = isBuy
    ? [
        isExactIn ? 'log: Instruction: BuyExactQuoteIn' : 'log: Instruction: Buy',
        writeTransferChecked({
          ...base,
          from: pool.baseVault,
          to: trade.userBase,
          authority: pool.pool,
          amount: baseAmount,
        }),
        writeTransferChecked({ ...quote, ...payer, to: pool.quoteVault, amount: quoteAmount + fees.lp }),
      ]
    : [
        'log: Instruction: Sell',
        writeTransferChecked({
          ...base,
          from: trade.userBase,
          to: pool.baseVault,
          authority: trade.user,
          amount: baseAmount,
        }),
        writeTransferChecked({
          ...quote,
          ...payer,
          to: trade.userQuote,
          amount: quoteAmount - fees.lp - fees.protocol - fees.creator,
        }),
      ]
  steps.push(
    writeTransferChecked({ ...quote, ...payer, to: pool.protocolVault, amount: fees.protocol }),
    writeTransferChecked({ ...quote, ...payer, to: pool.creatorVault, amount: fees.creator }),
    writeEventLog(event),
    writeEventCall(PUMPSWAP_PROGRAM, EVENT_AUTHORITY, event),
  )

  return {
    program: PUMPSWAP_PROGRAM,
    accounts: [
      pool.pool,
      trade.user,
      GLOBAL_CONFIG,
      pool.base.key,
      pool.quote.key,
      trade.userBase,
      trade.userQuote,
      pool.baseVault,
      pool.quoteVault,
      FEE_RECIPIENT,
      pool.protocolVault,
      pool.base.tokenProgram,
      pool.quote.tokenProgram,
      SYSTEM_PROGRAM,
      ASSOCIATED_TOKEN_PROGRAM,
      EVENT_AUTHORITY,
      PUMPSWAP_PROGRAM,
      pool.creatorVault,
      pool.coinCreator,
      ...(isBuy ? [VOLUME_ACCUMULATOR, VOLUME_ACCUMULATOR] : []),
      FEE_CONFIG,
      FEE_PROGRAM,
    ],
    data: data.finish(),
    steps,
  }
}

function writeBuyEvent(trade: PumpswapTrade, isExactIn: boolean, spent: bigint): Uint8Array {
  const { baseAmount, quoteAmount, fees } = trade
  const writer = new ByteWriter(430)
    .bytes(BUY_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount)
    .u64((spent * 11n) / 10n) // the most that the user would have paid
  return writeCommon(writer, trade, quoteAmount + fees.lp, spent)
    .bool(true) // track volume
    .u64(0n) // unclaimed tokens
    .u64(0n) // claimed tokens
    .u64(0n) // the user's volume
    .i64(0n) // of its last update
    .u64(isExactIn ? (baseAmount * 9n) / 10n : baseAmount) // the least that the user would have taken
    .string(isExactIn ? 'buy_exact_quote_in' : 'buy')
    .finish()
}

function writeSellEvent(trade: PumpswapTrade): Uint8Array {
  const { baseAmount, quoteAmount, fees } = trade
  const writer = new ByteWriter(380)
    .bytes(SELL_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount)
    .u64((quoteAmount * 9n) / 10n) // the least that the user would have taken
  return writeCommon(
    writer,
    trade,
    quoteAmount - fees.lp,
    quoteAmount - fees.lp - fees.protocol - fees.creator,
  ).finish()
}

/** The part that both events share, from the user's reserves to the creator's fee. */
function writeCommon(writer: ByteWriter, trade: PumpswapTrade, withLpFee: bigint, users: bigint): ByteWriter {
  const { pool, fees } = trade
  return writer
    .u64(0n) // the user's base before
    .u64(users) // the user's quote before
    .u64(trade.baseReserves)
    .u64(trade.quoteReserves)
    .u64(trade.quoteAmount)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.lp)
    .u64(fees.lp)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.protocol)
    .u64(fees.protocol)
    .u64(withLpFee)
    .u64(users)
    .bytes(pool.pool)
    .bytes(trade.user)
    .bytes(trade.userBase)
    .bytes(trade.userQuote)
    .bytes(FEE_RECIPIENT)
    .bytes(pool.protocolVault)
    .bytes(pool.coinCreator)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.creator)
    .u64(fees.creator)
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
