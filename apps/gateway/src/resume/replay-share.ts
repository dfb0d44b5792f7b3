import { BoundedMap, type Clock } from '@pairwire/basics'
import type { Bus, InTurn } from '@pairwire/bus'
import { Turns } from '../intake/turns.ts'
import type { GatewayLimits } from '../limits.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import { createReplayPages, type ReplayPage, type ReplayPages } from './replay-pages.ts'

/** Largest amount that the turns can tell apart. */
const MOST_SPENT = 2 ** 31

/** What the replays of one account share: turns of the event loop, and what they have spent. */
export class ReplayShare {
  readonly #accountId: string
  readonly #pages: ReplayPages
  readonly #turns: Turns
  readonly #spending: Rate

  constructor(accountId: string, pages: ReplayPages, turns: Turns, spending: Rate) {
    this.#accountId = accountId
    this.#pages = pages
    this.#turns = turns
    this.#spending = spending
  }

  /** Runs the work in one of the next turns, after that of accounts that have spent less. */
  turn<Value>(work: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#turns.wait(Math.min(1 + this.#spending.spent(), MOST_SPENT), () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Adds to what is spent, in bytes. */
  spend(cost: number): void {
    this.#spending.draw(cost)
    this.#turns.spend(cost)
  }

  /**
   * Passes the page after a cursor to `use`, perhaps the first of several times; `isInTurn` is whether it was parsed in
   * this turn. @throws CursorTooOldError when events after the cursor are gone
   */
  usePage(
    cursor: string,
    isAskedAgain: boolean,
    use: (page: ReplayPage, isInTurn: boolean) => Promise<boolean>,
  ): Promise<boolean> {
    let isInTurn = false
    const inTurn: InTurn = (bytes, work) => {
      isInTurn = true
      return this.turn(() => {
        this.spend(bytes)
        return work()
      })
    }
    return this.#pages(cursor, isAskedAgain, this.#accountId, inTurn, (page) => use(page, isInTurn))
  }
}

/** The shares of all accounts; they share the pages and the turns. */
export function createReplayShares(
  bus: Pick<Bus, 'replay'>,
  clock: Clock,
  limits: GatewayLimits,
): (accountId: string) => ReplayShare {
  const pages = createReplayPages(bus, clock, limits)
  const turns = new Turns(limits.replayTurnBytes)
  const shares = new BoundedMap<string, ReplayShare>(limits.rememberedRates)
  return (accountId) =>
    shares.ensure(accountId, () => {
      const spending = createRate(clock, limits.replayForgivenPerSecond, MOST_SPENT)
      return new ReplayShare(accountId, pages, turns, spending)
    })
}
