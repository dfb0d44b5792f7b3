import type { Exchange } from '@pairwire/contract/exchanges'
import type { CallTree } from './call-tree.ts'
import type { DecodedNewPair, DecodedToken } from './decoded.ts'
import type { CreationSide, PoolCreation } from './decoder.ts'
import { isReversed } from './mint-rule.ts'
import { readTokenFacts } from './token-facts.ts'

/** The new pair that a creation gives, base and quote by the mint rule, tokens with all that the transaction tells. */
export function createNewPair(tree: CallTree, exchange: Exchange, creation: PoolCreation): DecodedNewPair {
  const reversed = isReversed(creation.base.mint, creation.quote.mint)
  const base = reversed ? creation.quote : creation.base
  const quote = reversed ? creation.base : creation.quote
  return {
    kind: 'newPair',
    exchange,
    launchpad: creation.migration === null ? (creation.launchpad ?? null) : creation.migration.launchpad,
    ammAccount: creation.pool,
    baseToken: createToken(tree, base),
    quoteToken: createToken(tree, quote),
    baseTokenLiquidityAdded: base.amount,
    quoteTokenLiquidityAdded: quote.amount,
    migration: creation.migration === null ? null : creation.migration.source,
  }
}

function createToken(tree: CallTree, side: CreationSide): DecodedToken {
  const facts = readTokenFacts(tree, side.mint)
  return {
    mint: side.mint,
    decimals: side.decimals ?? facts.decimals,
    supply: facts.supply ?? side.supply ?? null,
    name: side.name ?? facts.metadata?.name ?? null,
    symbol: side.symbol ?? facts.metadata?.symbol ?? null,
    uri: side.uri ?? facts.metadata?.uri ?? null,
    mintAuthority: facts.mintAuthority,
    freezeAuthority: facts.freezeAuthority,
  }
}
