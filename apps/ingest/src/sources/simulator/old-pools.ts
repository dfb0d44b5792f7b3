import { TOKEN_PROGRAM } from '@pairwire/chain-writer'
import { type Account, createAccount, createToken, holdingOf, type Quotes, type Token } from './accounts.ts'
import { Pool } from './pool.ts'
import { PumpswapVenue } from './pumpswap-pool.ts'
import type { Random } from './random.ts'
import type { Venue } from './venue.ts'

/** US dollars per SOL when the market opens. */
const FIRST_SOL_PRICE = 168.4

/** Creates the pools that exist before the market begins; they stay. */
export function createOldPools(random: Random, quotes: Quotes, population: { pick(): Account }) {
  const token = (decimals: number, supply: number): Token => {
    const made = createToken(createAccount(random), decimals, TOKEN_PROGRAM)
    // Older tokens have holders.
    for (let count = 0; count < 200; count++) {
      const holding = holdingOf(made, population.pick(), random)
      holding.amount += BigInt(Math.floor(random.logNormal(supply / 5_000, 1)))
    }
    return made
  }
  const inQuote = (quote: Token, sol: number) =>
    BigInt(Math.floor(quote === quotes.sol ? sol * 1e9 : sol * FIRST_SOL_PRICE * 1e6))
  const heated = <Made extends Venue>(venue: Made, heat: number): Made => {
    venue.heat = heat
    return venue
  }
  const amounts = (quote: Token, sol: number, base: number) => ({
    base: BigInt(Math.floor(base)),
    quote: inQuote(quote, sol),
  })

  const { sol, usdc, usdt } = quotes
  // Two, as the price of SOL is never believed from a single one.
  const solPools = [
    heated(new Pool(random, 'amm_v4', sol, usdc, amounts(usdc, 60_000, 6e13)), 7),
    heated(new Pool(random, 'cpmm', sol, usdt, amounts(usdt, 30_000, 3e13)), 2),
  ] as const
  const stable = [
    heated(new Pool(random, 'cpmm', token(6, 1e15), usdc, amounts(usdc, 4_000, 2e14)), 2),
    heated(new Pool(random, 'amm_v4', token(8, 1e17), usdt, amounts(usdt, 2_500, 3e16)), 1),
  ]
  const all: Venue[] = [
    ...solPools,
    ...stable,
    heated(new Pool(random, 'amm_v4', token(6, 1e15), sol, amounts(sol, 6_000, 1.5e14)), 4),
    heated(new Pool(random, 'amm_v4_reversed', token(5, 1e16), sol, amounts(sol, 1_800, 2e15)), 3),
    heated(new Pool(random, 'amm_v4_reversed', token(9, 1e18), sol, amounts(sol, 240, 8e16)), 1),
    heated(new Pool(random, 'cpmm', token(6, 1e15), sol, amounts(sol, 900, 1e14)), 3),
    heated(new Pool(random, 'cpmm', token(9, 1e18), sol, amounts(sol, 150, 6e16)), 1),
    heated(new PumpswapVenue(random, token(6, 1e15), sol, amounts(sol, 2_200, 9e13)), 5),
    heated(new PumpswapVenue(random, token(6, 1e15), sol, amounts(sol, 420, 1.6e14)), 4),
    heated(new PumpswapVenue(random, token(6, 1e15), sol, amounts(sol, 120, 2e14)), 2),
    heated(
      new PumpswapVenue(random, token(6, 1e15), sol, amounts(sol, 300, 1e14), { isReversed: true }),
      1.5,
    ),
    heated(new PumpswapVenue(random, token(6, 1e15), usdc, amounts(usdc, 350, 1.2e14)), 1.5),
    heated(new Pool(random, 'raydium_clmm', token(6, 1e15), sol, amounts(sol, 1_500, 1.1e14)), 2),
    heated(new Pool(random, 'raydium_clmm', token(9, 1e18), usdc, amounts(usdc, 700, 4e16)), 1),
    heated(new Pool(random, 'orca_whirlpool', token(6, 1e15), sol, amounts(sol, 1_100, 9e13)), 2),
    heated(new Pool(random, 'orca_whirlpool', token(9, 1e18), usdc, amounts(usdc, 500, 2e16)), 1),
    heated(new Pool(random, 'meteora_dlmm', token(6, 1e15), sol, amounts(sol, 1_300, 8e13)), 2),
    heated(new Pool(random, 'meteora_damm_v2', token(6, 1e15), sol, amounts(sol, 400, 2e14)), 1.5),
    heated(new Pool(random, 'meteora_damm', token(9, 1e18), sol, amounts(sol, 200, 5e16)), 0.7),
    heated(new Pool(random, 'meteora_dbc', token(6, 1e15), sol, amounts(sol, 60, 5e14)), 1.5),
    heated(new Pool(random, 'heaven', token(9, 1e18), sol, amounts(sol, 50, 6e17)), 0.5),
    heated(new Pool(random, 'byreal', token(6, 1e15), usdc, amounts(usdc, 300, 9e13)), 0.5),
    heated(new Pool(random, 'pancakeswap', token(6, 1e15), sol, amounts(sol, 260, 7e13)), 0.5),
  ]
  return { all, solPools, stable, solPrice: FIRST_SOL_PRICE }
}
