import type { GatewayFigures } from '@pairwire/contract'
import type { GatewayStats } from './gateway.ts'

/** The gateway's figures as the metrics take them: one flat list of counters. */
export function toFigures({
  connections,
  subscriptions,
  queuedBytes,
  heldBytes,
  newestSlotAgeMs,
  sentEvents,
  sentBytes,
  acceptedUpgrades,
  refusedUpgrades,
  ended,
}: GatewayStats): GatewayFigures {
  const totals: Record<string, number> = { sentEvents, sentBytes, acceptedUpgrades }
  for (const [status, count] of Object.entries(refusedUpgrades)) totals[`refusedUpgrades${status}`] = count
  for (const [reason, count] of Object.entries(ended))
    totals[`ended${reason[0]?.toUpperCase()}${reason.slice(1)}`] = count
  return { connections, subscriptions, queuedBytes, heldBytes, newestSlotAgeMs, totals }
}
