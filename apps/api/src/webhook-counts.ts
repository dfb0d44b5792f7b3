import { metricTable } from '@pairwire/process'

/** Milliseconds for which a forged report counts as recent, and how many are remembered. */
const RECENT_MS = 10 * 60_000
const REMEMBERED = 100

/** Counts what the payment provider reports, for /metrics and the operator. `clock` returns Unix milliseconds. */
export function createWebhookCounts(clock: () => number = Date.now) {
  const counts = { received: 0, refused: 0 }
  let forgedAt: readonly number[] = []
  const forgedLately = () => forgedAt.filter((at) => Math.abs(clock() - at) < RECENT_MS)
  return {
    note: (outcome: keyof typeof counts) => void counts[outcome]++,
    /** Notes that the signature of a refused one was wrong or old. Strangers may send them without end. */
    noteForged() {
      forgedAt = [...forgedLately(), clock()].slice(-REMEMBERED)
    },
    metrics: metricTable(
      [
        {
          name: 'pairwire_billing_webhooks_total',
          help: 'Reports of the payment provider since the start: received, and refused, as for a wrong signature.',
          labels: ['outcome'],
          read: (found: typeof counts) => Object.entries(found).map(([outcome, count]) => [count, outcome]),
        },
        {
          name: 'pairwire_billing_webhooks_forged',
          help: 'Reports with a wrong or old signature in the last ten minutes.',
          read: () => forgedLately().length,
        },
      ],
      () => counts,
    ),
  }
}

/** Counts reports of the payment provider. */
export type WebhookCounts = ReturnType<typeof createWebhookCounts>
