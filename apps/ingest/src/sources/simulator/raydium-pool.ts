import {
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
import { createAccount, type Token } from './accounts.ts'
import { createPool, type PoolVenue } from './pool.ts'
import type { Random } from './random.ts'

/** A pool of AMM v4. `isBaseCoin` false makes the stream's base the program's pc, as many pools have it. */
export function createRaydiumAmmV4Pool(
  random: Random,
  base: Token,
  quote: Token,
  amounts: Readonly<{ base: bigint; quote: bigint }>,
  isBaseCoin = true,
): PoolVenue {
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
    exchange: 'raydium',
    statesReserves: true,
    writeCreate: (opening, reserves) => [
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
    ],
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
): PoolVenue {
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
    exchange: 'raydium',
    statesReserves: true,
    writeCreate: (opening, reserves) => [
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
    ],
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
