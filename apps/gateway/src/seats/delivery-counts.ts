import { randomUUID } from 'node:crypto'
import type { Accounts, DeliveredCount, SwapsSoFar } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime } from '@pairwire/basics'
import { DAY_MS } from '@pairwire/contract'

/** Unrecorded counts of an account in a billing period. */
export type Tally = {
  readonly accountId: string
  /** The trial, paid plan or grant whose period it is. */
  readonly planInForceId: string
  /** UTC date on which the period began. */
  readonly period: string
  /** By UTC day and face; there is nearly always just one. */
  days: DayCount[]
  /** Days sent to be recorded, no longer part of `days`: until it is known that they are. */
  inFlight: DayCount[]
}

/** Counts of a UTC day, `YYYY-MM-DD`, by a face. */
type DayCount = Readonly<Pick<DeliveredCount, 'day' | 'face'>> & {
  newPair: number
  buy: number
  sell: number
}

/** Swaps of the tally that are neither recorded nor in flight. */
export function swapsIn({ days }: Tally): number {
  return days.reduce((sum, { buy, sell }) => sum + buy + sell, 0)
}

/** Accounts recorded in one statement: a thousand would block the stream for milliseconds. */
const ACCOUNTS_AT_ONCE = 100

/** The parts that recording needs. */
type DeliveryCountsParts = Readonly<{
  record: Accounts['recordDelivered']
  /** Called after each attempt, with what all gateways have recorded for these periods. */
  handedOver(soFar: readonly SwapsSoFar[]): void
  clock: Clock
  everyMs: number
  log: Log
}>

/** Counts what is sent, and records it every `everyMs` in batches of accounts. */
export class DeliveryCounts {
  readonly #parts: DeliveryCountsParts
  /** Tallies with unrecorded counts, by key. */
  readonly #held = new Map<string, Tally>()
  readonly #alone = oneAtATime()
  /** Names its batches. One without an answer, which may be recorded, is sent again as it was before any other. */
  readonly #counter = randomUUID()
  #number = 0
  #unanswered: readonly Tally[] = []
  #cancelTimer: (() => void) | undefined
  /** Whether the last batch failed: logged once, not at every attempt. */
  #isAway = false
  #today = { startsAt: Number.NaN, day: '' }

  constructor(parts: DeliveryCountsParts) {
    this.#parts = parts
  }

  /** Returns the tally of a plan's period; the same object while any of it is unrecorded. */
  open(accountId: string, planInForceId: string, period: string): Tally {
    const tally = { accountId, planInForceId, period, days: [], inFlight: [] }
    return this.#held.get(keyOf(tally)) ?? tally
  }

  add(tally: Tally, newPairs: number, buys: number, sells: number, face?: DeliveredCount['face']): void {
    const day = this.#day()
    if (tally.days.length === 0) this.#hold(tally)
    let count = tally.days.find((one) => one.day === day && one.face === face)
    if (!count) {
      count = { day, face, newPair: 0, buy: 0, sell: 0 }
      tally.days.push(count)
    }
    count.newPair += newPairs
    count.buy += buys
    count.sell += sells
  }

  /** The clock's UTC day, which is nearly always that of the last call. */
  #day(): string {
    const now = this.#parts.clock.now()
    const startsAt = now - (now % DAY_MS)
    if (startsAt !== this.#today.startsAt)
      this.#today = { startsAt, day: new Date(now).toISOString().slice(0, 10) }
    return this.#today.day
  }

  /** Whether anything of the tally is unrecorded. */
  holds({ days, inFlight }: Tally): boolean {
    return days.length > 0 || inFlight.length > 0
  }

  /** Records everything; resolves with whether that succeeded. What failed is kept for the next attempt. */
  flush(): Promise<boolean> {
    return this.#alone(async () => {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      return this.#send(this.#waiting())
    })
  }

  /** Records the counts of these accounts together with the seats that they left. @throws on failure */
  async giveBack(accountIds: ReadonlySet<string>, leftSeats: readonly string[]): Promise<void> {
    const isDone = await this.#alone(() =>
      this.#send(
        this.#waiting().filter(({ accountId }) => accountIds.has(accountId)),
        leftSeats,
      ),
    )
    if (!isDone) throw new Error('Counts could not be recorded.')
  }

  #hold(tally: Tally): void {
    const { clock, everyMs } = this.#parts
    this.#held.set(keyOf(tally), tally)
    this.#cancelTimer ??= clock.after(everyMs, () => void this.flush())
  }

  #waiting(): Tally[] {
    return [...this.#held.values()].filter(({ days }) => days.length > 0)
  }

  /** Records a batch, and seats with it, in one statement; returns whether that succeeded. */
  async #send(batch: readonly Tally[], leftSeats: readonly string[] = []): Promise<boolean> {
    const atOnce = leftSeats.length > 0 ? Number.POSITIVE_INFINITY : ACCOUNTS_AT_ONCE
    const soFar: SwapsSoFar[] = []
    let isDone = false
    try {
      if (this.#unanswered.length > 0) soFar.push(...(await this.#record()))
      for (let at = 0; at < batch.length || (at === 0 && leftSeats.length > 0); at += atOnce) {
        this.#unanswered = batch.slice(at, at + atOnce)
        this.#number++
        for (const tally of this.#unanswered) {
          tally.inFlight = tally.days
          tally.days = []
        }
        soFar.push(...(await this.#record(leftSeats)))
      }
      isDone = true
      this.#isAway = false
    } catch (error) {
      this.#keep(error)
    }
    this.#parts.handedOver(soFar)
    return isDone
  }

  async #record(leftSeats: readonly string[] = []): Promise<readonly SwapsSoFar[]> {
    const [sent, batch] = [this.#unanswered, { counter: this.#counter, number: this.#number }]
    const soFar = await this.#parts.record(sent.flatMap(rowsOf), leftSeats, batch)
    for (const tally of sent) {
      tally.inFlight = []
      if (!this.holds(tally)) this.#held.delete(keyOf(tally))
    }
    this.#unanswered = []
    return soFar
  }

  #keep(error: unknown): void {
    const { log, clock, everyMs } = this.#parts
    const accounts = this.#held.size
    if (accounts === 0) return
    this.#cancelTimer ??= clock.after(everyMs, () => void this.flush())
    if (!this.#isAway)
      log.warn('Event counts could not be recorded; they are kept.', { errorName: nameOf(error), accounts })
    this.#isAway = true
  }
}

function keyOf({ accountId, planInForceId, period }: Tally): string {
  return `${accountId} ${planInForceId} ${period}`
}

function rowsOf({ accountId, planInForceId, period, inFlight }: Tally): DeliveredCount[] {
  const rows = inFlight.flatMap(({ day, face, newPair, buy, sell }): DeliveredCount[] => {
    const of = { accountId, planInForceId, period, day, ...(face && { face }) }
    return [
      { ...of, kind: 'newPair', count: newPair },
      { ...of, kind: 'buy', count: buy },
      { ...of, kind: 'sell', count: sell },
    ]
  })
  return rows.filter(({ count }) => count > 0)
}
