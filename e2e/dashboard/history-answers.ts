import type { FilterTrial } from '../../packages/contract/src/history/filter-trial.ts'
import type { HistoryAnswer, OrderWithFiles } from '../../packages/contract/src/history-answers.ts'
import { HISTORY_OFFERS } from '../../packages/contract/src/history-answers.ts'
import { HOUR_MS, hourName } from '../../packages/contract/src/index.ts'

const TO = Date.parse('2026-11-20T19:00:00Z')

const timeText = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')

/**
 * The answer of `GET /api/history`: busy at noon, one hour of the last day incomplete, the oldest missing; or that of an
 * archive in which no hour is written yet.
 */
export function historyAnswer({ isEmpty = false } = {}): HistoryAnswer {
  const hours = Array.from({ length: 720 }, (_, place) => {
    const swaps = 100_000 + 50_000 * (12 - Math.abs(12 - (place % 24)))
    const state = place === 0 ? 'missing' : place === 700 ? 'incomplete' : 'complete'
    const hour = hourName(TO - (720 - place) * HOUR_MS)
    return { hour, state, swaps: place === 0 ? 0 : swaps, pairs: 900, size: swaps * 230 } as const
  })
  const offers = HISTORY_OFFERS.map(({ id, usd, hours: length }) => ({
    ...{ id, usd, from: timeText(TO - length * HOUR_MS), to: timeText(TO) },
    available: id !== 'month' && id !== 'day',
    reason:
      id === 'month'
        ? 'The archive does not have 20261021-190000.'
        : id === 'day'
          ? 'The archive has gaps in 20261119-230000.'
          : null,
    incomplete: id === 'hour' ? [] : [hourName(TO - 20 * HOUR_MS)],
    ...{ swaps: length * 400_000, pairs: length * 900, zipBytes: length * 92e6, parquetBytes: length * 48e6 },
  }))
  const answer = { source: 'chain', simulated: false, to: timeText(TO) } as const
  if (!isEmpty) return { ...answer, reason: null, sample: '20261101-000000', hours, offers }
  const reason = `The first hour, ${hours.at(-1)!.hour}, is not written yet.`
  const none = { swaps: 0, pairs: 0 }
  return {
    ...{ ...answer, reason, sample: null },
    hours: hours.map(({ hour }, place) => {
      return { hour, state: place < 718 ? ('missing' as const) : ('pending' as const), ...none, size: 0 }
    }),
    offers: offers.map((offer) => {
      return { ...offer, available: false, reason, incomplete: [], ...none, zipBytes: 0, parquetBytes: 0 }
    }),
  }
}

/** The sample, with its one hour. */
export const sampleAnswer = (): OrderWithFiles =>
  orderAnswer({ id: 1, status: 'sample', hours: 1, readyHours: 1, downloadedHours: 0, expiresAt: null })

/** A ready order, one of which a quarter is ready, and one in each other state. */
export function ordersOfAllStates(): OrderWithFiles[] {
  const states = ['awaiting_payment', 'paid', 'failed', 'lapsed', 'refunded', 'expired'] as const
  const others = states.map((status, place) =>
    orderAnswer({ id: 482913370 - place, status, downloadToken: null, readyHours: 6 }),
  )
  return [orderAnswer(), ...others]
}

/** An order of the last day, ready to download except for `changes`. */
export function orderAnswer(changes: Partial<OrderWithFiles> = {}): OrderWithFiles {
  const hour = '20261120-180000'
  const sha256 = 'ab'.repeat(32)
  return {
    ...{ id: 482913377, offer: 'day', from: '2026-11-19T19:00:00Z', to: '2026-11-20T19:00:00Z', usd: 10 },
    ...{ status: 'paid', createdAt: '2026-11-20T19:02:00Z', paidAt: '2026-11-20T19:03:00Z' },
    ...{
      expiresAt: '2026-12-20T19:03:00Z',
      hours: 24,
      readyHours: 24,
      downloadedHours: 3,
      incompleteHours: 0,
    },
    ...{ swaps: 9_600_000, pairs: 21_600, zipBytes: 2.2e9, parquetBytes: 1.1e9 },
    downloadToken: 'tok_0123456789abcdefghijklmnopqrstuvwxyzABCDEF',
    files: [
      {
        ...{ hour, complete: true },
        files: [
          { name: `${hour}.abababab.zip`, bytes: 92_000_000, sha256, rows: 400_900 },
          { name: `${hour}.abababab.swaps.parquet`, bytes: 47_000_000, sha256, rows: 400_000 },
        ],
      },
    ],
    ...changes,
  }
}

/** The matches of a filter in the newest hour: too many for NewPairs Only, not for Basic. */
export function trialAnswer(): FilterTrial {
  const hour = { hour: '20261120-180000', matched: 1_204, total: 3_611_220 }
  const plan = { allowed: true, reason: null }
  return {
    ...{ from: '2026-11-20T18:00:00Z', to: '2026-11-20T19:00:00Z', matched: 1_204, total: 3_611_220 },
    ...{ byHour: [hour], busiestMinute: { at: '2026-11-20T18:31:00Z', matched: 61 }, perMonth: 866_880 },
    sample: [{ method: 'swapNotification', params: { swap: { usdValue: 12_000 } } }],
    plans: [
      { id: 1, name: 'NewPairs Only', ...plan, share: 864 },
      { id: 2, name: 'Basic', ...plan, share: null },
    ],
    cheapest: 2,
  }
}
