import { metricTable } from '@pairwire/process'

/** Counts the operators' sign-ins that wrong codes closed, for /metrics. */
export function createSignInMetrics() {
  let closed = 0
  return {
    noteClosed: () => void closed++,
    metrics: metricTable(
      [
        {
          name: 'pairwire_operator_sign_ins_closed_total',
          help: 'Times that ten wrong codes closed an operator’s sign-in for an hour. Alarm on more than 0.',
          read: (count: number) => count,
        },
      ],
      () => closed,
    ),
  }
}
