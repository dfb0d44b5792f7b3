import type { Accounts, HistoryOrder } from '@pairwire/accounts'
import type { Archive } from '@pairwire/archive'
import { type Clock, type Log, type Looking, lookAgain, nameOf } from '@pairwire/basics'
import { HOUR_MS, hourName, hourStart } from '@pairwire/contract'
import type { Leases } from '../leases.ts'

/** Milliseconds between two checks. */
const LOOK_EVERY_MS = 15_000

/** Hours named in one line of the log. */
const NAMED_HOURS = 10

/**
 * Lets unpaid orders lapse, and compares paid ones with the archive: mails go out once all hours exist, and an order whose
 * hours do not appear is logged as an error. Hours are not judged while the archive is away or off.
 */
export function createOrderClock(parts: {
  accounts: Pick<Accounts, 'lapseOrders' | 'listOpenOrders' | 'settleOrder'>
  archive: Pick<Archive, 'list'> | undefined
  /** Only one of several processes does the work. */
  leases: Pick<Leases, 'have'>
  clock: Pick<Clock, 'after'>
  log: Log
}): Looking {
  const { accounts, archive, leases, clock, log } = parts

  const settle = async (order: HistoryOrder, missing: readonly number[]) => {
    const isSettled = missing.length > 0 ? order.state === 'failed' : order.readyAt && order.state === 'paid'
    const settled = isSettled ? undefined : await accounts.settleOrder(order, missing)
    if (!settled || settled.from === settled.to) return
    const hours = missing.slice(0, NAMED_HOURS).map(hourName)
    if (settled.to === 'failed') {
      const sentence =
        'A paid order of history lacks hours. Make them with `pairwire backfill`, or refund it with `pairwire order refund`.'
      log.error(sentence, { order: order.id, missing: missing.length, hours })
    } else log.info('A failed order of history has all of its hours now.', { order: order.id })
  }

  const look = async (): Promise<number> => {
    try {
      await leases.have('orders', async () => {
        await accounts.lapseOrders()
        if (!archive) return
        for (const order of await accounts.listOpenOrders()) {
          const [from, to] = [order.from.getTime(), order.to.getTime()]
          const there = new Set(
            (await archive.list(order.source, from, to)).map(({ hour }) => hourStart(hour)),
          )
          const hours = Array.from({ length: (to - from) / HOUR_MS }, (_, index) => from + index * HOUR_MS)
          await settle(
            order,
            hours.filter((hour) => !there.has(hour)),
          )
        }
      })
    } catch (error) {
      log.warn('Orders of history could not be checked; trying again.', { error: nameOf(error) })
    }
    return LOOK_EVERY_MS
  }

  return lookAgain(clock, look)
}
