import {
  isFilledAtCreation,
  OPEN_VENUES,
  type OpenVenue,
  type VaultPool,
  type VaultVenue,
  vaultVenueProgram,
  writeVaultCreate,
  writeVaultSwap,
} from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { createAccount, type Token } from './accounts.ts'
import { createPool, type PoolVenue, type Reserves } from './pool.ts'
import type { Random } from './random.ts'

/** Venues whose base is the token with the smaller key. */
const BY_KEY: ReadonlySet<VaultVenue> = new Set(['raydium_clmm', 'pancakeswap', 'byreal', 'orca_whirlpool'])

/** A pool of one of the programs whose trades are read by their vaults. */
export function createOtherPool(
  random: Random,
  venue: VaultVenue,
  base: Token,
  quote: Token,
  amounts: Reserves,
): PoolVenue {
  const isBaseA = !BY_KEY.has(venue) || Buffer.compare(base.key, quote.key) < 0
  const [tokenA, tokenB] = isBaseA ? [base, quote] : [quote, base]
  const account = createAccount(random)
  const pool: VaultPool = {
    pool: account.key,
    tokenA,
    tokenB,
    vaultA: random.bytes(32),
    vaultB: random.bytes(32),
    other: random.bytes(32),
  }
  const inOrder = ({ base, quote }: Reserves) =>
    isBaseA ? ([base, quote] as const) : ([quote, base] as const)

  return createPool(base, quote, amounts, {
    pool: account,
    baseVault: isBaseA ? pool.vaultA : pool.vaultB,
    quoteVault: isBaseA ? pool.vaultB : pool.vaultA,
    lpMint: random.bytes(32),
    vaultOwner: encodeBase58(vaultVenueProgram(venue)),
    exchange: venue,
    ...(venue === 'heaven' ? { launchpad: venue } : {}),
    isFilledAtCreation: !isOpen(venue) || isFilledAtCreation(venue),
    statesReserves: venue === 'meteora_damm_v2',
    hidesReserve: venue === 'meteora_damm',
    writeCreate: ({ creator, creatorBase, creatorQuote }, reserves) => {
      if (!isOpen(venue)) throw new Error(`No pool of ${venue} is opened here.`)
      const [amountA, amountB] = inOrder(reserves)
      const [creatorA, creatorB] = isBaseA ? [creatorBase, creatorQuote] : [creatorQuote, creatorBase]
      return writeVaultCreate(venue, { pool, creator, creatorA, creatorB, amountA, amountB })
    },
    writeSwap: ({ order, isBaseIn, source, destination, amountIn, amountOut }, { base, quote }) => {
      const after = isBaseIn
        ? { base: base + amountIn, quote: quote - amountOut }
        : { base: base - amountOut, quote: quote + amountIn }
      const [reserveA, reserveB] = inOrder(after)
      return writeVaultSwap(venue, {
        pool,
        isAIn: isBaseIn === isBaseA,
        user: order.authority,
        inputAccount: source,
        outputAccount: destination,
        amountIn,
        amountOut,
        reserveA,
        reserveB,
      })
    },
  })
}

function isOpen(venue: VaultVenue): venue is OpenVenue {
  return (OPEN_VENUES as readonly VaultVenue[]).includes(venue)
}
