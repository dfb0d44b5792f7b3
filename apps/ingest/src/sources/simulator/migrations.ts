import {
  RAYDIUM_LAUNCHLAB_AUTHORITY_KEY,
  writePumpfunMigrate,
  writePumpswapInitBoost,
  writeRaydiumLaunchlabMigrate,
} from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { type Account, createAccount, movementOf } from './accounts.ts'
import { type Composed, Composer, type Place } from './composer.ts'
import type { LaunchlabVenue } from './launchlab-curve.ts'
import { Pool } from './pool.ts'
import { PUMPFUN_MIGRATION_FEE, type PumpfunVenue } from './pumpfun-curve.ts'
import { PumpswapVenue } from './pumpswap-pool.ts'
import type { Random } from './random.ts'
import type { Venue } from './venue.ts'

/** A migration's transaction, and the pool where its token trades from then on. */
export type Migration = Readonly<{ composed: Composed; pool: Venue }>

/** Share of a new pool's quote set aside to buy its coin back, in ten thousandths of its base's share of the supply. */
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
  const amounts = curve.poolAmounts()
  const pool = new PumpswapVenue(random, base, quote, amounts, { creator: accounts.creator })
  const [creatorBase, creatorQuote] = [random.bytes(32), random.bytes(32)]
  const boost = { vault: random.bytes(32), amount: (amounts.quote * BOOST_SHARE) / 10_000n }
  const { blockTime: timestamp } = place
  const created = pool.create({ creator: authority.key, creatorBase, creatorQuote }, timestamp, boost)
  const call = writePumpfunMigrate({
    curve: accounts,
    user: caller.key,
    pool: pool.address,
    poolAuthority: authority.key,
    authorityTokens: creatorBase,
    authorityQuote: creatorQuote,
    quoteMint: quote.key,
    lpMint: pool.accounts.lpMint,
    poolTokens: pool.accounts.baseVault,
    poolQuote: pool.accounts.quoteVault,
    tokenAmount: amounts.base,
    quoteAmount: amounts.quote,
    migrationFee: PUMPFUN_MIGRATION_FEE,
    timestamp,
    createPool: created.calls[0]!,
    initBoost: writePumpswapInitBoost({
      pool: pool.accounts,
      creator: authority.key,
      curve: accounts.curve,
      boostVault: boost.vault,
      amount: boost.amount,
      vaultAfter: amounts.quote - boost.amount,
      timestamp,
    }),
  })
  const composer = new Composer(random, [caller.key])
  composer.create({ ...created, calls: [call] })
  composer.move(movementOf(base, accounts.curveTokens, encodeBase58(curve.address), amounts.base, 0n))
  return { composed: composer.finish(place), pool }
}

/** Moves a completed LaunchLab curve to CPMM or AMM v4, as its creator chose. */
export function migrateLaunchlab(
  random: Random,
  curve: LaunchlabVenue,
  caller: Account,
  place: Place,
): Migration {
  const { base, quote, accounts } = curve
  const amounts = curve.poolAmounts()
  const pool = new Pool(random, curve.migratesToCpmm ? 'cpmm' : 'amm_v4', base, quote, amounts)
  const created = pool.create({
    creator: RAYDIUM_LAUNCHLAB_AUTHORITY_KEY,
    creatorBase: accounts.baseVault,
    creatorQuote: accounts.quoteVault,
    timestamp: place.blockTime,
    migration: 'raydium_launchpad',
    launchpad: curve.migratesToCpmm ? 'raydium_launchlab' : null,
  })

  const call = writeRaydiumLaunchlabMigrate({
    curve: accounts,
    payer: caller.key,
    pool: pool.address,
    lpMint: pool.accounts.lpMint,
    poolBaseVault: pool.baseVault,
    poolQuoteVault: pool.quoteVault,
    lpAccount: random.bytes(32),
    createPool: created.calls[0]!,
  })
  const composer = new Composer(random, [caller.key])
  composer.create({ ...created, calls: [call] })
  for (const movement of curve.emptied()) composer.move(movement)
  return { composed: composer.finish(place), pool }
}
