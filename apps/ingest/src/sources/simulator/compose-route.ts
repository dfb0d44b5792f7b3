import { WRAPPED_SOL } from '@pairwire/contract'
import { type Account, holdingOf, programKey, type Token } from './accounts.ts'
import { type Composed, Composer, type Place, type RoutedFill } from './composer.ts'
import type { createOldPools } from './old-pools.ts'
import type { Random } from './random.ts'
import { writeRoute } from './router.ts'
import type { Venue } from './venue.ts'

/** One pool of a route, with the wallet's side of its base token there. */
export type RouteStep = Readonly<{ venue: Venue; side: 'buy' | 'sell' }>

/** What {@link composeRoute} needs. No step may be at a curve that takes lamports, and neither end may be SOL. */
type RoutePlan = Readonly<{
  wallet: Account
  path: readonly RouteStep[]
  /** Raw units paid into the first pool. */
  amountIn: bigint
  /** Whether an account of the router trades instead of the wallet, which the pools then do not see. */
  isShared: boolean
}>

/**
 * Composes a route over several pools in one transaction, where each pool's output is the next one's input, and applies
 * it to the market. Undefined when a pool gives nothing for it; then nothing has changed.
 */
export function composeRoute(random: Random, plan: RoutePlan, place: Place): Composed | undefined {
  const { wallet, path, amountIn, isShared } = plan
  const authority = isShared ? programKey(random.bytes(32)) : wallet.key
  const accounts = new Map<Token, Uint8Array>()
  const accountOf = (token: Token) => {
    const known = accounts.get(token)
    if (known) return known
    const isOwn = !isShared && token.address !== WRAPPED_SOL
    const account = isOwn ? holdingOf(token, wallet, random).account : random.bytes(32)
    accounts.set(token, account)
    return account
  }

  const fills: RoutedFill[] = []
  let amount = amountIn
  for (const { venue, side } of path) {
    const fill = venue.fill({
      side,
      amountIn: amount,
      authority,
      baseAccount: accountOf(venue.base),
      quoteAccount: accountOf(venue.quote),
      walletAddress: wallet.address,
      timestamp: place.blockTime,
    })
    if (!fill) return undefined
    const [given, got] = side === 'buy' ? [venue.quote, venue.base] : [venue.base, venue.quote]
    fills.push({ venue, fill, given, got })
    amount = fill.amountOut
  }

  const call = writeRoute(wallet.key, fills, isShared)
  const last = fills.at(-1)
  if (!last) return undefined
  const composer = new Composer(random, [wallet.key])
  const { base, quote } = last.venue
  composer.route({ wallet, baseAccount: accountOf(base), quoteAccount: accountOf(quote) }, call, fills)()
  return composer.finish(place)
}

/** Draws a path from one token over SOL to another, or from or to a stable token; empty if both are the same. */
export function drawPath(
  random: Random,
  routable: readonly Venue[],
  { solPools, stable }: ReturnType<typeof createOldPools>,
  mood: (venue: Venue) => number,
): readonly RouteStep[] {
  const to = random.pick(routable)
  if (random.chance(0.3 + 0.4 * mood(to))) {
    const from = random.pick(solPools)
    return [
      { venue: from, side: 'buy' },
      { venue: to, side: 'buy' },
    ]
  }
  const from = random.pick(routable)
  if (from === to) return []
  if (random.chance(0.5)) {
    return [
      { venue: from, side: 'sell' },
      { venue: to, side: 'buy' },
    ]
  }
  const last = random.pick(stable)
  const solPool = solPools.find(({ quote }) => quote === last.quote) ?? solPools[0]
  return [
    { venue: from, side: 'sell' },
    { venue: solPool, side: 'sell' },
    { venue: last, side: 'buy' },
  ]
}
