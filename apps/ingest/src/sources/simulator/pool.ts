import type { Call, TokenMovement } from '@pairwire/chain-writer'
import type { Exchange, Launchpad } from '@pairwire/contract'
import { type Account, movementOf, type Token } from './accounts.ts'
import { knownToken, type Meant, meantPair, meantSwap } from './meant.ts'
import { ceilFee, type Fill, type Order, type Venue } from './venue.ts'

/** What {@link PoolVenue.create} needs; accounts and amounts of the stream's base and quote. */
type PoolOpening = Readonly<{
  creator: Uint8Array
  creatorBase: Uint8Array
  creatorQuote: Uint8Array
  timestamp: number
  migration: 'raydium_launchpad' | null
  /** Null where the call that makes the pool names no platform. */
  launchpad: Launchpad | null
}>

/** A pool of two vaults whose price is the ratio of what they hold. */
export type PoolVenue = Venue & {
  readonly pool: Account
  readonly baseVault: Uint8Array
  readonly quoteVault: Uint8Array
  readonly lpMint: Uint8Array
  /** Base58 of who owns the vaults. */
  readonly vaultOwner: string
  reserves: Readonly<{ base: bigint; quote: bigint }>
  create(opening: PoolOpening): { calls: readonly Call[]; meant: Meant }
}

/** One swap, as the programs' writers take it. */
type SwapLegs = Readonly<{
  order: Order
  isBaseIn: boolean
  source: Uint8Array
  destination: Uint8Array
  amountIn: bigint
  amountOut: bigint
  fee: bigint
}>

/** What a pool holds, raw units. */
export type Reserves = PoolVenue['reserves']

/** How a program writes its pools, and what is read of them. */
type PoolParts = Pick<PoolVenue, 'pool' | 'baseVault' | 'quoteVault' | 'lpMint' | 'vaultOwner'> & {
  exchange: Exchange
  /** Of its trades. */
  launchpad?: Launchpad
  /** Whether the first liquidity comes with the creation, and not by a call of its own. */
  isFilledAtCreation?: boolean
  /** Whether the program itself says with each trade what the pool holds. */
  statesReserves?: boolean
  /** Whether what the vaults hold tells nothing of the pool. */
  hidesReserve?: boolean
  writeCreate(opening: PoolOpening, reserves: Reserves): readonly Call[]
  /** `reserves` are those before the swap. */
  writeSwap(legs: SwapLegs, reserves: Reserves): Call
}

/** The fee that stays in the pool. */
const FEE_BASIS_POINTS = 25n

/** Makes a pool that holds `amounts`. */
export function createPool(base: Token, quote: Token, amounts: Reserves, parts: PoolParts): PoolVenue {
  const { pool, baseVault, quoteVault, lpMint, vaultOwner, isFilledAtCreation = true } = parts
  const venue: PoolVenue = {
    pool,
    baseVault,
    quoteVault,
    lpMint,
    vaultOwner,
    base,
    quote,
    address: pool.key,
    takesLamports: false,
    heat: 1,
    mood: 0.5,
    reserves: amounts,
    depth: () => venue.reserves,
    create: (opening) => ({
      calls: parts.writeCreate(opening, venue.reserves),
      meant: meantPair(knownToken(base), quote, {
        exchange: parts.exchange,
        launchpad: opening.launchpad,
        ammAccount: pool.address,
        migration: opening.migration,
        amounts: isFilledAtCreation ? venue.reserves : { base: 0n, quote: 0n },
      }),
    }),
    fill: (order) => fill(venue, order, parts),
  }
  return venue
}

function fill(venue: PoolVenue, order: Order, parts: PoolParts): Fill | undefined {
  const { reserves } = venue
  const { amountIn } = order
  const isBaseIn = order.side === 'sell'
  const [reserveIn, reserveOut] = isBaseIn ? [reserves.base, reserves.quote] : [reserves.quote, reserves.base]
  const fee = ceilFee(amountIn, FEE_BASIS_POINTS)
  const counted = amountIn - fee
  const amountOut = counted > 0n ? (reserveOut * counted) / (reserveIn + counted) : 0n
  if (amountOut <= 0n) return undefined

  const after = isBaseIn
    ? { base: reserves.base + amountIn, quote: reserves.quote - amountOut }
    : { base: reserves.base - amountOut, quote: reserves.quote + amountIn }
  const [source, destination] = isBaseIn
    ? [order.baseAccount, order.quoteAccount]
    : [order.quoteAccount, order.baseAccount]

  return {
    call: parts.writeSwap({ order, isBaseIn, source, destination, amountIn, amountOut, fee }, reserves),
    amountIn,
    amountOut,
    meant: meantSwap(venue, order, {
      exchange: parts.exchange,
      launchpad: parts.launchpad ?? null,
      ammAccount: venue.pool.address,
      baseAmount: isBaseIn ? amountIn : amountOut,
      quoteAmount: isBaseIn ? amountOut : amountIn,
      quoteTokenLiquidity: parts.hidesReserve ? null : after.quote,
      baseTokenLiquidity: parts.statesReserves ? after.base : null,
    }),
    movements: vaultMovements(venue, reserves, after),
    commit: () => {
      venue.reserves = after
    },
  }
}

/** How both vaults of a pool move; `before` null at its creation. */
export function vaultMovements(
  { baseVault, quoteVault, vaultOwner, base, quote }: PoolVenue,
  before: Reserves | null,
  after: Reserves,
): readonly TokenMovement[] {
  return [
    movementOf(base, baseVault, vaultOwner, before?.base ?? null, after.base),
    movementOf(quote, quoteVault, vaultOwner, before?.quote ?? null, after.quote),
  ]
}
