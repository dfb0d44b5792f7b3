import type { GatewayFigures } from '@pairwire/contract'
import { Gauge, type Registry } from 'prom-client'
import { createTotals, type Figures } from './figures.ts'

/** The figures of a gateway. */
export const gatewayFigures =
  (read: () => GatewayFigures): Figures =>
  (registry: Registry) => {
    const registers = [registry]
    const connections = new Gauge({
      name: 'pairwire_gateway_connections',
      help: 'Stream connections that are open.',
      registers,
    })
    const subscriptions = new Gauge({
      name: 'pairwire_gateway_subscriptions',
      help: 'Subscriptions on them.',
      registers,
    })
    const queued = new Gauge({
      name: 'pairwire_gateway_queued_bytes',
      help: 'Bytes that clients have not taken yet.',
      registers,
    })
    const held = new Gauge({
      name: 'pairwire_gateway_held_bytes',
      help: 'Bytes of memory behind what clients have not taken yet.',
      registers,
    })
    const setTotals = createTotals('gateway', registry)

    return () => {
      const gateway = read()
      connections.set(gateway.connections)
      subscriptions.set(gateway.subscriptions)
      queued.set(gateway.queuedBytes)
      held.set(gateway.heldBytes)
      setTotals(gateway.totals)
    }
  }
