import { QUOTES } from '@pairwire/contract'
import type { Exchange } from '@pairwire/contract/exchanges'
import type { DecodedNewPair, DecodedToken } from './decoded.ts'
import type { CreationSide, PoolCreation } from './decoder.ts'
import { curveOf, isReversed, UNTOLD } from './swap.ts'
import type { TokenChanges } from './tokens/token-changes.ts'
import { addressOf, type CallTree } from './transaction/call-tree.ts'

/**
 * Makes the new pair of a creation, base and quote by the mint rule; `tokenOf` returns the details of a side's token,
 * and `payer` is who pays for the transaction, if known.
 */
export function createNewPair(
  exchange: Exchange,
  creation: PoolCreation,
  tokenOf: (side: CreationSide) => DecodedToken,
  payer: string | null = null,
): DecodedNewPair {
  const reversed = isReversed(creation.base.mint, creation.quote.mint)
  const base = reversed ? creation.quote : creation.base
  const quote = reversed ? creation.base : creation.quote
  return {
    kind: 'newPair',
    exchange,
    launchpad: (creation.migration ?? creation).launchpad ?? null,
    ammAccount: creation.pool,
    baseToken: tokenOf(base),
    quoteToken: tokenOf(quote),
    baseTokenLiquidityAdded: base.amount,
    quoteTokenLiquidityAdded: quote.amount,
    migration: creation.migration?.source ?? null,
    creator: creation.creator ?? payer,
    curve: curveOf(exchange, creation.curve ?? { ...UNTOLD, isComplete: false }),
  }
}

/** Reads a token of a new pair with all details in its transaction. */
export function readToken(tree: CallTree, tokens: TokenChanges, side: CreationSide): DecodedToken {
  const { mint } = side
  // A well-known mint is old: nothing in the transaction describes it.
  const change = QUOTES.has(mint) ? undefined : tokens.of(tree.indexOf(mint))
  const made = change !== undefined && change.decimals !== null && !change.isUnsure ? change : null
  return {
    mint,
    decimals: side.decimals ?? tree.decimalsOf(mint) ?? change?.decimals ?? null,
    supply: made?.supply ?? side.supply ?? null,
    name: side.name ?? change?.metadata.name ?? null,
    symbol: side.symbol ?? change?.metadata.symbol ?? null,
    uri: side.uri ?? change?.metadata.uri ?? null,
    mintAuthority: made?.mintAuthority ? addressOf(made.mintAuthority) : null,
    freezeAuthority: made?.freezeAuthority ? addressOf(made.freezeAuthority) : null,
  }
}
