import { ByteReader } from '../byte-reader.ts'
import { bytesOfHex, DiscriminatorTable } from '../discriminator.ts'

/**
 * Boop in bytes: a curve that keeps what it raises as lamports.
 *
 * @see https://github.com/sevenlabs-hq/carbon (boop-decoder, 9dc3c3a)
 */
export const PROGRAM_ID = 'boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4'

/** What an instruction is to us. */
type BoopInstruction = 'buy' | 'sell' | 'deploy' | 'other'

/** Every instruction of the program by its discriminator. Its swaps on Raydium are Raydium's to tell. */
export const INSTRUCTIONS = new DiscriminatorTable<BoopInstruction>({
  '8a7f0e5b26577369': 'buy', // buy_token
  '6d3d28bbe6b087ae': 'sell', // sell_token
  b459c74ca8ecd98a: 'deploy', // deploy_bonding_curve
  '35e6ac544dae163d': 'deploy', // deploy_bonding_curve_fallback
  a5c73ed651360496: 'other', // add_operators
  '5e837db8b7187de5': 'other', // cancel_authority_transfer
  bd47bdef71423bbd: 'other', // close_bonding_curve_vault
  f95f7e5b51a253fa: 'other', // collect_meteora_trading_fees
  bd26cdea514d1901: 'other', // collect_trading_fees
  '51e95b84af1f978d': 'other', // complete_authority_transfer
  f6fe2125e1b029e8: 'other', // create_meteora_pool
  '412d774dccb25402': 'other', // create_raydium_pool
  '4e2cad1d84b404ac': 'other', // create_raydium_random_pool
  '5434cce4188cea4b': 'other', // create_token
  fdb87ec7ebe8aca2: 'other', // create_token_fallback
  a859631e753158e0: 'other', // deposit_into_raydium
  '2debe1b511da4082': 'other', // graduate
  afaf6d1f0d989bed: 'other', // initialize
  d22b65d7778c6ada: 'other', // initiate_authority_transfer
  adff94067a638c16: 'other', // lock_raydium_liquidity
  '2a145953de25046d': 'other', // remove_operators
  '607ee12fb9d5323a': 'other', // split_trading_fees
  '6bf883ef98ea3623': 'other', // swap_sol_for_tokens_on_raydium
  d8ac82942262d7a3: 'other', // swap_tokens_for_sol_on_raydium
  '365393c67b61da48': 'other', // toggle_paused
  '1d9efcbf0a53db63': 'other', // update_config
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a trade's accounts. */
export const TRADE_ACCOUNTS = { mint: 0, curve: 1, vault: 3, trader: 6 } as const
/** Places of a deployment's accounts. */
export const DEPLOY_ACCOUNTS = { mint: 0, curve: 2, vault: 4 } as const

/** First 8 bytes of sha256("event:TokenBoughtEvent") and of sha256("event:TokenSoldEvent"). */
export const BOUGHT_EVENT = bytesOfHex('4759de7cd7c0e68a')
export const SOLD_EVENT = bytesOfHex('ccefb64df1334d42')

/** A trade on the curve, in raw units. */
export type TradeEvent = Readonly<{
  mint: Uint8Array
  /** In a purchase, what went into the curve, without its fee. */
  amountIn: bigint
  /** In a sale, what the seller got; the curve paid the fee on top. */
  amountOut: bigint
  fee: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  return { mint: reader.key(), amountIn: reader.u64(), amountOut: reader.u64(), fee: reader.u64() }
}
