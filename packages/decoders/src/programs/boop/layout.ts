import { ByteReader } from '../../bytes/byte-reader.ts'
import { anchorName } from '../../bytes/discriminator.ts'

/**
 * Boop in bytes: a curve that keeps what it raises as lamports.
 *
 * @see https://github.com/sevenlabs-hq/carbon (boop-decoder, 9dc3c3a)
 */
export const PROGRAM_ID = 'boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4'

/** The program's instructions by their meaning to us. Its swaps on Raydium are decoded as Raydium's. */
export const INSTRUCTIONS = {
  buy: 'buy_token',
  sell: 'sell_token',
  deploy: 'deploy_bonding_curve deploy_bonding_curve_fallback',
  other: `
    add_operators cancel_authority_transfer close_bonding_curve_vault collect_meteora_trading_fees
    collect_trading_fees complete_authority_transfer create_meteora_pool create_raydium_pool
    create_raydium_random_pool create_token create_token_fallback deposit_into_raydium graduate initialize
    initiate_authority_transfer lock_raydium_liquidity remove_operators split_trading_fees
    swap_sol_for_tokens_on_raydium swap_tokens_for_sol_on_raydium toggle_paused update_config`,
} as const

/** Indexes of accounts. */
export const TRADE_ACCOUNTS = { mint: 0, pool: 1, vault: 3, authority: 6 } as const
export const DEPLOY_ACCOUNTS = { pool: 2, base: { mint: 0, vault: 4 } } as const

export const BOUGHT_EVENT = anchorName('event:TokenBoughtEvent')
export const SOLD_EVENT = anchorName('event:TokenSoldEvent')

/** A trade on the curve, in raw units. */
export type TradeEvent = Readonly<{
  mint: Uint8Array
  /** For a purchase, the amount into the curve, without its fee. */
  amountIn: bigint
  /** For a sale, the amount for the seller; the curve paid the fee on top. */
  amountOut: bigint
  fee: bigint
}>

/** `body` follows the discriminator. @throws TruncatedError when it ends too early. */
export function readTradeEvent(body: Uint8Array): TradeEvent {
  const reader = new ByteReader(body)
  return { mint: reader.key(), amountIn: reader.u64(), amountOut: reader.u64(), fee: reader.u64() }
}

/** `data` of a deployment, including the discriminator. @throws TruncatedError when it ends too early. */
export function readCreator(data: Uint8Array): Uint8Array {
  return new ByteReader(data, 8).key()
}
