import { setImmediate } from 'node:timers/promises'
import type { DeliveredCount } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime } from '@pairwire/process'

/** What was sent to an account in a billing period and is neither recorded nor on its way there. */
export type Tally = {
  readonly accountId: string
  /** The trial, paid plan or grant whose period it is. */
  readonly planInForceId: string
  /** UTC date on which the period began. */
  readonly period: string
  /** By UTC day, the present one last: nearly always there is one. */
  days: DayCount[]
  /** Whether it is in the next batch: asked for each delivery, so it is a field and not a set. */
  isWaiting: boolean
}

/** What was sent on a UTC day, `YYYY-MM-DD`. */
type DayCount = { readonly day: string; newPair: number; buy: number; sell: number }

/** Swaps of the tally that are not recorded. */
export function swapsIn({ days }: Tally): number {
  return days.reduce((sum, { buy, sell }) => sum + buy + sell, 0)
}

/** Accounts whose counts are recorded in one statement: a thousand would hold up the stream for milliseconds. */
const ACCOUNTS_AT_ONCE = 100

/** Counts what was sent until the accounts have recorded it. */
export type DeliveryCounts = Readonly<{
  /** The tally of a plan's period; the same object as long as anything of it is not recorded. */
  open(accountId: string, planInForceId: string, period: string): Tally
  add(tally: Tally, newPairs: number, buys: number, sells: number): void
  /** Turns to the clock's UTC day: what was sent before is counted to the old one. Costs two comparisons. */
  turnDay(): void
  /** Something was sent that is not added yet: it will be collected in time. */
  wake(): void
  /** Whether anything of the tally is not recorded yet. */
  holds(tally: Tally): boolean
  /** Hands everything over; resolves when that has succeeded or failed. What failed is kept for the next time. */
  flush(): Promise<void>
  /** Hands over the counts of these accounts together with the seats that they have left. @throws when that failed */
  giveBack(accountIds: ReadonlySet<string>, leftSeats: readonly string[]): Promise<void>
}>

/**
 * Hands what was counted to `record` every `everyMs` while there is anything, some accounts at a time. `collect` is
 * called before, to add what was sent since, a step of it in a turn of the loop, and `handedOver` afterwards.
 */
export function createDeliveryCounts({
  record,
  collect,
  handedOver,
  clock,
  everyMs,
  log,
}: {
  record: (rows: readonly DeliveredCount[], leftSeats: readonly string[]) => Promise<void>
  collect: () => Iterable<void>
  handedOver: () => void
  clock: Clock
  everyMs: number
  log: Log
}): DeliveryCounts {
  const waiting = new Set<Tally>()
  let sending: ReadonlySet<Tally> = new Set()
  /** Tallies in either of them, by their key. */
  const held = new Map<string, Tally>()
  const alone = oneAtATime()
  let cancelTimer: (() => void) | undefined
  /** Whether the batch before failed: said once, not at every try. */
  let isAway = false
  let today = dayOf(clock.now())
  let dayStartsAt = startOfDay(clock.now())

  const wait = (tally: Tally) => {
    tally.isWaiting = true
    waiting.add(tally)
    held.set(keyOf(tally), tally)
    wake()
  }

  const wake = () => {
    cancelTimer ??= clock.after(everyMs, () => {
      cancelTimer = undefined
      void flush()
    })
  }

  /** Whether all of the batch is recorded; seats go with it in one statement. */
  const send = async (batch: ReadonlySet<Tally>, leftSeats: readonly string[] = []): Promise<boolean> => {
    sending = batch
    const taken = [...batch].map((tally) => {
      const { days } = tally
      tally.days = []
      tally.isWaiting = false
      waiting.delete(tally)
      return { tally, days }
    })
    const atOnce = leftSeats.length > 0 ? Number.POSITIVE_INFINITY : ACCOUNTS_AT_ONCE
    let recorded = 0
    let isDone = false
    try {
      do {
        const some = taken.slice(recorded, recorded + atOnce)
        await record(
          some.flatMap(({ tally, days }) => rowsOf(tally, days)),
          leftSeats,
        )
        recorded += atOnce
      } while (recorded < taken.length)
      isDone = true
      isAway = false
    } catch (error) {
      const left = taken.slice(recorded)
      if (left.length > 0 && !isAway) {
        isAway = true
        log.warn('Event counts could not be recorded; they are kept.', {
          errorName: nameOf(error),
          accounts: left.length,
        })
      }
      for (const { tally, days } of left) {
        tally.days = merged([...days, ...tally.days])
        wait(tally)
      }
    }
    for (const tally of sending) if (!tally.isWaiting) held.delete(keyOf(tally))
    sending = new Set()
    handedOver()
    return isDone
  }

  const turnDay = () => {
    const intoDayMs = clock.now() - dayStartsAt
    // Below zero where the clock was set back: to wait for the later day again could take for ever.
    if (intoDayMs >= 0 && intoDayMs < DAY_MS) return
    for (const _ of collect());
    today = dayOf(clock.now())
    dayStartsAt = startOfDay(clock.now())
  }

  const collectAndSend = async (): Promise<void> => {
    turnDay()
    for (const _ of collect()) await setImmediate()
    if (waiting.size > 0) await send(new Set(waiting))
  }

  const flush = () =>
    alone(() => {
      cancelTimer?.()
      cancelTimer = undefined
      return collectAndSend()
    })

  return {
    open(accountId, planInForceId, period) {
      const tally = { accountId, planInForceId, period, days: [], isWaiting: false }
      return held.get(keyOf(tally)) ?? tally
    },
    add(tally, newPairs, buys, sells) {
      let count = tally.days.at(-1)
      if (count?.day !== today) {
        count = { day: today, newPair: 0, buy: 0, sell: 0 }
        tally.days.push(count)
      }
      count.newPair += newPairs
      count.buy += buys
      count.sell += sells
      if (!tally.isWaiting) wait(tally)
    },
    turnDay,
    wake,
    holds: (tally) => tally.isWaiting || sending.has(tally),
    flush,
    async giveBack(accountIds, leftSeats) {
      const isDone = await alone(() =>
        send(new Set([...waiting].filter(({ accountId }) => accountIds.has(accountId))), leftSeats),
      )
      if (!isDone) throw new Error('Counts could not be recorded.')
    },
  }
}

function keyOf({ accountId, planInForceId, period }: Tally): string {
  return `${accountId} ${planInForceId} ${period}`
}

function rowsOf({ accountId, planInForceId, period }: Tally, days: readonly DayCount[]): DeliveredCount[] {
  const rows = days.flatMap(({ day, newPair, buy, sell }): DeliveredCount[] => [
    { accountId, planInForceId, period, day, kind: 'newPair', count: newPair },
    { accountId, planInForceId, period, day, kind: 'buy', count: buy },
    { accountId, planInForceId, period, day, kind: 'sell', count: sell },
  ])
  return rows.filter(({ count }) => count > 0)
}

function merged(days: readonly DayCount[]): DayCount[] {
  const sums = new Map<string, DayCount>()
  for (const { day, newPair, buy, sell } of days) {
    const sum = sums.get(day) ?? { day, newPair: 0, buy: 0, sell: 0 }
    sum.newPair += newPair
    sum.buy += buy
    sum.sell += sell
    sums.set(day, sum)
  }
  return [...sums.values()].sort((left, right) => (left.day < right.day ? -1 : 1))
}

const DAY_MS = 24 * 60 * 60_000

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
