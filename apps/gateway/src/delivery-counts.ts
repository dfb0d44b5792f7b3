import type { DeliveredCount } from '@pairwire/accounts'
import type { Clock } from './clock.ts'
import type { GatewayLog } from './gateway-log.ts'

/** What was sent to an account in a billing period and is neither recorded nor on its way there. */
export type Tally = {
  readonly accountId: string
  /** UTC date on which the period began. */
  readonly period: string
  newPair: number
  swap: number
  /** Whether it is in the next batch: asked for each delivery, so it is a field and not a set. */
  isWaiting: boolean
}

/** Counts what was sent until the accounts have recorded it. */
export type DeliveryCounts = Readonly<{
  /** The tally of an account and a period; the same object as long as anything of it is not recorded. */
  open(accountId: string, period: string): Tally
  add(tally: Tally, newPairs: number, swaps: number): void
  /** Something was sent that is not added yet: it will be collected in time. */
  wake(): void
  /** Whether anything of the tally is not recorded yet. */
  holds(tally: Tally): boolean
  /** Hands everything over; resolves when that has succeeded or failed. What failed is kept for the next time. */
  flush(): Promise<void>
}>

/**
 * Hands what was counted to `record`, in one batch every `everyMs` while there is anything. `collect` is called
 * before each batch, to add what was sent since.
 */
export function createDeliveryCounts({
  record,
  collect,
  clock,
  everyMs,
  log,
}: {
  record: (rows: readonly DeliveredCount[]) => Promise<void>
  collect: () => void
  clock: Clock
  everyMs: number
  log: GatewayLog
}): DeliveryCounts {
  let waiting = new Set<Tally>()
  let sending = new Set<Tally>()
  let inFlight: Promise<void> | undefined
  let cancelTimer: (() => void) | undefined

  const wait = (tally: Tally) => {
    tally.isWaiting = true
    waiting.add(tally)
    wake()
  }

  const wake = () => {
    cancelTimer ??= clock.after(everyMs, () => {
      cancelTimer = undefined
      void flush()
    })
  }

  const send = async () => {
    sending = waiting
    waiting = new Set()
    const taken = [...sending].map((tally) => {
      const { newPair, swap } = tally
      tally.newPair = 0
      tally.swap = 0
      tally.isWaiting = false
      return { tally, newPair, swap }
    })
    try {
      await record(taken.flatMap(({ tally, newPair, swap }) => rowsOf(tally, newPair, swap)))
    } catch (error) {
      const errorName = error instanceof Error ? error.name : typeof error
      log.warn('Event counts could not be recorded; they are kept.', { errorName, accounts: taken.length })
      for (const { tally, newPair, swap } of taken) {
        tally.newPair += newPair
        tally.swap += swap
        wait(tally)
      }
    }
    sending = new Set()
  }

  const flush = async (): Promise<void> => {
    while (inFlight) await inFlight
    collect()
    if (waiting.size === 0) return

    cancelTimer?.()
    cancelTimer = undefined
    inFlight = send().finally(() => {
      inFlight = undefined
    })
    await inFlight
  }

  return {
    open(accountId, period) {
      for (const tally of [...waiting, ...sending]) {
        if (tally.accountId === accountId && tally.period === period) return tally
      }
      return { accountId, period, newPair: 0, swap: 0, isWaiting: false }
    },
    add(tally, newPairs, swaps) {
      tally.newPair += newPairs
      tally.swap += swaps
      if (!tally.isWaiting) wait(tally)
    },
    wake,
    holds: (tally) => tally.isWaiting || sending.has(tally),
    flush,
  }
}

function rowsOf({ accountId, period }: Tally, newPair: number, swap: number): DeliveredCount[] {
  const rows: DeliveredCount[] = [
    { accountId, period, kind: 'newPair', count: newPair },
    { accountId, period, kind: 'swap', count: swap },
  ]
  return rows.filter(({ count }) => count > 0)
}
