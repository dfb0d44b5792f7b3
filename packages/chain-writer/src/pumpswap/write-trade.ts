import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import { namesOf, writeLeg } from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'
import { FIXED, NOBODY, PUMPSWAP_PROGRAM, type PumpswapPool, writePumpswapEvent } from './write-accounts.ts'

const HEAD = 'pool user globalConfig baseMint quoteMint userBase userQuote baseVault quoteVault'
const OLD_HEAD = `${HEAD} feeRecipient protocolVault baseProgram quoteProgram system ata` as const
const OLD_TAIL = 'eventAuthority program creatorVault coinCreator'
const buyAccounts = accountList(FIXED, OLD_HEAD, OLD_TAIL, 'volume volume feeConfig feeProgram')
const sellAccounts = accountList(FIXED, OLD_HEAD, OLD_TAIL, 'feeConfig feeProgram')
const v2Accounts = accountList(
  FIXED,
  HEAD,
  'baseProgram quoteProgram system volume feeConfig protocolVault eventAuthority program',
)

/** The forms of a trade, by the name that the program logs. */
const FORMS = {
  Buy: { discriminator: '66063d1201daebea', accounts: buyAccounts },
  BuyExactQuoteIn: { discriminator: 'c62e1552b4d9e870', accounts: buyAccounts },
  Sell: { discriminator: '33e685a4017f83ad', accounts: sellAccounts },
  BuyV2: { discriminator: 'b817ee6167c5d33d', accounts: v2Accounts },
  BuyExactQuoteInV2: { discriminator: 'c2ab1c46684d5b2f', accounts: v2Accounts },
  SellV2: { discriminator: '5df6823ce7e940b2', accounts: v2Accounts },
}

const BUY_EVENT = Uint8Array.of(0x67, 0xf4, 0x52, 0x1f, 0x2c, 0xf5, 0x77, 0x77)
const SELL_EVENT = Uint8Array.of(0x3e, 0x2f, 0x37, 0x0a, 0xa5, 0x03, 0xdc, 0x2a)

/** Fees of a trade in raw units of the program's quote; `lp` stays in the pool, `buyback` is a part of `protocol`. */
type PumpswapFees = Readonly<{ lp: bigint; protocol: bigint; creator: bigint; buyback: bigint }>

/** The program's fees in basis points; the last is part of the protocol's. */
export const PUMPSWAP_FEE_BASIS_POINTS = { lp: 20n, protocol: 5n, creator: 5n, buyback: 5_000n }

/** Fields of a {@link writePumpswapTrade}; `isBuy` and amounts are the program's own, in raw units. */
type PumpswapTrade = Readonly<{
  pool: PumpswapPool
  isBuy: boolean
  /** Whether a buy has an exact input instead of an exact output. */
  isExactIn: boolean
  /** Whether the fees of protocol and creator stay in the vault until they are swept (v2). */
  keepsFees: boolean
  user: Uint8Array
  userBase: Uint8Array
  userQuote: Uint8Array
  baseAmount: bigint
  /** The amount on the curve alone, before any fee. */
  quoteAmount: bigint
  fees: PumpswapFees
  /** The vaults' balances before the trade. */
  baseVaultBefore: bigint
  quoteVaultBefore: bigint
  /** The part of the price besides the vault's quote, before the trade; negative if fees wait. */
  virtualQuoteReserve: bigint
  /** The creator's unclaimed fees after the trade. */
  creatorFeeUnclaimed: bigint
  timestamp: number
}>

/** Writes `buy_v2`, `buy_exact_quote_in_v2` or `sell_v2` if fees are kept, else the older forms. */
export function writePumpswapTrade(trade: PumpswapTrade): Call {
  const { pool, user, userBase, userQuote } = trade
  const name = nameOf(trade)
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: FORMS[name].accounts({ ...namesOf(pool), user, userBase, userQuote }),
    data: writeArguments(trade, FORMS[name].discriminator),
    steps: [
      `log: Instruction: ${name}`,
      ...writeLegs(trade),
      ...writePumpswapEvent(trade.isBuy ? writeBuyEvent(trade) : writeSellEvent(trade)),
    ],
  }
}

function nameOf({ isBuy, isExactIn, keepsFees }: PumpswapTrade): keyof typeof FORMS {
  const name = isBuy ? (isExactIn ? 'BuyExactQuoteIn' : 'Buy') : 'Sell'
  return keepsFees ? `${name}V2` : name
}

/** Total that a buyer pays. */
function spentBy({ quoteAmount, fees }: PumpswapTrade): bigint {
  return quoteAmount + fees.lp + fees.protocol + fees.creator
}

/** Total that a seller gets. */
function gotBy({ quoteAmount, fees }: PumpswapTrade): bigint {
  return quoteAmount - fees.lp - fees.protocol - fees.creator
}

function writeArguments(trade: PumpswapTrade, discriminator: string): Uint8Array {
  const { isBuy, isExactIn, keepsFees, baseAmount, quoteAmount } = trade
  const spent = spentBy(trade)
  const data = new ByteWriter(25).bytes(Buffer.from(discriminator, 'hex'))
  if (!isBuy) data.u64(baseAmount, (quoteAmount * 9n) / 10n)
  else if (isExactIn) data.u64(spent, (baseAmount * 9n) / 10n)
  else data.u64(baseAmount, (spent * 11n) / 10n)
  if (isBuy && !keepsFees) data.u8(1) // track volume
  return data.finish()
}

function writeLegs(trade: PumpswapTrade): Call[] {
  const { pool, isBuy, keepsFees, fees, baseAmount, quoteAmount, user, userBase, userQuote } = trade
  const kept = keepsFees ? fees.protocol - fees.buyback + fees.creator : 0n
  const payQuote = (to: Uint8Array, amount: bigint) =>
    isBuy
      ? writeLeg(pool.quote, userQuote, to, user, amount)
      : writeLeg(pool.quote, pool.quoteVault, to, pool.pool, amount)
  const legs = [
    isBuy
      ? writeLeg(pool.base, pool.baseVault, userBase, pool.pool, baseAmount)
      : writeLeg(pool.base, userBase, pool.baseVault, user, baseAmount),
    isBuy ? payQuote(pool.quoteVault, quoteAmount + fees.lp + kept) : payQuote(userQuote, gotBy(trade)),
    payQuote(pool.protocolVault, keepsFees ? fees.buyback : fees.protocol),
  ]
  if (!keepsFees) legs.push(payQuote(pool.creatorVault, fees.creator))
  return legs
}

function writeBuyEvent(trade: PumpswapTrade): Uint8Array {
  const { baseAmount, quoteAmount, isExactIn, keepsFees, fees } = trade
  const spent = spentBy(trade)
  const writer = new ByteWriter(520)
    .bytes(BUY_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount, isExactIn ? spent : (spent * 11n) / 10n) // the most that the user would have paid
  // With an exact input, the two amounts swap their names.
  const [named, users] = isExactIn ? [spent, quoteAmount] : [quoteAmount, spent]
  const name = isExactIn ? 'buy_exact_quote_in' : 'buy'
  writeCommon(writer, trade, named, quoteAmount + fees.lp, users)
    .bool(true) // track volume
    .zeros(4 * 8) // unclaimed and claimed tokens, the user's volume and its last update
    .u64(isExactIn ? (baseAmount * 9n) / 10n : baseAmount) // the least that the user would have taken
    .string(keepsFees ? `${name}_v2` : name)
  return writeTail(writer, trade).finish()
}

function writeSellEvent(trade: PumpswapTrade): Uint8Array {
  const { baseAmount, quoteAmount, fees } = trade
  const writer = new ByteWriter(450)
    .bytes(SELL_EVENT)
    .i64(BigInt(trade.timestamp))
    .u64(baseAmount, (quoteAmount * 9n) / 10n) // the least that the user would have taken
  writeCommon(writer, trade, quoteAmount, quoteAmount - fees.lp, gotBy(trade))
  return writeTail(writer, trade).finish()
}

/** Writes the part that both events share, from the user's reserves to the creator's fee. */
function writeCommon(
  writer: ByteWriter,
  trade: PumpswapTrade,
  named: bigint,
  withLpFee: bigint,
  users: bigint,
): ByteWriter {
  const { pool, fees, keepsFees } = trade
  return writer
    .u64(0n, users) // what the user had before
    .u64(trade.baseVaultBefore, trade.quoteVaultBefore, named)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.lp, fees.lp, PUMPSWAP_FEE_BASIS_POINTS.protocol, fees.protocol)
    .u64(withLpFee, users)
    .bytes(pool.pool, trade.user, trade.userBase, trade.userQuote)
    .bytes(keepsFees ? NOBODY : FIXED.feeRecipient) // nobody: the mark of a waiting fee
    .bytes(keepsFees ? NOBODY : pool.protocolVault, pool.coinCreator)
    .u64(PUMPSWAP_FEE_BASIS_POINTS.creator, fees.creator)
}

/** Writes the fields that 2026 appended to both events. */
function writeTail(writer: ByteWriter, trade: PumpswapTrade): ByteWriter {
  return writer
    .zeros(8 + 8) // cashback and its basis points
    .u64(PUMPSWAP_FEE_BASIS_POINTS.buyback, trade.fees.buyback)
    .i128(trade.virtualQuoteReserve)
    .bool(trade.virtualQuoteReserve > 0n) // can boost
    .u64(1_000_000_000_000_000n) // supply of the base
    .zeros(8 + 8) // holder rewards and their basis points
    .u64(trade.creatorFeeUnclaimed)
}
