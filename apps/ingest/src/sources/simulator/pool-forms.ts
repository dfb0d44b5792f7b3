import {
  type Call,
  DBC_THRESHOLD,
  isFilledAtCreation,
  OPEN_VENUES,
  type OpenVenue,
  RAYDIUM_AMM_V4_AUTHORITY,
  RAYDIUM_CPMM_AUTHORITY,
  type RaydiumAmmV4Form,
  type VaultPool,
  type VaultVenue,
  vaultVenueProgram,
  writeRaydiumAmmV4Initialize,
  writeRaydiumAmmV4Swap,
  writeRaydiumCpmmInitialize,
  writeRaydiumCpmmSwap,
  writeVaultCreate,
  writeVaultSwap,
} from '@pairwire/chain-writer'
import { type Exchange, encodeBase58 } from '@pairwire/contract'
import type { Random } from './random.ts'

/** A pool's accounts; token A is the program's first. */
export type PoolAccounts = VaultPool & Readonly<{ lpMint: Uint8Array }>

/** A pool's reserves, in the program's order. */
export type OrderedReserves = Readonly<{ a: bigint; b: bigint }>

/** How a program writes its pools, and what decoding shows of them. */
export type PoolForm = Readonly<{
  exchange: Exchange
  /** Base58 of the vaults' owner. */
  vaultOwner: string
  /** Which of the stream's tokens comes first in the program. */
  first: 'base' | 'quote' | 'smallerKey'
  /** Whether the creation includes the first liquidity, without a separate call. */
  isFilledAtCreation?: boolean
  /** Whether the program itself reports the pool's reserves with each trade. */
  statesReserves?: boolean
  /** Whether decoding reads who the creation names as the creator. */
  namesCreator?: boolean
  /** Raw quote units at which a curve is complete. */
  threshold?: bigint
  /** Whether the vaults' contents tell nothing about the pool. */
  hidesReserve?: boolean
  writeCreate(
    creation: Readonly<{
      pool: PoolAccounts
      creator: Uint8Array
      creatorA: Uint8Array
      creatorB: Uint8Array
      amountA: bigint
      amountB: bigint
      timestamp: number
    }>,
    random: Random,
  ): readonly Call[]
  writeSwap(
    swap: Readonly<{
      pool: PoolAccounts
      isAIn: boolean
      user: Uint8Array
      inputAccount: Uint8Array
      outputAccount: Uint8Array
      amountIn: bigint
      amountOut: bigint
      fee: bigint
      before: OrderedReserves
      after: OrderedReserves
    }>,
    random: Random,
  ): Call
}>

/** Every kind of pool that {@link formOf} supports. */
export type PoolKind = keyof typeof RAYDIUM | VaultVenue

/** Returns the form of this kind of pool. */
export function formOf(kind: PoolKind): PoolForm {
  return isRaydium(kind) ? RAYDIUM[kind] : formOfVaults(kind)
}

const AMM_V4: PoolForm = {
  exchange: 'raydium',
  vaultOwner: RAYDIUM_AMM_V4_AUTHORITY,
  first: 'base',
  statesReserves: true,
  writeCreate: ({ pool, creator, creatorA, creatorB, amountA, amountB, timestamp }, random) => [
    writeRaydiumAmmV4Initialize({
      pool: ammOf(pool),
      user: creator,
      userCoin: creatorA,
      userPc: creatorB,
      userLp: random.bytes(32),
      coinAmount: amountA,
      pcAmount: amountB,
      openTime: timestamp,
    }),
  ],
  writeSwap: ({ pool, before, ...swap }, random) =>
    writeRaydiumAmmV4Swap({
      pool: ammOf(pool),
      form: random.pick(SWAP_FORMS),
      isCoinIn: swap.isAIn,
      owner: swap.user,
      userSource: swap.inputAccount,
      userDestination: swap.outputAccount,
      sourceBalance: swap.amountIn,
      amountIn: swap.amountIn,
      amountOut: swap.amountOut,
      coinReserves: before.a,
      pcReserves: before.b,
    }),
}

/** Its orders and its market are never read. */
function ammOf({ pool: amm, tokenA, tokenB, vaultA, vaultB, lpMint, other }: PoolAccounts) {
  return {
    ...{ amm, lpMint, openOrders: other, targetOrders: other, market: other },
    ...{ coinMint: tokenA.key, coinVault: vaultA, coinDecimals: tokenA.decimals },
    ...{ pcMint: tokenB.key, pcVault: vaultB, pcDecimals: tokenB.decimals },
  }
}

/** The forms of a swap of AMM v4, about as frequent as in reality. */
const SWAP_FORMS: readonly RaydiumAmmV4Form[] = [
  { accounts: 18, isBaseIn: true },
  { accounts: 18, isBaseIn: true },
  { accounts: 17, isBaseIn: true },
  { accounts: 'v2', isBaseIn: true },
  { accounts: 18, isBaseIn: false },
  { accounts: 'v2', isBaseIn: false },
]

const CPMM: PoolForm = {
  exchange: 'raydium',
  vaultOwner: RAYDIUM_CPMM_AUTHORITY,
  first: 'smallerKey',
  statesReserves: true,
  namesCreator: true,
  writeCreate: ({ pool, creator, creatorA, creatorB, amountA, amountB, timestamp }, random) => [
    writeRaydiumCpmmInitialize({
      pool: cpmmOf(pool),
      creator,
      creator0: creatorA,
      creator1: creatorB,
      creatorLp: random.bytes(32),
      amount0: amountA,
      amount1: amountB,
      openTime: timestamp,
    }),
  ],
  writeSwap: ({ pool, isAIn, before, user, fee, ...swap }, random) =>
    writeRaydiumCpmmSwap({
      ...swap,
      pool: cpmmOf(pool),
      isToken0In: isAIn,
      isBaseInput: random.chance(0.9),
      isOldEvent: random.chance(0.2),
      payer: user,
      tradeFee: fee,
      inputReserves: isAIn ? before.a : before.b,
      outputReserves: isAIn ? before.b : before.a,
    }),
}

function cpmmOf({ pool, tokenA, tokenB, vaultA, vaultB, lpMint, other }: PoolAccounts) {
  return { pool, token0: tokenA, token1: tokenB, vault0: vaultA, vault1: vaultB, lpMint, observation: other }
}

/** Raydium's older programs; many pools of AMM v4 have the quote first. */
const RAYDIUM = { amm_v4: AMM_V4, amm_v4_reversed: { ...AMM_V4, first: 'quote' }, cpmm: CPMM } as const

function isRaydium(kind: PoolKind): kind is keyof typeof RAYDIUM {
  return kind in RAYDIUM
}

/** Venues whose first token is the one with the smaller key. */
const BY_KEY: ReadonlySet<VaultVenue> = new Set(['raydium_clmm', 'pancakeswap', 'byreal', 'orca_whirlpool'])

/** Returns the form of a program whose trades are read from their vaults. */
function formOfVaults(venue: VaultVenue): PoolForm {
  return {
    exchange: venue,
    vaultOwner: encodeBase58(vaultVenueProgram(venue)),
    first: BY_KEY.has(venue) ? 'smallerKey' : 'base',
    isFilledAtCreation: !isOpen(venue) || isFilledAtCreation(venue),
    statesReserves: venue === 'meteora_damm_v2',
    hidesReserve: venue === 'meteora_damm',
    ...(venue === 'meteora_dbc' && { threshold: DBC_THRESHOLD }),
    writeCreate: (creation) => {
      if (!isOpen(venue)) throw new Error(`No pool of ${venue} is opened here.`)
      return writeVaultCreate(venue, creation)
    },
    writeSwap: ({ after, ...swap }) =>
      writeVaultSwap(venue, { ...swap, reserveA: after.a, reserveB: after.b }),
  }
}

function isOpen(venue: VaultVenue): venue is OpenVenue {
  return (OPEN_VENUES as readonly VaultVenue[]).includes(venue)
}
