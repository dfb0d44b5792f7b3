import {
  OPEN_VENUES,
  TOKEN_PROGRAM,
  writeCreateMetadata,
  writeInitializeMint,
  writeMintTo,
  writeRevokeMintAuthority,
} from '@pairwire/chain-writer'
import { type Account, createAccount, createToken, holdingOf, type Token } from './accounts.ts'
import { type Composed, createComposer, type Place } from './composer.ts'
import { createOtherPool } from './other-pool.ts'
import { type PoolVenue, vaultMovements } from './pool.ts'
import type { Random } from './random.ts'
import { inventName } from './words.ts'

/** A token of somebody's own, without a launchpad: made in one transaction, given its pool in a later one. */
export type Listing = Readonly<{
  makeToken(place: Place): Composed
  openPool(place: Place): { composed: Composed; pool: PoolVenue }
}>

const DECIMALS = 6
const SUPPLY = 1_000_000_000_000_000n

/** Plans a token of `creator` and its pool at one of the venues. */
export function createListing(random: Random, quote: Token, creator: Account): Listing {
  const token = createToken(createAccount(random), DECIMALS, TOKEN_PROGRAM)
  const name = inventName(random)
  const venue = random.pick(OPEN_VENUES)
  const amounts = { base: SUPPLY / 2n, quote: BigInt(Math.floor(random.logNormal(60, 0.6) * 1e9)) }
  const holding = holdingOf(token, creator, random)
  holding.amount = SUPPLY

  return {
    makeToken(place) {
      const composer = createComposer(random, [creator.key, token.key])
      composer.call(writeInitializeMint(TOKEN_PROGRAM, token.key, DECIMALS, creator.key))
      composer.call(
        writeCreateMetadata({
          metadata: random.bytes(32),
          mint: token.key,
          mintAuthority: creator.key,
          payer: creator.key,
          ...name,
        }),
      )
      composer.call(writeMintTo(TOKEN_PROGRAM, token.key, holding.account, creator.key, SUPPLY))
      composer.call(writeRevokeMintAuthority(TOKEN_PROGRAM, token.key, creator.key))
      const movement = { account: holding.account, mint: token.address, owner: creator.address }
      composer.move({ ...movement, decimals: DECIMALS, before: null, after: SUPPLY })
      return composer.finish(place)
    },

    openPool(place) {
      const pool = createOtherPool(random, venue, token, quote, amounts)
      const composer = createComposer(random, [creator.key])
      const trader = composer.trader(pool, creator)
      const { calls, meant } = pool.create({
        creator: creator.key,
        creatorBase: holding.account,
        creatorQuote: trader.quoteAccount,
        timestamp: place.blockTime,
        migration: null,
        launchpad: null,
      })
      for (const call of calls) composer.call(call)
      composer.mean(meant)
      for (const movement of vaultMovements(pool, null, amounts)) composer.move(movement)
      composer.deposit(pool, trader, amounts)()
      return { composed: composer.finish(place), pool }
    },
  }
}
