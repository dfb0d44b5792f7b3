import type { DeliveredCount, SwapsSoFar } from '@pairwire/accounts'
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
  /** Days being recorded, no longer part of `days`. */
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
  record(rows: readonly DeliveredCount[], leftSeats: readonly string[]): Promise<readonly SwapsSoFar[]>
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

  /** Records everything; resolves when that has succeeded or failed. What failed is kept for the next attempt. */
  flush(): Promise<void> {
    return this.#alone(async () => {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      const batch = this.#waiting()
      if (batch.length > 0) await this.#send(batch)
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
    const { record, handedOver } = this.#parts
    const atOnce = leftSeats.length > 0 ? Number.POSITIVE_INFINITY : ACCOUNTS_AT_ONCE
    for (const tally of batch) {
      tally.inFlight = tally.days
      tally.days = []
    }
    const soFar: SwapsSoFar[] = []
    let recorded = 0
    let isDone = false
    try {
      do {
        const some = batch.slice(recorded, recorded + atOnce)
        soFar.push(...(await record(some.flatMap(rowsOf), leftSeats)))
        for (const tally of some) tally.inFlight = []
        recorded += atOnce
      } while (recorded < batch.length)
      isDone = true
      this.#isAway = false
    } catch (error) {
      this.#takeBack(batch.slice(recorded), error)
    }
    for (const tally of batch) if (!this.holds(tally)) this.#held.delete(keyOf(tally))
    handedOver(soFar)
    return isDone
  }

  #takeBack(left: readonly Tally[], error: unknown): void {
    if (left.length > 0 && !this.#isAway) {
      this.#isAway = true
      this.#parts.log.warn('Event counts could not be recorded; they are kept.', {
        errorName: nameOf(error),
        accounts: left.length,
      })
    }
    for (const tally of left) {
      tally.days = merged([...tally.inFlight, ...tally.days])
      tally.inFlight = []
      this.#hold(tally)
    }
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

function merged(days: readonly DayCount[]): DayCount[] {
  const sums = new Map<string, DayCount>()
  for (const { day, face, newPair, buy, sell } of days) {
    const name = `${day} ${face}`
    const sum = sums.get(name) ?? { day, face, newPair: 0, buy: 0, sell: 0 }
    sum.newPair += newPair
    sum.buy += buy
    sum.sell += sell
    sums.set(name, sum)
  }
  return [...sums.values()].sort((left, right) => (left.day < right.day ? -1 : 1))
}
