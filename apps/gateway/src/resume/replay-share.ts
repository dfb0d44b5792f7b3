import { BoundedMap, type Clock } from '@pairwire/basics'
import type { Bus, InTurn } from '@pairwire/bus'
import { Turns } from '../intake/turns.ts'
import type { GatewayLimits } from '../limits.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import { createReplayPages, type ReplayPage, type ReplayPages } from './replay-pages.ts'

/** The turns tell amounts apart up to here. */
const MOST_SPENT = 2 ** 31

/** What the replays of one account have together: turns of the loop, and what has been spent in them. */
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

  /** Does the work in one of the next turns, behind that of accounts that have spent less. */
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

  /** Notes what was done in a turn, in bytes. */
  spend(cost: number): void {
    this.#spending.draw(cost)
    this.#turns.spend(cost)
  }

  /**
   * Has what follows a cursor used, perhaps for a first time of several; `isInTurn` is whether this is the turn in which it
   * was parsed. @throws CursorTooOldError when events after it are gone
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
    return this.#pages.after(cursor, isAskedAgain, this.#accountId, inTurn, (page) => use(page, isInTurn))
  }
}

/** The shares of all accounts, which read the same pages and divide the same turns among them. */
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
