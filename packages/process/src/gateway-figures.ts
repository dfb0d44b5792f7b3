import type { GatewayFigures } from '@pairwire/contract'
import type { Registry } from 'prom-client'
import { createTotals, type Figures, metricsOf } from './figures.ts'

/** The figures of a gateway. */
export const gatewayFigures =
  (read: () => GatewayFigures): Figures =>
  (registry: Registry) => {
    const { gauge } = metricsOf(registry)
    const connections = gauge('pairwire_gateway_connections', 'Open stream connections.')
    const subscriptions = gauge('pairwire_gateway_subscriptions', 'Subscriptions on them.')
    const queued = gauge('pairwire_gateway_queued_bytes', 'Bytes that clients have not read yet.')
    const held = gauge('pairwire_gateway_held_bytes', 'Memory held by bytes that clients have not read yet.')
    const newestSlotAge = gauge(
      'pairwire_gateway_newest_slot_age_seconds',
      'Seconds since the newest slot came; since the start before one did.',
    )
    const setTotals = createTotals('gateway', registry)

    return () => {
      const gateway = read()
      connections.set(gateway.connections)
      subscriptions.set(gateway.subscriptions)
      queued.set(gateway.queuedBytes)
      held.set(gateway.heldBytes)
      newestSlotAge.set(gateway.newestSlotAgeMs / 1_000)
      setTotals(gateway.totals)
    }
  }
