import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  key,
  METADATA_PROGRAM,
  RENT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writeCreateAccount,
  writeCreateMetadata,
  writeInitializeMint,
  writeInitializeTokenMetadata,
  writeLamportTransfer,
  writeMintTo,
  writeRevokeMintAuthority,
  writeTransferChecked,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call, Step } from '../write-transaction.ts'

/**
 * Writes pump.fun's calls with their events, in the layout of 2026 (`create_v2`, events to `real_quote_reserves`).
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.json
 */
export const PUMPFUN_PROGRAM = key('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P')

const GLOBAL = key('4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf')
const MINT_AUTHORITY = key('TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM')
const FEE_RECIPIENT = key('62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV')
const EVENT_AUTHORITY = key('Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1')
const VOLUME_ACCUMULATOR = key('Hq2wp8uJ9jCPsYgNHex8RtqdvMPfVGoYwjvF1ATiwn2Y')
const FEE_CONFIG = key('8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt')
const FEE_PROGRAM = key('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ')
const MAYHEM_PROGRAM = key('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e')
const MAYHEM_PARAMS = key('13ec7XdrjF3h3YcqBTFDSReRcUFwbCnJaAQspM4j6DDJ')
const MAYHEM_VAULT = key('BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s')
const WITHDRAW_AUTHORITY = key('39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg')
/** The default address, by which SOL is meant where a quote mint is asked for. */
const NO_MINT = SYSTEM_PROGRAM

const CREATE = Uint8Array.of(0x18, 0x1e, 0xc8, 0x28, 0x05, 0x1c, 0x07, 0x77)
const CREATE_V2 = Uint8Array.of(0xd6, 0x90, 0x4c, 0xec, 0x5f, 0x8b, 0x31, 0xb4)
const BUY = Uint8Array.of(0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea)
const SELL = Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad)
const BUY_EXACT_SOL_IN = Uint8Array.of(0x38, 0xfc, 0x74, 0x08, 0x9e, 0xdf, 0xcd, 0x5f)
const BUY_V2 = Uint8Array.of(0xb8, 0x17, 0xee, 0x61, 0x67, 0xc5, 0xd3, 0x3d)
const SELL_V2 = Uint8Array.of(0x5d, 0xf6, 0x82, 0x3c, 0xe7, 0xe9, 0x40, 0xb2)
const MIGRATE = Uint8Array.of(0x9b, 0xea, 0xe7, 0x92, 0xec, 0x9e, 0xa2, 0x1e)
const MIGRATE_V2 = Uint8Array.of(0xbb, 0xcb, 0x12, 0x1f, 0xce, 0xed, 0xfe, 0x29)

const CREATE_EVENT = Uint8Array.of(0x1b, 0x72, 0xa9, 0x4d, 0xde, 0xeb, 0x63, 0x76)
const TRADE_EVENT = Uint8Array.of(0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee)
const COMPLETE_EVENT = Uint8Array.of(0x5f, 0x72, 0x61, 0x9c, 0xd4, 0x2e, 0x98, 0x08)
const MIGRATION_EVENT = Uint8Array.of(0xbd, 0xe9, 0x5d, 0xb9, 0x5c, 0x94, 0xea, 0x94)

/** Raw units of every coin made, 6 decimals. */
export const PUMPFUN_SUPPLY = 1_000_000_000_000_000n

/** The accounts of one bonding curve. */
export type PumpfunCurve = Readonly<{
  mint: Uint8Array
  curve: Uint8Array
  /** Holds the tokens not yet sold. */
  curveTokens: Uint8Array
  creator: Uint8Array
  creatorVault: Uint8Array
  /** TOKEN_2022_PROGRAM for coins of `create_v2`, TOKEN_PROGRAM for those of `create`. */
  tokenProgram: Uint8Array
  /** Present for a coin that is priced in another token than SOL. */
  quote?: Readonly<{ mint: Uint8Array; decimals: number; curveQuote: Uint8Array }>
}>

/** The curve's state after a call: raw units of the coin and of its quote. */
export type PumpfunReserves = Readonly<{
  virtualTokens: bigint
  virtualQuote: bigint
  realTokens: bigint
  realQuote: bigint
}>

/** Fields of a {@link writePumpfunCreate}. */
export type PumpfunCreate = Readonly<{
  curve: PumpfunCurve
  /** Pays, and signs with the mint. */
  user: Uint8Array
  name: string
  symbol: string
  uri: string
  /** Unix seconds. */
  timestamp: number
  reserves: PumpfunReserves
}>

/** `create_v2` for a coin of Token-2022, else `create`. */
export function writePumpfunCreate(fields: PumpfunCreate): Call {
  const { curve, user, name, symbol, uri } = fields
  const { mint, tokenProgram } = curve
  const isV2 = tokenProgram === TOKEN_2022_PROGRAM

  const event = new ByteWriter(400)
    .bytes(CREATE_EVENT)
    .string(name)
    .string(symbol)
    .string(uri)
    .bytes(mint)
    .bytes(curve.curve)
    .bytes(user)
    .bytes(curve.creator)
    .i64(BigInt(fields.timestamp))
    .u64(fields.reserves.virtualTokens)
    .u64(curve.quote ? 0n : fields.reserves.virtualQuote)
    .u64(fields.reserves.realTokens)
    .u64(PUMPFUN_SUPPLY)
    .bytes(tokenProgram)
    .bool(false) // mayhem
    .bool(false) // cashback
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(fields.reserves.virtualQuote)
    .finish()

  const data = new ByteWriter(200)
    .bytes(isV2 ? CREATE_V2 : CREATE)
    .string(name)
    .string(symbol)
    .string(uri)
    .bytes(curve.creator)
  if (isV2) data.bool(false).bool(false)

  const metadata = curve.curveTokens // written in place of Metaplex's derived account, which nothing reads
  const accounts = isV2
    ? [
        mint,
        MINT_AUTHORITY,
        curve.curve,
        curve.curveTokens,
        GLOBAL,
        user,
        SYSTEM_PROGRAM,
        tokenProgram,
        ASSOCIATED_TOKEN_PROGRAM,
        MAYHEM_PROGRAM,
        MAYHEM_PARAMS,
        MAYHEM_VAULT,
        VOLUME_ACCUMULATOR,
        FEE_CONFIG,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        ...(curve.quote ? [curve.quote.mint, curve.quote.curveQuote, TOKEN_PROGRAM] : []),
      ]
    : [
        mint,
        MINT_AUTHORITY,
        curve.curve,
        curve.curveTokens,
        GLOBAL,
        METADATA_PROGRAM,
        metadata,
        user,
        SYSTEM_PROGRAM,
        tokenProgram,
        ASSOCIATED_TOKEN_PROGRAM,
        RENT,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
      ]

  return {
    program: PUMPFUN_PROGRAM,
    accounts,
    data: data.finish(),
    steps: [
      isV2 ? 'log: Instruction: CreateV2' : 'log: Instruction: Create',
      writeCreateAccount(user, mint, 2_500_000n, isV2 ? 234n : 82n, tokenProgram),
      writeInitializeMint(tokenProgram, mint, 6, MINT_AUTHORITY),
      isV2
        ? writeInitializeTokenMetadata(mint, MINT_AUTHORITY, name, symbol, uri)
        : writeCreateMetadata({
            metadata,
            mint,
            mintAuthority: MINT_AUTHORITY,
            payer: user,
            name,
            symbol,
            uri,
          }),
      writeMintTo(tokenProgram, mint, curve.curveTokens, MINT_AUTHORITY, PUMPFUN_SUPPLY),
      writeRevokeMintAuthority(tokenProgram, mint, MINT_AUTHORITY),
      writeEventLog(event),
      writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}

/** Fields of a {@link writePumpfunTrade}. Amounts in raw units, quote in lamports where the curve is priced in SOL. */
export type PumpfunTrade = Readonly<{
  curve: PumpfunCurve
  isBuy: boolean
  /** Whether a buy names what it spends instead of what it wants. */
  isExactIn: boolean
  user: Uint8Array
  userTokens: Uint8Array
  /** The user's account of the quote; needed where the curve is not priced in SOL. */
  userQuote?: Uint8Array
  tokenAmount: bigint
  /** What moves between curve and trader, fees excluded. */
  quoteAmount: bigint
  /** Fees are written for curves priced in SOL only; elsewhere the event holds zeros. */
  feeBasisPoints: bigint
  fee: bigint
  creatorFeeBasisPoints: bigint
  creatorFee: bigint
  /** After the trade. */
  reserves: PumpfunReserves
  /** Unix seconds. */
  timestamp: number
  /** Whether this buy takes the last token. */
  completes: boolean
}>

/** A buy or sell on a curve: `buy`, `buy_exact_sol_in` and `sell`, or `buy_v2` and `sell_v2` with another quote. */
export function writePumpfunTrade(trade: PumpfunTrade): Call {
  const { curve, isBuy, user, tokenAmount, quoteAmount } = trade
  const quote = curve.quote
  const total = quoteAmount + trade.fee + trade.creatorFee
  const isExactIn = isBuy && trade.isExactIn && !quote
  const ixName = isExactIn ? 'buy_exact_sol_in' : isBuy ? 'buy' : 'sell'

  const data = new ByteWriter(25)
  if (quote) data.bytes(isBuy ? BUY_V2 : SELL_V2)
  else data.bytes(isExactIn ? BUY_EXACT_SOL_IN : isBuy ? BUY : SELL)
  if (isExactIn) data.u64(total).u64((tokenAmount * 9n) / 10n)
  else data.u64(tokenAmount).u64(isBuy ? (total * 11n) / 10n : (quoteAmount * 9n) / 10n)
  if (isBuy && !quote) data.u8(1)

  const event = writeTradeEvent(trade, ixName)
  const steps: Step[] = [`log: Instruction: ${INSTRUCTION_NAMES[ixName]}`]
  const token = {
    tokenProgram: curve.tokenProgram,
    mint: curve.mint,
    decimals: 6,
    amount: tokenAmount,
    ...(isBuy
      ? { from: curve.curveTokens, to: trade.userTokens, authority: curve.curve }
      : { from: trade.userTokens, to: curve.curveTokens, authority: user }),
  }
  steps.push(writeTransferChecked(token))
  if (quote) {
    if (!trade.userQuote) throw new Error('a curve that is not priced in SOL needs the account of its quote')
    const leg = { tokenProgram: TOKEN_PROGRAM, mint: quote.mint, decimals: quote.decimals }
    steps.push(
      isBuy
        ? writeTransferChecked({
            ...leg,
            from: trade.userQuote,
            to: quote.curveQuote,
            authority: user,
            amount: quoteAmount,
          })
        : writeTransferChecked({
            ...leg,
            from: quote.curveQuote,
            to: trade.userQuote,
            authority: curve.curve,
            amount: quoteAmount,
          }),
    )
  } else if (isBuy) {
    steps.push(
      writeLamportTransfer(user, curve.creatorVault, trade.creatorFee),
      writeLamportTransfer(user, curve.curve, quoteAmount),
      writeLamportTransfer(user, FEE_RECIPIENT, trade.fee),
    )
  }
  steps.push(writeEventLog(event), writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event))
  if (trade.completes) {
    const complete = new ByteWriter(150)
      .bytes(COMPLETE_EVENT)
      .bytes(user)
      .bytes(curve.mint)
      .bytes(curve.curve)
      .i64(BigInt(trade.timestamp))
      .bytes(quote?.mint ?? NO_MINT)
      .finish()
    steps.push(writeEventLog(complete), writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, complete))
  }

  return { program: PUMPFUN_PROGRAM, accounts: tradeAccounts(trade), data: data.finish(), steps }
}

const INSTRUCTION_NAMES = { buy: 'Buy', sell: 'Sell', buy_exact_sol_in: 'BuyExactSolIn' }

function tradeAccounts(trade: PumpfunTrade): Uint8Array[] {
  const { curve, isBuy, user, userTokens } = trade
  const { quote } = curve
  if (quote) {
    return [
      GLOBAL,
      curve.mint,
      quote.mint,
      curve.tokenProgram,
      TOKEN_PROGRAM,
      ASSOCIATED_TOKEN_PROGRAM,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      FEE_RECIPIENT,
      curve.curve,
      curve.curveTokens,
      quote.curveQuote,
      user,
      userTokens,
      trade.userQuote ?? user,
      curve.creatorVault,
      curve.creatorVault,
      FEE_CONFIG,
      ...(isBuy ? [VOLUME_ACCUMULATOR] : []),
      VOLUME_ACCUMULATOR,
      VOLUME_ACCUMULATOR,
      FEE_CONFIG,
      FEE_PROGRAM,
      SYSTEM_PROGRAM,
      EVENT_AUTHORITY,
      PUMPFUN_PROGRAM,
    ]
  }
  const head = [
    GLOBAL,
    FEE_RECIPIENT,
    curve.mint,
    curve.curve,
    curve.curveTokens,
    userTokens,
    user,
    SYSTEM_PROGRAM,
  ]
  return isBuy
    ? [
        ...head,
        curve.tokenProgram,
        curve.creatorVault,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        VOLUME_ACCUMULATOR,
        VOLUME_ACCUMULATOR,
        FEE_CONFIG,
        FEE_PROGRAM,
      ]
    : [
        ...head,
        curve.creatorVault,
        curve.tokenProgram,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        FEE_CONFIG,
        FEE_PROGRAM,
      ]
}

function writeTradeEvent(trade: PumpfunTrade, ixName: string): Uint8Array {
  const { curve, reserves } = trade
  // The fields named after SOL stay zero when the curve is priced in another token.
  const isSol = curve.quote === undefined
  return new ByteWriter(400)
    .bytes(TRADE_EVENT)
    .bytes(curve.mint)
    .u64(isSol ? trade.quoteAmount : 0n)
    .u64(trade.tokenAmount)
    .bool(trade.isBuy)
    .bytes(trade.user)
    .i64(BigInt(trade.timestamp))
    .u64(isSol ? reserves.virtualQuote : 0n)
    .u64(reserves.virtualTokens)
    .u64(isSol ? reserves.realQuote : 0n)
    .u64(reserves.realTokens)
    .bytes(FEE_RECIPIENT)
    .u64(isSol ? trade.feeBasisPoints : 0n)
    .u64(isSol ? trade.fee : 0n)
    .bytes(curve.creator)
    .u64(isSol ? trade.creatorFeeBasisPoints : 0n)
    .u64(isSol ? trade.creatorFee : 0n)
    .bool(trade.isBuy)
    .u64(0n) // unclaimed tokens
    .u64(0n) // claimed tokens
    .u64(0n) // the user's volume
    .i64(0n) // of its last update
    .string(ixName)
    .bool(false) // mayhem
    .u64(0n) // cashback basis points
    .u64(0n) // cashback
    .u64(0n) // buyback basis points
    .u64(0n) // buyback fee
    .u32(0) // shareholders
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(trade.quoteAmount)
    .u64(reserves.virtualQuote)
    .u64(reserves.realQuote)
    .finish()
}

/** Fields of a {@link writePumpfunMigrate}. */
export type PumpfunMigrate = Readonly<{
  curve: PumpfunCurve
  user: Uint8Array
  pool: Uint8Array
  poolAuthority: Uint8Array
  /** The pool authority's accounts through which both tokens pass. */
  authorityTokens: Uint8Array
  authorityQuote: Uint8Array
  quoteMint: Uint8Array
  lpMint: Uint8Array
  poolTokens: Uint8Array
  poolQuote: Uint8Array
  tokenAmount: bigint
  quoteAmount: bigint
  migrationFee: bigint
  timestamp: number
  /** PumpSwap's `create_pool`, as the migration calls it. */
  createPool: Call
}>

/** `migrate`, or `migrate_v2` for a curve that is not priced in SOL: moves a completed curve to PumpSwap. */
export function writePumpfunMigrate(fields: PumpfunMigrate): Call {
  const { curve, user, createPool } = fields
  const { quote } = curve
  const event = new ByteWriter(200)
    .bytes(MIGRATION_EVENT)
    .bytes(user)
    .bytes(curve.mint)
    .u64(fields.tokenAmount)
    .u64(fields.quoteAmount)
    .u64(fields.migrationFee)
    .bytes(curve.curve)
    .i64(BigInt(fields.timestamp))
    .bytes(fields.pool)
    .bytes(quote?.mint ?? NO_MINT)
    .finish()

  const accounts = quote
    ? [
        GLOBAL,
        WITHDRAW_AUTHORITY,
        curve.mint,
        quote.mint,
        curve.curve,
        curve.curveTokens,
        quote.curveQuote,
        user,
        SYSTEM_PROGRAM,
        createPool.program,
        fields.pool,
        fields.poolAuthority,
        fields.authorityTokens,
        fields.authorityQuote,
        FEE_CONFIG,
        fields.lpMint,
        fields.authorityTokens,
        fields.poolTokens,
        fields.poolQuote,
        curve.tokenProgram,
        TOKEN_PROGRAM,
        TOKEN_2022_PROGRAM,
        ASSOCIATED_TOKEN_PROGRAM,
        EVENT_AUTHORITY,
        RENT,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
      ]
    : [
        GLOBAL,
        WITHDRAW_AUTHORITY,
        curve.mint,
        curve.curve,
        curve.curveTokens,
        user,
        SYSTEM_PROGRAM,
        curve.tokenProgram,
        createPool.program,
        fields.pool,
        fields.poolAuthority,
        fields.authorityTokens,
        fields.authorityQuote,
        FEE_CONFIG,
        fields.quoteMint,
        fields.lpMint,
        fields.authorityTokens,
        fields.poolTokens,
        fields.poolQuote,
        TOKEN_2022_PROGRAM,
        ASSOCIATED_TOKEN_PROGRAM,
        EVENT_AUTHORITY,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        RENT,
      ]

  return {
    program: PUMPFUN_PROGRAM,
    accounts,
    data: quote ? MIGRATE_V2 : MIGRATE,
    steps: [
      'log: Instruction: Migrate',
      writeTransferChecked({
        tokenProgram: curve.tokenProgram,
        from: curve.curveTokens,
        to: fields.authorityTokens,
        authority: curve.curve,
        mint: curve.mint,
        decimals: 6,
        amount: fields.tokenAmount,
      }),
      createPool,
      writeEventLog(event),
      writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}
