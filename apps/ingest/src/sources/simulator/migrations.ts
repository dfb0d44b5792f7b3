import {
  RAYDIUM_LAUNCHLAB_AUTHORITY_KEY,
  writePumpfunMigrate,
  writePumpswapInitBoost,
  writeRaydiumLaunchlabMigrate,
} from '@pairwire/chain-writer'
import { type Account, createAccount, movementOf } from './accounts.ts'
import { type Composed, Composer, type Place } from './composer.ts'
import type { LaunchlabVenue } from './launchlab-curve.ts'
import { vaultMovements } from './pool.ts'
import { PUMPFUN_MIGRATION_FEE, type PumpfunVenue, poolOf } from './pumpfun-curve.ts'
import { createPumpswapPool } from './pumpswap-pool.ts'
import type { Random } from './random.ts'
import { createRaydiumAmmV4Pool, createRaydiumCpmmPool } from './raydium-pool.ts'
import type { Venue } from './venue.ts'

/** A migration's transaction and the pool where its token trades from then on. */
export type Migration = Readonly<{ composed: Composed; pool: Venue }>

/** Share of a new pool's quote that is set aside for buying its coin back, in ten thousandths: that of its base in the supply. */
const BOOST_SHARE = 2_069n

/** Moves a completed pump.fun curve to PumpSwap; anyone may call it. */
export function migratePumpfun(
  random: Random,
  curve: PumpfunVenue,
  caller: Account,
  place: Place,
): Migration {
  const { base, quote, accounts } = curve
  const authority = createAccount(random)
  const amounts = poolOf(curve)
  const pool = createPumpswapPool(random, base, quote, amounts)
  const authorityTokens = random.bytes(32)
  const authorityQuote = random.bytes(32)
  const created = pool.create({
    creator: authority.key,
    creatorBase: authorityTokens,
    creatorQuote: authorityQuote,
    timestamp: place.blockTime,
    isMigration: true,
  })
  const boost = (amounts.quote * BOOST_SHARE) / 10_000n
  const boostVault = random.bytes(32)

  const composer = new Composer(random, [caller.key])
  composer.call(
    writePumpfunMigrate({
      curve: accounts,
      user: caller.key,
      pool: pool.pool.key,
      poolAuthority: authority.key,
      authorityTokens,
      authorityQuote,
      quoteMint: quote.key,
      lpMint: pool.accounts.lpMint,
      poolTokens: pool.accounts.baseVault,
      poolQuote: pool.accounts.quoteVault,
      tokenAmount: amounts.base,
      quoteAmount: amounts.quote,
      migrationFee: PUMPFUN_MIGRATION_FEE,
      timestamp: place.blockTime,
      createPool: created.call,
      initBoost: writePumpswapInitBoost({
        pool: pool.accounts,
        creator: authority.key,
        curve: accounts.curve,
        boostVault,
        amount: boost,
        vaultAfter: amounts.quote - boost,
        timestamp: place.blockTime,
      }),
    }),
  )
  composer.mean(created.meant)
  pool.virtualQuote = boost
  const { baseVault, quoteVault } = pool.accounts
  const owner = pool.pool.address
  composer.move(movementOf(base, accounts.curveTokens, curve.curve.address, amounts.base, 0n))
  composer.move(movementOf(base, baseVault, owner, null, amounts.base))
  composer.move(movementOf(quote, quoteVault, owner, null, amounts.quote - boost))
  composer.move(movementOf(quote, boostVault, owner, null, boost))
  return { composed: composer.finish(place), pool }
}

/** Moves a completed LaunchLab curve to CPMM or AMM v4, as its creator chose. */
export function migrateLaunchlab(
  random: Random,
  curve: LaunchlabVenue,
  caller: Account,
  place: Place,
): Migration {
  const { base, quote, accounts, figures, state } = curve
  const amounts = { base: figures.supply - state.baseSold, quote: state.quoteRaised }
  const create = curve.migratesToCpmm ? createRaydiumCpmmPool : createRaydiumAmmV4Pool
  const pool = create(random, base, quote, amounts)
  const created = pool.create({
    creator: RAYDIUM_LAUNCHLAB_AUTHORITY_KEY,
    creatorBase: accounts.baseVault,
    creatorQuote: accounts.quoteVault,
    timestamp: place.blockTime,
    migration: 'raydium_launchpad',
    launchpad: curve.migratesToCpmm ? 'raydium_launchlab' : null,
  })

  const composer = new Composer(random, [caller.key])
  composer.call(
    writeRaydiumLaunchlabMigrate({
      curve: accounts,
      payer: caller.key,
      pool: pool.pool.key,
      lpMint: pool.lpMint,
      poolBaseVault: pool.baseVault,
      poolQuoteVault: pool.quoteVault,
      lpAccount: random.bytes(32),
      createPool: created.calls[0]!,
    }),
  )
  composer.mean(created.meant)
  for (const movement of vaultMovements(pool, null, amounts)) composer.move(movement)
  composer.move(curve.vaultMovement('base', amounts.base, 0n))
  composer.move(curve.vaultMovement('quote', amounts.quote + state.fees, state.fees))
  return { composed: composer.finish(place), pool }
}
