import type { DecodedEvent } from '../decoded.ts'

/** A decoded event as flat plain text values, for comparison with expectations from elsewhere. */
export type DescribedEvent = Readonly<Record<string, string | null>>

/** Returns every member of the event; of a pair's tokens the mints, and name, symbol and uri of the base. */
export function describeEvent(event: DecodedEvent): DescribedEvent {
  const { kind, exchange, launchpad, ammAccount } = event
  const common = { kind, exchange, launchpad, ammAccount }
  if (event.kind === 'swap') {
    const { baseTokenMint, quoteTokenMint, walletAccount, swapType, quoteTokenLiquidity } = event
    return {
      ...common,
      baseTokenMint,
      quoteTokenMint,
      walletAccount,
      swapType,
      baseAmount: `${event.baseAmount}`,
      quoteAmount: `${event.quoteAmount}`,
      quoteTokenLiquidity: quoteTokenLiquidity === null ? null : `${quoteTokenLiquidity}`,
    }
  }
  const { baseToken, quoteToken, migration } = event
  return {
    ...common,
    baseTokenMint: baseToken.mint,
    quoteTokenMint: quoteToken.mint,
    name: baseToken.name,
    symbol: baseToken.symbol,
    uri: baseToken.uri,
    migration,
    baseTokenLiquidityAdded: `${event.baseTokenLiquidityAdded}`,
    quoteTokenLiquidityAdded: `${event.quoteTokenLiquidityAdded}`,
  }
}
