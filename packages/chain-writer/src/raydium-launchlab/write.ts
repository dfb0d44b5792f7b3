import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import { RAYDIUM_AMM_V4_PROGRAM } from '../raydium-amm-v4/write.ts'
import { RAYDIUM_CPMM_PROGRAM } from '../raydium-cpmm/write.ts'
import {
  key,
  namesOf,
  PROGRAMS,
  TOKEN_PROGRAM,
  type WrittenMint,
  writeCreateAccount,
  writeCreateMetadata,
  writeInitializeMint,
  writeLeg,
  writeMintTo,
  writeRevokeMintAuthority,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'

/**
 * Writes Raydium LaunchLab's calls with their events, the trade's in both lengths (130 and 139 bytes).
 *
 * @see https://github.com/raydium-io/raydium-idl
 */
const RAYDIUM_LAUNCHLAB_PROGRAM = key('LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj')

/** Owner of every curve's vaults. */
export const RAYDIUM_LAUNCHLAB_AUTHORITY = 'WLHv2UAZm6z4KyaaELi5pjdbJh6RESMva1Rnn8pJVVh'

/** {@link RAYDIUM_LAUNCHLAB_AUTHORITY} in bytes: it creates a migration's pool. */
export const RAYDIUM_LAUNCHLAB_AUTHORITY_KEY = key(RAYDIUM_LAUNCHLAB_AUTHORITY)

const FIXED = {
  ...PROGRAMS,
  program: RAYDIUM_LAUNCHLAB_PROGRAM,
  cpmm: RAYDIUM_CPMM_PROGRAM,
  amm: RAYDIUM_AMM_V4_PROGRAM,
  authority: RAYDIUM_LAUNCHLAB_AUTHORITY_KEY,
  globalConfig: key('6s1xP3hpbAfFoNtUNF8mfHsjr2Bd97JxFJRWLbL6aHuX'),
  /** Also used for markets, configurations and locks of a migration, which nothing reads. */
  platform: key('4Bu96XjU84XjPDSpveTVf6LYGCkfW5FK7SNkREWcEfV4'),
  eventAuthority: key('2DPAtwB8L12vrMRExbLuyGnC7n2J5LNoZQSejeQGpwkr'),
}

const initializeAccounts = accountList(
  FIXED,
  'payer creator globalConfig platform authority pool baseMint quoteMint baseVault quoteVault metadata baseProgram',
  'quoteProgram metadataProgram system rent eventAuthority program',
)
const tradeAccounts = accountList(
  FIXED,
  'payer authority globalConfig platform pool userBase userQuote baseVault quoteVault baseMint quoteMint',
  'baseProgram quoteProgram eventAuthority program',
)
const migrateToCpmmAccounts = accountList(
  FIXED,
  'payer baseMint quoteMint platform cpmm pool platform lpMint poolBaseVault poolQuoteVault platform platform',
  'platform platform platform platform authority curve globalConfig baseVault quoteVault lpAccount baseProgram',
  'quoteProgram ata system rent metadataProgram',
)
const migrateToAmmAccounts = accountList(
  FIXED,
  'payer baseMint quoteMint platform platform platform platform platform platform platform platform platform amm',
  'pool platform platform lpMint poolBaseVault poolQuoteVault platform platform platform authority curve',
  'globalConfig baseVault quoteVault lpAccount token ata system rent',
)

const INITIALIZE = Uint8Array.of(0xaf, 0xaf, 0x6d, 0x1f, 0x0d, 0x98, 0x9b, 0xed)
const INITIALIZE_V2 = Uint8Array.of(0x43, 0x99, 0xaf, 0x27, 0xda, 0x10, 0x26, 0x20)
const BUY_EXACT_IN = Uint8Array.of(0xfa, 0xea, 0x0d, 0x7b, 0xd5, 0x9c, 0x13, 0xec)
const SELL_EXACT_IN = Uint8Array.of(0x95, 0x27, 0xde, 0x9b, 0xd3, 0x7c, 0x98, 0x1a)
const MIGRATE_TO_AMM = Uint8Array.of(0xcf, 0x52, 0xc0, 0x91, 0xfe, 0xcf, 0x91, 0xdf)
const MIGRATE_TO_CPSWAP = Uint8Array.of(0x88, 0x5c, 0xc8, 0x67, 0x1c, 0xda, 0x90, 0x8c)
const POOL_CREATE_EVENT = Uint8Array.of(0x97, 0xd7, 0xe2, 0x09, 0x76, 0xa1, 0x73, 0xae)
const TRADE_EVENT = Uint8Array.of(0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee)

/** The accounts of one curve. */
export type RaydiumLaunchlabCurve = Readonly<{
  pool: Uint8Array
  base: WrittenMint
  quote: WrittenMint
  baseVault: Uint8Array
  quoteVault: Uint8Array
  creator: Uint8Array
  /** Metaplex's account of the base. */
  metadata: Uint8Array
}>

/** A constant-product curve's parameters, in raw units. */
export type RaydiumLaunchlabFigures = Readonly<{
  supply: bigint
  totalBaseSell: bigint
  /** Quote at which it is complete. */
  fundRaising: bigint
  virtualBase: bigint
  virtualQuote: bigint
}>

/** Fields of a {@link writeRaydiumLaunchlabInitialize}. */
type RaydiumLaunchlabInitialize = Readonly<{
  curve: RaydiumLaunchlabCurve
  figures: RaydiumLaunchlabFigures
  payer: Uint8Array
  name: string
  symbol: string
  uri: string
  isV2: boolean
  migratesToCpmm: boolean
}>

/** Writes `initialize` or `initialize_v2`: a new token of 6 decimals on a curve. */
export function writeRaydiumLaunchlabInitialize(fields: RaydiumLaunchlabInitialize): Call {
  const { curve, figures, payer, isV2, name, symbol, uri } = fields
  const parameters = new ByteWriter(200)
    .u8(curve.base.decimals)
    .string(name, symbol, uri)
    .u8(0) // constant product
    .u64(figures.supply, figures.totalBaseSell, figures.fundRaising)
    .u8(fields.migratesToCpmm ? 1 : 0)
    .zeros(3 * 8) // locked, cliff, unlocking
  if (isV2) parameters.u8(0) // the creator's fee is taken in quote
  const { authority, globalConfig, eventAuthority } = FIXED
  const event = new ByteWriter(320)
    .bytes(POOL_CREATE_EVENT, curve.pool, curve.creator, globalConfig, parameters.finish())
    .finish()
  const mint = curve.base.key
  return {
    program: RAYDIUM_LAUNCHLAB_PROGRAM,
    accounts: initializeAccounts({ ...namesOf(curve), payer }),
    data: new ByteWriter(220).bytes(isV2 ? INITIALIZE_V2 : INITIALIZE, parameters.finish()).finish(),
    steps: [
      isV2 ? 'log: Instruction: InitializeV2' : 'log: Instruction: Initialize',
      writeCreateAccount(payer, curve.pool, 3_876_720n, 429n, RAYDIUM_LAUNCHLAB_PROGRAM),
      writeCreateAccount(payer, mint, 1_461_600n, 82n, TOKEN_PROGRAM),
      writeInitializeMint(TOKEN_PROGRAM, mint, curve.base.decimals, authority),
      writeEventCall(RAYDIUM_LAUNCHLAB_PROGRAM, eventAuthority, event),
      writeCreateMetadata({ ...fields, metadata: curve.metadata, mint, mintAuthority: authority }),
      writeMintTo(TOKEN_PROGRAM, mint, curve.baseVault, authority, figures.supply),
      writeRevokeMintAuthority(TOKEN_PROGRAM, mint, authority),
    ],
  }
}

/** A curve's state in raw units: base sold and quote raised, without fees. */
export type RaydiumLaunchlabReserves = Readonly<{ baseSold: bigint; quoteRaised: bigint }>

/** Fields of a {@link writeRaydiumLaunchlabTrade}; amounts in raw units, from the trader's side. */
type RaydiumLaunchlabTrade = Readonly<{
  curve: RaydiumLaunchlabCurve
  figures: RaydiumLaunchlabFigures
  isBuy: boolean
  payer: Uint8Array
  userBase: Uint8Array
  userQuote: Uint8Array
  amountIn: bigint
  amountOut: bigint
  protocolFee: bigint
  platformFee: bigint
  before: RaydiumLaunchlabReserves
  after: RaydiumLaunchlabReserves
  /** Whether the event has the length of mid 2025, without creator fee and exactness. */
  isOldEvent: boolean
}>

/** Writes `buy_exact_in` or `sell_exact_in`. Fees stay in the quote vault. */
export function writeRaydiumLaunchlabTrade(trade: RaydiumLaunchlabTrade): Call {
  const { curve, figures, before, after, isBuy, payer, userBase, userQuote, isOldEvent } = trade
  const { amountIn, amountOut } = trade
  const { authority, eventAuthority } = FIXED
  const writer = new ByteWriter(147)
    .bytes(TRADE_EVENT, curve.pool)
    .u64(figures.totalBaseSell, figures.virtualBase, figures.virtualQuote)
    .u64(before.baseSold, before.quoteRaised, after.baseSold, after.quoteRaised)
    .u64(amountIn, amountOut, trade.protocolFee, trade.platformFee)
  if (!isOldEvent) writer.u64(0n) // creator fee
  writer
    .u64(0n) // share fee
    .u8(isBuy ? 0 : 1)
    .u8(after.baseSold === figures.totalBaseSell ? 1 : 0) // whether it is complete
  if (!isOldEvent) writer.bool(true) // exact in
  const event = writer.finish()

  const legs = isBuy
    ? [
        writeLeg(curve.quote, userQuote, curve.quoteVault, payer, amountIn),
        writeLeg(curve.base, curve.baseVault, userBase, authority, amountOut),
      ]
    : [
        writeLeg(curve.base, userBase, curve.baseVault, payer, amountIn),
        writeLeg(curve.quote, curve.quoteVault, userQuote, authority, amountOut),
      ]
  return {
    program: RAYDIUM_LAUNCHLAB_PROGRAM,
    accounts: tradeAccounts({ ...namesOf(curve), payer, userBase, userQuote }),
    data: new ByteWriter(32)
      .bytes(isBuy ? BUY_EXACT_IN : SELL_EXACT_IN)
      .u64(amountIn, (amountOut * 9n) / 10n, 0n) // input, minimum output, share fee rate
      .finish(),
    steps: [
      isBuy ? 'log: Instruction: BuyExactIn' : 'log: Instruction: SellExactIn',
      writeEventCall(RAYDIUM_LAUNCHLAB_PROGRAM, eventAuthority, event),
      ...(isOldEvent ? [] : [writeEventLog(event)]),
      ...legs,
    ],
  }
}

/** Fields of a {@link writeRaydiumLaunchlabMigrate}. */
type RaydiumLaunchlabMigrate = Readonly<{
  curve: RaydiumLaunchlabCurve
  payer: Uint8Array
  /** The pool's address, its LP mint and vaults. */
  pool: Uint8Array
  lpMint: Uint8Array
  poolBaseVault: Uint8Array
  poolQuoteVault: Uint8Array
  lpAccount: Uint8Array
  /** The call that opens the pool: Raydium CPMM's `initialize` or AMM v4's `initialize2`. */
  createPool: Call
}>

/** Writes `migrate_to_cpswap` or `migrate_to_amm`, by the program that `createPool` calls. */
export function writeRaydiumLaunchlabMigrate(fields: RaydiumLaunchlabMigrate): Call {
  const { curve, createPool } = fields
  const isCpmm = createPool.program === RAYDIUM_CPMM_PROGRAM
  const named = { ...namesOf(curve), ...fields, curve: curve.pool }
  return {
    program: RAYDIUM_LAUNCHLAB_PROGRAM,
    accounts: isCpmm ? migrateToCpmmAccounts(named) : migrateToAmmAccounts(named),
    data: isCpmm
      ? MIGRATE_TO_CPSWAP
      : new ByteWriter(25).bytes(MIGRATE_TO_AMM).u64(1_000_000n, 1n).u8(0).finish(),
    steps: [isCpmm ? 'log: Instruction: MigrateToCpswap' : 'log: Instruction: MigrateToAmm', createPool],
  }
}
