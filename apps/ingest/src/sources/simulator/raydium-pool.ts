import type { TokenMovement } from '@pairwire/chain-writer'
import {
  type Call,
  RAYDIUM_AMM_V4_AUTHORITY,
  RAYDIUM_CPMM_AUTHORITY,
  type RaydiumAmmV4Form,
  type RaydiumAmmV4Pool,
  type RaydiumCpmmPool,
  writeRaydiumAmmV4Initialize,
  writeRaydiumAmmV4Swap,
  writeRaydiumCpmmInitialize,
  writeRaydiumCpmmSwap,
} from '@pairwire/chain-writer'
import { type Account, createAccount, type Token } from './accounts.ts'
import { knownToken } from './pair-token.ts'
import type { Random } from './random.ts'
import type { Fill, Meant, Order, Venue } from './venue.ts'

/** What {@link RaydiumVenue.create} needs; accounts and amounts of the stream's base and quote. */
export type PoolOpening = Readonly<{
  creator: Uint8Array
  creatorBase: Uint8Array
  creatorQuote: Uint8Array
  timestamp: number
  migration: 'raydium_launchpad' | null
  /** Null where the call that makes the pool names no platform. */
  launchpad: 'raydium_launchlab' | null
}>

/** A pool of Raydium AMM v4 or CPMM. */
export type RaydiumVenue = Venue & {
  readonly pool: Account
  readonly baseVault: Uint8Array
  readonly quoteVault: Uint8Array
  readonly lpMint: Uint8Array
  /** Base58 of who owns the vaults. */
  readonly vaultOwner: string
  reserves: Readonly<{ base: bigint; quote: bigint }>
  create(opening: PoolOpening): { call: Call; meant: Meant }
}

/** One swap, as both programs' writers take it. */
type SwapLegs = Readonly<{
  order: Order
  isBaseIn: boolean
  source: Uint8Array
  destination: Uint8Array
  amountIn: bigint
  amountOut: bigint
  fee: bigint
}>

/** The fee that stays in the pool. */
const FEE_BASIS_POINTS = 25n

/** A pool of AMM v4. `isBaseCoin` false makes the stream's base the program's pc, as many pools have it. */
export function createRaydiumAmmV4Pool(
  random: Random,
  base: Token,
  quote: Token,
  amounts: Readonly<{ base: bigint; quote: bigint }>,
  isBaseCoin = true,
): RaydiumVenue {
  const [coin, pc] = isBaseCoin ? [base, quote] : [quote, base]
  const amm = createAccount(random)
  const pool: RaydiumAmmV4Pool = {
    amm: amm.key,
    openOrders: random.bytes(32),
    targetOrders: random.bytes(32),
    market: random.bytes(32),
    lpMint: random.bytes(32),
    coinMint: coin.key,
    pcMint: pc.key,
    coinVault: random.bytes(32),
    pcVault: random.bytes(32),
    coinDecimals: coin.decimals,
    pcDecimals: pc.decimals,
  }
  return createPool(base, quote, amounts, {
    pool: amm,
    baseVault: isBaseCoin ? pool.coinVault : pool.pcVault,
    quoteVault: isBaseCoin ? pool.pcVault : pool.coinVault,
    lpMint: pool.lpMint,
    vaultOwner: RAYDIUM_AMM_V4_AUTHORITY,
    writeCreate: (opening, reserves) =>
      writeRaydiumAmmV4Initialize({
        pool,
        user: opening.creator,
        userCoin: isBaseCoin ? opening.creatorBase : opening.creatorQuote,
        userPc: isBaseCoin ? opening.creatorQuote : opening.creatorBase,
        userLp: random.bytes(32),
        coinAmount: isBaseCoin ? reserves.base : reserves.quote,
        pcAmount: isBaseCoin ? reserves.quote : reserves.base,
        openTime: opening.timestamp,
      }),
    writeSwap: (legs, reserves) =>
      writeRaydiumAmmV4Swap({
        pool,
        form: random.pick(FORMS),
        isCoinIn: legs.isBaseIn === isBaseCoin,
        owner: legs.order.authority,
        userSource: legs.source,
        userDestination: legs.destination,
        sourceBalance: legs.amountIn,
        amountIn: legs.amountIn,
        amountOut: legs.amountOut,
        coinReserves: isBaseCoin ? reserves.base : reserves.quote,
        pcReserves: isBaseCoin ? reserves.quote : reserves.base,
      }),
  })
}

/** The forms of a swap, about as often as they are seen. */
const FORMS: readonly RaydiumAmmV4Form[] = [
  { accounts: 18, isBaseIn: true },
  { accounts: 18, isBaseIn: true },
  { accounts: 17, isBaseIn: true },
  { accounts: 'v2', isBaseIn: true },
  { accounts: 18, isBaseIn: false },
  { accounts: 'v2', isBaseIn: false },
]

/** A pool of CPMM. */
export function createRaydiumCpmmPool(
  random: Random,
  base: Token,
  quote: Token,
  amounts: Readonly<{ base: bigint; quote: bigint }>,
): RaydiumVenue {
  const isBaseFirst = Buffer.compare(base.key, quote.key) < 0
  const [token0, token1] = isBaseFirst ? [base, quote] : [quote, base]
  const account = createAccount(random)
  const pool: RaydiumCpmmPool = {
    pool: account.key,
    token0,
    token1,
    vault0: random.bytes(32),
    vault1: random.bytes(32),
    lpMint: random.bytes(32),
    observation: random.bytes(32),
  }
  return createPool(base, quote, amounts, {
    pool: account,
    baseVault: isBaseFirst ? pool.vault0 : pool.vault1,
    quoteVault: isBaseFirst ? pool.vault1 : pool.vault0,
    lpMint: pool.lpMint,
    vaultOwner: RAYDIUM_CPMM_AUTHORITY,
    writeCreate: (opening, reserves) =>
      writeRaydiumCpmmInitialize({
        pool,
        creator: opening.creator,
        creator0: isBaseFirst ? opening.creatorBase : opening.creatorQuote,
        creator1: isBaseFirst ? opening.creatorQuote : opening.creatorBase,
        creatorLp: random.bytes(32),
        amount0: isBaseFirst ? reserves.base : reserves.quote,
        amount1: isBaseFirst ? reserves.quote : reserves.base,
        openTime: opening.timestamp,
      }),
    writeSwap: (legs, reserves) =>
      writeRaydiumCpmmSwap({
        pool,
        isToken0In: legs.isBaseIn === isBaseFirst,
        isBaseInput: random.chance(0.9),
        isOldEvent: random.chance(0.2),
        payer: legs.order.authority,
        inputAccount: legs.source,
        outputAccount: legs.destination,
        amountIn: legs.amountIn,
        amountOut: legs.amountOut,
        tradeFee: legs.fee,
        inputReserves: legs.isBaseIn ? reserves.base : reserves.quote,
        outputReserves: legs.isBaseIn ? reserves.quote : reserves.base,
      }),
  })
}

type Reserves = RaydiumVenue['reserves']

function createPool(
  base: Token,
  quote: Token,
  amounts: Reserves,
  parts: Pick<RaydiumVenue, 'pool' | 'baseVault' | 'quoteVault' | 'lpMint' | 'vaultOwner'> & {
    writeCreate(opening: PoolOpening, reserves: Reserves): Call
    writeSwap(legs: SwapLegs, reserves: Reserves): Call
  },
): RaydiumVenue {
  const { writeCreate, writeSwap, ...accounts } = parts
  const venue: RaydiumVenue = {
    ...accounts,
    base,
    quote,
    address: accounts.pool.key,
    takesLamports: false,
    heat: 1,
    mood: 0.5,
    reserves: amounts,
    depth: () => venue.reserves,
    create: (opening) => ({
      call: writeCreate(opening, venue.reserves),
      meant: {
        kind: 'newPair',
        exchange: 'raydium',
        launchpad: opening.launchpad,
        ammAccount: venue.pool.address,
        baseToken: knownToken(base),
        quoteToken: knownToken(quote),
        baseTokenLiquidityAdded: venue.reserves.base,
        quoteTokenLiquidityAdded: venue.reserves.quote,
        migration: opening.migration,
      },
    }),
    fill: (order) => fill(venue, order, writeSwap),
  }
  return venue
}

function fill(
  venue: RaydiumVenue,
  order: Order,
  writeSwap: (legs: SwapLegs, reserves: Reserves) => Call,
): Fill | undefined {
  const { reserves } = venue
  const { amountIn } = order
  const isBaseIn = order.side === 'sell'
  const [reserveIn, reserveOut] = isBaseIn ? [reserves.base, reserves.quote] : [reserves.quote, reserves.base]
  const fee = (amountIn * FEE_BASIS_POINTS + 9_999n) / 10_000n
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
    call: writeSwap({ order, isBaseIn, source, destination, amountIn, amountOut, fee }, reserves),
    amountIn,
    amountOut,
    meant: {
      kind: 'swap',
      exchange: 'raydium',
      launchpad: null,
      ammAccount: venue.pool.address,
      baseTokenMint: venue.base.address,
      quoteTokenMint: venue.quote.address,
      walletAccount: order.walletAddress,
      swapType: order.side,
      baseAmount: isBaseIn ? amountIn : amountOut,
      quoteAmount: isBaseIn ? amountOut : amountIn,
      baseDecimals: venue.base.decimals,
      quoteDecimals: venue.quote.decimals,
      quoteTokenLiquidity: after.quote,
    },
    movements: vaultMovements(venue, reserves, after),
    commit: () => {
      venue.reserves = after
    },
  }
}

/** How both vaults of a pool move; `before` null at its creation. */
export function vaultMovements(
  venue: RaydiumVenue,
  before: Reserves | null,
  after: Reserves,
): readonly TokenMovement[] {
  const { baseVault, quoteVault, vaultOwner: owner, base, quote } = venue
  return [
    {
      account: baseVault,
      mint: base.address,
      owner,
      decimals: base.decimals,
      before: before?.base ?? null,
      after: after.base,
    },
    {
      account: quoteVault,
      mint: quote.address,
      owner,
      decimals: quote.decimals,
      before: before?.quote ?? null,
      after: after.quote,
    },
  ]
}
