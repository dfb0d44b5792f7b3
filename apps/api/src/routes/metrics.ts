import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ApiParts } from '../parts.ts'
import { askParts } from './health.ts'

/** GET /metrics, as Prometheus text. No label names a user, an address or anything a stranger can choose. */
export function addMetrics(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'health' | 'sourceState' | 'gatewayStats'>,
): void {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const calls = new Histogram({
    name: 'pairwire_http_request_seconds',
    help: 'Time from request to answer, by route pattern and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  app.addHook('onResponse', async (request, reply) => {
    calls.observe(
      { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode },
      reply.elapsedTime / 1_000,
    )
  })

  const partUp = new Gauge({
    name: 'pairwire_part_up',
    help: '1 while the part is up.',
    labelNames: ['part'] as const,
    registers,
  })
  const sourceUp = new Gauge({ name: 'pairwire_source_up', help: '1 while blocks come in.', registers })
  const lag = new Gauge({
    name: 'pairwire_source_lag_seconds',
    help: 'How far the newest block was behind the clock.',
    registers,
  })
  const block = new Gauge({
    name: 'pairwire_source_latest_block',
    help: 'Slot of the newest block.',
    registers,
  })
  const events = new Counter({
    name: 'pairwire_events_total',
    help: 'Events published since the start.',
    labelNames: ['exchange', 'kind'] as const,
    registers,
  })
  const connections = new Gauge({
    name: 'pairwire_gateway_connections',
    help: 'Stream connections that are open.',
    registers,
  })
  const totals = new Map<string, Counter>()

  async function bringUpToDate(): Promise<void> {
    for (const [part, up] of Object.entries((await askParts(parts)) ?? {})) partUp.set({ part }, up ? 1 : 0)

    const source = parts.sourceState()
    sourceUp.set(source.up ? 1 : 0)
    if (source.lagMs !== null) lag.set(source.lagMs / 1_000)
    if (source.latestBlock !== null) block.set(source.latestBlock)
    events.reset()
    for (const [exchange, counts] of Object.entries(source.events)) {
      events.inc({ exchange, kind: 'newPair' }, counts.newPairs)
      events.inc({ exchange, kind: 'swap' }, counts.swaps)
    }

    const gateway = parts.gatewayStats()
    connections.set(gateway.connections)
    for (const [name, value] of Object.entries(gateway.totals)) {
      const counter = totals.get(name) ?? gatewayCounter(name)
      totals.set(name, counter)
      counter.reset()
      counter.inc(value)
    }
  }

  const gatewayCounter = (name: string) =>
    new Counter({
      name: `pairwire_gateway_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`,
      help: `The gateway's counter ${name} since the start.`,
      registers,
    })

  app.get('/metrics', async (_request, reply) => {
    await bringUpToDate()
    return reply
      .type(registry.contentType)
      .header('cache-control', 'no-store')
      .send(await registry.metrics())
  })
}
