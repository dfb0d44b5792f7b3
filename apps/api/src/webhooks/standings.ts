import type { Accounts, AnswerToNote, KeyAuthorization } from '@pairwire/accounts'
import { BoundedMap, type Clock } from '@pairwire/basics'
import { planById } from '@pairwire/contract'

/** Milliseconds for which a standing is believed, if no message says that it changed. */
const BELIEVED_MS = 10_000

const REMEMBERED = 10_000

type Known = Readonly<{ at: number; standing: KeyAuthorization }>

/** What accounts may get, as the gateways ask it. */
export class Standings {
  readonly #accounts: Pick<Accounts, 'authorizeAccount'>
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>
  readonly #known = new BoundedMap<string, Known>(REMEMBERED)
  readonly #charges = new BoundedMap<string, AnswerToNote['charge']>(REMEMBERED)

  constructor(accounts: Pick<Accounts, 'authorizeAccount'>, clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#accounts = accounts
    this.#clock = clock
  }

  /** The account's standing; that of a plan with a cap is read each time. */
  async of(accountId: string): Promise<KeyAuthorization> {
    const known = this.#known.get(accountId)
    if (known && this.#isBelieved(known)) return known.standing
    const standing = await this.#accounts.authorizeAccount(accountId)
    this.#known.set(accountId, { at: this.#clock.elapsed(), standing })
    if (standing.outcome === 'allowed') {
      const { planInForceId, period } = standing
      this.#charges.set(accountId, { planInForceId, period })
    }
    return standing
  }

  /** The period to which events count that were sent under the last standing. */
  chargeOf(accountId: string): AnswerToNote['charge'] {
    return this.#charges.get(accountId)! // known before anything is sent
  }

  forget(accountId: string): void {
    this.#known.delete(accountId)
  }

  #isBelieved({ at, standing }: Known): boolean {
    if (this.#clock.elapsed() - at >= BELIEVED_MS) return false
    if (standing.outcome !== 'allowed') return true
    const { planId, endsAt, periodEndsAt } = standing
    if (planById(planId)?.swapEventsPerPeriod !== null) return false
    return [endsAt, periodEndsAt].every((end) => end === null || end.getTime() > this.#clock.now())
  }
}
