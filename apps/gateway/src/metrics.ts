import { type Metric, metricTable } from '@pairwire/process'
import type { GatewayStats } from './gateway.ts'

/** Metrics of the gateway's current state, and of its counts since the start. */
export const gatewayMetrics = (read: () => GatewayStats) =>
  metricTable(ROWS, read, { part: 'gateway', totals: totalsOf })

const ROWS: readonly Metric<GatewayStats>[] = [
  {
    name: 'pairwire_gateway_connections',
    help: 'Open stream connections.',
    read: ({ connections }) => connections,
  },
  {
    name: 'pairwire_gateway_connections_by_codec',
    help: 'The same, by what they are written in.',
    labels: ['codec'],
    read: ({ codecs }) => Object.entries(codecs).map(([codec, { connections }]) => [connections, codec]),
  },
  {
    name: 'pairwire_gateway_sent_events_by_codec_total',
    help: 'Events sent since the start, by what they are written in.',
    labels: ['codec'],
    read: ({ codecs }) => Object.entries(codecs).map(([codec, { sentEvents }]) => [sentEvents, codec]),
  },
  {
    name: 'pairwire_gateway_subscriptions',
    help: 'Subscriptions on them.',
    read: ({ subscriptions }) => subscriptions,
  },
  {
    name: 'pairwire_gateway_queued_bytes',
    help: 'Bytes that clients have not read yet.',
    read: ({ queuedBytes }) => queuedBytes,
  },
  {
    name: 'pairwire_gateway_held_bytes',
    help: 'Memory held by bytes that clients have not read yet.',
    read: ({ heldBytes }) => heldBytes,
  },
  {
    name: 'pairwire_gateway_newest_slot_age_seconds',
    help: 'Seconds since the newest slot came; since the start before one did.',
    read: ({ newestSlotAgeMs }) => newestSlotAgeMs / 1_000,
  },
]

function totalsOf(stats: GatewayStats): Readonly<Record<string, number>> {
  const { sentEvents, sentBytes, acceptedUpgrades, refusedUpgrades, ended } = stats
  const totals: Record<string, number> = { sentEvents, sentBytes, acceptedUpgrades }
  for (const [status, count] of Object.entries(refusedUpgrades)) totals[`refusedUpgrades${status}`] = count
  for (const [reason, count] of Object.entries(ended))
    totals[`ended${reason[0]?.toUpperCase()}${reason.slice(1)}`] = count
  return totals
}
