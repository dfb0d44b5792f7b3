import { OPEN_VENUES, TOKEN_PROGRAM } from '@pairwire/chain-writer'
import { type Account, createAccount, createToken, holdingOf, type Token } from './accounts.ts'
import { Composer, type Place } from './composer.ts'
import { makeToken } from './make-token.ts'
import { Pool } from './pool.ts'
import type { Random } from './random.ts'
import type { InventName } from './words.ts'

/** A token without a launchpad: created in one transaction, with its pool in a later one. */
export type Listing = ReturnType<typeof createListing>

const DECIMALS = 6
const SUPPLY = 1_000_000_000_000_000n

/** Plans a token of `creator` and its pool at one of the venues. */
export function createListing(random: Random, quote: Token, creator: Account, inventName: InventName) {
  const token = createToken(createAccount(random), DECIMALS, TOKEN_PROGRAM)
  const name = inventName(random, token.address)
  const venue = random.pick(OPEN_VENUES)
  const amounts = { base: SUPPLY / 2n, quote: BigInt(Math.floor(random.logNormal(60, 0.6) * 1e9)) }
  const holding = holdingOf(token, creator, random)
  holding.amount = SUPPLY

  return {
    makeToken: (place: Place) => makeToken(random, { token, creator, name, supply: SUPPLY }, place),

    openPool(place: Place) {
      const pool = new Pool(random, venue, token, quote, amounts)
      const composer = new Composer(random, [creator.key])
      const trader = composer.trader(pool, creator)
      composer.create(
        pool.create({
          creator: creator.key,
          creatorBase: holding.account,
          creatorQuote: trader.quoteAccount,
          timestamp: place.blockTime,
          migration: null,
          launchpad: null,
        }),
      )
      composer.deposit(pool, trader, amounts)()
      return { composed: composer.finish(place), pool }
    },
  }
}
