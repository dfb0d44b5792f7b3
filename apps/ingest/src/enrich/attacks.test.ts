import { inCi } from '@pairwire/basics/testing/in-ci'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ATTACKS,
  type AttackedWorld,
  HONEST_POOLS,
  HONEST_PRICE,
  MANY_WALLETS_IN_MANY_POOLS,
  suffer,
} from '../testing/attacks.ts'
import { createPrices } from './prices.ts'

/** Share by which an attacker may move the price against the others. */
const BOUND = 0.01

const tiers = fc.constantFrom('known' as const, 'deep' as const)
const actions = fc.array(
  fc.record({
    pool: fc.integer({ min: 0, max: 6 }),
    wallet: fc.integer({ min: 0, max: 5 }),
    to: fc.oneof(
      fc.double({ min: 0.3, max: 3, noNaN: true }),
      fc.double({ min: 0.98, max: 1.02, noNaN: true }),
    ),
    washUsd: fc.constantFrom(0, 30, 1_000, 100_000, 1_000_000),
  }),
  { minLength: 1, maxLength: 12 },
)

type Action = Readonly<{ pool: number; wallet: number; to: number; washUsd: number }>

/** The attacker's trades in a block: in a pool of the honest up to index 2, else in one of its own. */
function* act({ honest, own }: AttackedWorld, list: readonly Action[]) {
  for (const { pool: at, wallet, to, washUsd } of list) {
    const pool = honest[at] ?? own(at, HONEST_PRICE * to, 2_000_000)
    yield pool.moveTo(HONEST_PRICE * to, `attacker ${wallet}`)
    if (washUsd === 0) continue
    yield pool.trade(washUsd, `attacker ${wallet}`)
    yield pool.trade(-washUsd, `attacker ${wallet}`)
  }
}

/** The same, with the honest pools back where they were when the block ends: otherwise it would cost more than fees. */
function* actAndUndo(world: AttackedWorld, list: readonly Action[]) {
  const before = world.honest.map((pool) => pool.price())
  yield* act(world, list)
  for (const [at, pool] of world.honest.entries()) yield pool.moveTo(before[at]!, 'attacker 0')
}

// Guards the USD value, which people filter and read by: a wrong price is worse than none.
describe('the price of SOL under attack', () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    it.each(['known', 'deep'] as const)(`holds and stays known when ${name}, next to %s pools`, (tier) => {
      const { worst, unknown } = suffer(createPrices, attack, HONEST_POOLS[tier])

      expect(worst).toBeLessThan(BOUND)
      expect(unknown).toBe(0)
    })
  }

  it('holds when many wallets trade in many pools of their own, next to known ones', () => {
    const { worst, unknown } = suffer(createPrices, MANY_WALLETS_IN_MANY_POOLS, HONEST_POOLS.known)

    expect(worst).toBe(0)
    expect(unknown).toBe(0)
  })

  it('is moved by no single wallet that pays only fees, whatever it does in whichever pools', () => {
    fc.assert(
      fc.property(tiers, fc.array(actions, { minLength: 1, maxLength: 10 }), (tier, blocks) => {
        const attack = (world: AttackedWorld, block: number) =>
          actAndUndo(
            world,
            blocks[block % blocks.length]!.map((action) => ({ ...action, wallet: 0 })),
          )

        expect(suffer(createPrices, attack, HONEST_POOLS[tier]).worst).toBeLessThan(BOUND)
      }),
      { numRuns: inCi(60, 20) },
    )
  })

  it('is moved by no single pool, however many wallets trade in it', () => {
    fc.assert(
      fc.property(
        tiers,
        fc.integer({ min: 0, max: 6 }),
        fc.array(actions, { minLength: 1, maxLength: 10 }),
        (tier, pool, blocks) => {
          const attack = (world: AttackedWorld, block: number) =>
            act(
              world,
              blocks[block % blocks.length]!.map((action) => ({ ...action, pool })),
            )

          expect(suffer(createPrices, attack, HONEST_POOLS[tier]).worst).toBeLessThan(BOUND)
        },
      ),
      { numRuns: inCi(60, 20) },
    )
  })
})
