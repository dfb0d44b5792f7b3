import { WRAPPED_SOL } from '@pairwire/contract'
import type { Launchpad } from '@pairwire/contract/exchanges'
import type { PoolTrade } from '../decoder.ts'
import { Refused } from '../refused.ts'
import type { Invocation } from '../transaction/invocation.ts'

/** Indexes of the accounts of a trade on a curve that keeps lamports. */
type CurveTradePlaces = Readonly<{ pool: number; authority: number; mint: number; vault: number }>

/** The program's event of it, in raw units. */
type CurveTrade = Readonly<{
  isBuy: boolean
  tokenAmount: bigint
  quoteAmount: bigint
  /** Base58; wrapped SOL if absent. */
  quoteMint?: string
  launchpad: Launchpad
}>

/**
 * Makes a trade on such a curve: the token's amount is the transfer in or out of its vault, the quote's the event's,
 * since lamports leave a program's account without a transfer.
 *
 * @throws Refused when the vault moved the other way.
 */
export function createCurveTrade(
  invocation: Invocation,
  { pool, authority, mint, vault }: CurveTradePlaces,
  { isBuy, tokenAmount, quoteAmount, quoteMint = WRAPPED_SOL, launchpad }: CurveTrade,
): PoolTrade {
  const account = invocation.account(vault)
  const moved = invocation.vaultFlow(account) ?? (isBuy ? -tokenAmount : tokenAmount)
  if (moved < 0n !== isBuy) throw new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(pool),
    wallet: invocation.wallet(authority),
    base: { mint: invocation.address(mint), amount: isBuy ? -moved : moved, vault: account },
    quote: { mint: quoteMint, amount: quoteAmount },
    givesBase: isBuy,
    launchpad,
  }
}
