import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import { TOKEN_PROGRAM, writeLamportTransfer, writeLeg } from '../spl-token/write.ts'
import type { Call, Step } from '../write-transaction.ts'
import { coinOf, FIXED, PUMPFUN_PROGRAM, WRAPPED_SOL_MINT, writePumpfunEvent } from './write-accounts.ts'
import { type PumpfunTrade, writeTradeEvents } from './write-trade-event.ts'

const buyAccounts = accountList(
  FIXED,
  'global feeRecipient mint curve curveTokens userTokens user system tokenProgram creatorVault eventAuthority',
  'program volume volume feeConfig feeProgram',
)
const sellAccounts = accountList(
  FIXED,
  'global feeRecipient mint curve curveTokens userTokens user system creatorVault tokenProgram eventAuthority',
  'program feeConfig feeProgram',
)
const V2_HEAD =
  'global mint quoteMint tokenProgram token ata feeRecipient feeRecipient feeRecipient feeRecipient curve'
const V2_TAIL = 'volume feeConfig feeProgram system eventAuthority program'
const buyV2Accounts = accountList(
  FIXED,
  V2_HEAD,
  'curveTokens curveQuote user userTokens userQuote creatorVault creatorVault feeConfig volume volume',
  V2_TAIL,
)
const sellV2Accounts = accountList(
  FIXED,
  V2_HEAD,
  'curveTokens curveQuote user userTokens userQuote creatorVault creatorVault feeConfig volume',
  V2_TAIL,
)
const v3Accounts = accountList(
  FIXED,
  'global mint quoteMint tokenProgram token curve curveTokens curveQuote user userTokens userQuote volume',
  'feeConfig buybackRecipient system eventAuthority program',
)

/** The forms of a trade, by the name that the program logs. */
const FORMS = {
  Buy: { discriminator: '66063d1201daebea', accounts: buyAccounts },
  BuyExactSolIn: { discriminator: '38fc74089edfcd5f', accounts: buyAccounts },
  Sell: { discriminator: '33e685a4017f83ad', accounts: sellAccounts },
  BuyV2: { discriminator: 'b817ee6167c5d33d', accounts: buyV2Accounts },
  SellV2: { discriminator: '5df6823ce7e940b2', accounts: sellV2Accounts },
  BuyV3: { discriminator: '07051dc4f5176550', accounts: v3Accounts },
  BuyExactQuoteInV3: { discriminator: 'e1f7501ed5b38488', accounts: v3Accounts },
  SellV3: { discriminator: '1c92de7726c469d5', accounts: v3Accounts },
}

/**
 * Writes a buy or sell on a curve. With fees kept in the curve it is `buy_v3`, `buy_exact_quote_in_v3` or `sell_v3`;
 * otherwise `buy`, `buy_exact_sol_in` and `sell`, or with a quote other than SOL `buy_v2` and `sell_v2`.
 */
export function writePumpfunTrade(trade: PumpfunTrade): Call {
  const { curve, user } = trade
  const name = nameOf(trade)
  return {
    program: PUMPFUN_PROGRAM,
    accounts: FORMS[name].accounts({
      ...curve,
      user,
      userTokens: trade.userTokens,
      userQuote: trade.userQuote ?? user,
      quoteMint: curve.quote?.mint ?? WRAPPED_SOL_MINT,
      // The derived account for a curve priced in SOL, which need not exist.
      curveQuote: curve.quote?.curveQuote ?? curve.creatorVault,
    }),
    data: writeArguments(trade, FORMS[name].discriminator),
    steps: [
      `log: Instruction: ${name}`,
      writeTokenLeg(trade),
      ...writeQuoteLegs(trade),
      ...writeTradeEvents(trade).flatMap(writePumpfunEvent),
    ],
  }
}

function nameOf({ curve, isBuy, isExactIn, keepsFees }: PumpfunTrade): keyof typeof FORMS {
  if (keepsFees) return isBuy ? (isExactIn ? 'BuyExactQuoteInV3' : 'BuyV3') : 'SellV3'
  if (curve.quote) return isBuy ? 'BuyV2' : 'SellV2'
  return isBuy ? (isExactIn ? 'BuyExactSolIn' : 'Buy') : 'Sell'
}

function writeArguments(trade: PumpfunTrade, discriminator: string): Uint8Array {
  const { curve, isBuy, keepsFees } = trade
  const tokenAmount = trade.tokenAmount + (trade.beyond?.base ?? 0n)
  const quoteAmount = trade.quoteAmount + (trade.beyond?.quote ?? 0n)
  const total = quoteAmount + trade.fee + trade.creatorFee

  const data = new ByteWriter(25).bytes(Buffer.from(discriminator, 'hex'))
  if (isBuy && trade.isExactIn && (keepsFees || !curve.quote)) data.u64(total, (tokenAmount * 9n) / 10n)
  else data.u64(tokenAmount, isBuy ? (total * 11n) / 10n : (quoteAmount * 9n) / 10n)
  // Whether partial fills are allowed (v3), or whether to track the volume (before v2).
  if (isBuy && (keepsFees || !curve.quote)) data.u8(1)
  return data.finish()
}

function writeTokenLeg(trade: PumpfunTrade): Call {
  const { curve, user, userTokens } = trade
  const amount = trade.tokenAmount + (trade.beyond?.base ?? 0n)
  return trade.isBuy
    ? writeLeg(coinOf(curve), curve.curveTokens, userTokens, curve.curve, amount)
    : writeLeg(coinOf(curve), userTokens, curve.curveTokens, user, amount)
}

/** A sell pays lamports from the curve without a call; only tokens visibly move both ways. */
function writeQuoteLegs(trade: PumpfunTrade): Step[] {
  const { curve, isBuy, user } = trade
  const traded = trade.quoteAmount + (trade.beyond?.quote ?? 0n)
  const kept = trade.keepsFees ? trade.fee + trade.creatorFee - trade.buybackFee : 0n
  if (curve.quote === undefined) {
    if (!isBuy) return []
    return trade.keepsFees
      ? [
          writeLamportTransfer(user, curve.curve, traded + kept),
          writeLamportTransfer(user, FIXED.buybackRecipient, trade.buybackFee),
        ]
      : [
          writeLamportTransfer(user, curve.creatorVault, trade.creatorFee),
          writeLamportTransfer(user, curve.curve, traded),
          writeLamportTransfer(user, FIXED.feeRecipient, trade.fee),
        ]
  }
  if (!trade.userQuote) throw new Error('a curve not priced in SOL needs its quote account')
  const { userQuote } = trade
  const { curveQuote } = curve.quote
  const mint = { key: curve.quote.mint, decimals: curve.quote.decimals, tokenProgram: TOKEN_PROGRAM }
  const [from, to, authority] = isBuy ? [userQuote, curveQuote, user] : [curveQuote, userQuote, curve.curve]
  const paid = isBuy ? traded + kept : traded - kept - trade.buybackFee
  const steps = [writeLeg(mint, from, to, authority, paid)]
  if (trade.buybackFee > 0n)
    steps.push(writeLeg(mint, from, FIXED.buybackRecipient, authority, trade.buybackFee))
  return steps
}
