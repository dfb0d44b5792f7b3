import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ApiParts, LiveSourceState, SolPriceState, SourceState } from '../parts.ts'
import { createLocalCheck } from '../plugins/local-only.ts'
import { askParts } from './health.ts'

/**
 * GET /metrics, as Prometheus text, for who brings the token or is at this machine; 404 for everyone else. No label
 * names a user, an address or anything a stranger can choose.
 */
export function addMetrics(
  app: FastifyInstance,
  parts: Pick<
    ApiParts,
    | 'accounts'
    | 'health'
    | 'diskFreeBytes'
    | 'keptEvents'
    | 'sourceState'
    | 'gatewayStats'
    | 'isLocal'
    | 'metricsToken'
  >,
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
  const diskFree = new Gauge({
    name: 'pairwire_disk_free_bytes',
    help: 'Bytes free on the disk of DATA_DIR.',
    registers,
  })
  const keptBytes = new Gauge({
    name: 'pairwire_events_kept_bytes',
    help: 'Bytes on the disk of the events that clients may resume.',
    registers,
  })
  const keptOldest = new Gauge({
    name: 'pairwire_events_kept_oldest_info',
    help: 'Always 1; the cursor is the oldest that clients may resume from, and begins with run and slot.',
    labelNames: ['cursor'] as const,
    registers,
  })
  const sourceUp = new Gauge({ name: 'pairwire_source_up', help: '1 while blocks come in.', registers })
  const lag = new Gauge({
    name: 'pairwire_source_lag_seconds',
    help: 'How far the newest block was behind the clock.',
    registers,
  })
  const lags = new Gauge({
    name: 'pairwire_event_lag_seconds_bucket',
    help: 'Events since the start that were at most so late; the whole is under +Inf.',
    labelNames: ['le'] as const,
    registers,
  })
  const lagSum = new Counter({
    name: 'pairwire_event_lag_seconds_sum',
    help: 'Lag of all events since the start together.',
    registers,
  })
  const lagCount = new Counter({
    name: 'pairwire_event_lag_seconds_count',
    help: 'Events since the start whose lag is known.',
    registers,
  })
  const refusals = new Counter({
    name: 'pairwire_decode_refusals_total',
    help: 'Bytes that gave no event although they may have meant one.',
    labelNames: ['exchange', 'reason'] as const,
    registers,
  })
  const block = new Gauge({
    name: 'pairwire_source_latest_block',
    help: 'Slot of the newest block.',
    registers,
  })
  const slotTime = new Gauge({
    name: 'pairwire_source_slot_seconds',
    help: 'Time from one slot of the live chain to the next, as measured.',
    registers,
  })
  const alarms = new Counter({
    name: 'pairwire_source_alarms_total',
    help: 'What should never happen on a sound chain.',
    labelNames: ['alarm'] as const,
    registers,
  })
  const endpointUp = new Gauge({
    name: 'pairwire_source_endpoint_up',
    help: '1 while the endpoint is read.',
    labelNames: ['endpoint'] as const,
    registers,
  })
  const endpointBlock = new Gauge({
    name: 'pairwire_source_endpoint_latest_block',
    help: 'Newest slot of which this endpoint had everything first.',
    labelNames: ['endpoint'] as const,
    registers,
  })
  const endpointInfo = new Gauge({
    name: 'pairwire_source_endpoint_info',
    help: 'Always 1; the version is what the endpoint says of itself.',
    labelNames: ['endpoint', 'version'] as const,
    registers,
  })
  const events = new Counter({
    name: 'pairwire_events_total',
    help: 'Events published since the start.',
    labelNames: ['exchange', 'kind'] as const,
    registers,
  })
  const price = new Gauge({
    name: 'pairwire_price_usd',
    help: 'US dollars for one token, as the pools agree; absent while it is not known.',
    labelNames: ['token'] as const,
    registers,
  })
  const priceAge = new Gauge({
    name: 'pairwire_price_age_seconds',
    help: 'Block time since the newest trade that the price is made of.',
    labelNames: ['token'] as const,
    registers,
  })
  const priceSpread = new Gauge({
    name: 'pairwire_price_spread_ratio',
    help: 'Share by which the highest pool of the price stands above the lowest.',
    labelNames: ['token'] as const,
    registers,
  })
  const pricePools = new Gauge({
    name: 'pairwire_price_pools',
    help: 'Pools that the price is made of. Alarm on 0: swaps have no USD value.',
    labelNames: ['token'] as const,
    registers,
  })
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
  const unknownPrices = new Gauge({
    name: 'pairwire_billing_unknown_price_subscriptions',
    help: 'Subscriptions whose price is no plan here. Alarm on more than 0: add the price to PADDLE_PRICE_n.',
    registers,
  })
  const goneAccounts = new Gauge({
    name: 'pairwire_billing_gone_account_subscriptions',
    help: 'Subscriptions charged for an account that is gone. Alarm on more than 0: give the money back.',
    registers,
  })
  const totals = new Map<string, Counter>()

  async function bringUpToDate(): Promise<void> {
    for (const [part, up] of Object.entries((await askParts(parts)) ?? {})) partUp.set({ part }, up ? 1 : 0)

    const free = parts.diskFreeBytes()
    if (free !== undefined) diskFree.set(free)

    const kept = await parts.keptEvents()
    keptOldest.reset()
    if (kept) keptBytes.set(kept.bytes)
    if (kept?.oldestCursor !== undefined) keptOldest.set({ cursor: kept.oldestCursor }, 1)

    const source = parts.sourceState()
    sourceUp.set(source.up ? 1 : 0)
    if (source.lagMs !== null) lag.set(source.lagMs / 1_000)
    if (source.latestBlock !== null) block.set(source.latestBlock)
    events.reset()
    for (const [exchange, counts] of Object.entries(source.events)) {
      events.inc({ exchange, kind: 'newPair' }, counts.newPairs)
      events.inc({ exchange, kind: 'swap' }, counts.swaps)
    }
    setLags(source.lags)
    refusals.reset()
    for (const [name, count] of Object.entries(source.refusals)) {
      const [exchange = '', ...reason] = name.split(' ')
      refusals.inc({ exchange, reason: reason.join(' ') }, count)
    }
    setTotals('source', source.totals)
    setPrice(source.solPrice)
    if (source.live) setLive(source.live)

    const gateway = parts.gatewayStats()
    connections.set(gateway.connections)
    subscriptions.set(gateway.subscriptions)
    queued.set(gateway.queuedBytes)
    held.set(gateway.heldBytes)
    setTotals('gateway', gateway.totals)

    // They stay as they were while the database is away, which is told by its own metric.
    const billing = await parts.accounts.countBillingAlarms().catch(() => undefined)
    if (!billing) return
    unknownPrices.set(billing.unknownPrices)
    goneAccounts.set(billing.goneAccounts)
  }

  /** A histogram's own lines, from buckets that somebody else has counted. */
  const setLags = ({ bounds, counts, sum }: SourceState['lags']) => {
    let events = 0
    for (const [bucket, count] of counts.entries()) {
      events += count
      const bound = bounds[bucket]
      lags.set({ le: bound === undefined ? '+Inf' : String(bound / 1_000) }, events)
    }
    lagSum.reset()
    lagSum.inc(sum / 1_000)
    lagCount.reset()
    lagCount.inc(events)
  }

  const setPrice = ({ usdPerSol, ageSeconds, spread, pools }: SolPriceState) => {
    for (const [gauge, value] of [
      [price, usdPerSol],
      [priceAge, ageSeconds],
      [priceSpread, spread],
      [pricePools, pools.length],
    ] as const) {
      gauge.reset()
      if (value !== null) gauge.set({ token: 'SOL' }, value)
    }
  }

  const setLive = (live: LiveSourceState) => {
    const { holesFilled, holesNotFilled, slotsMissed } = live
    setTotals('source', { holesFilled, holesNotFilled, slotsMissed })
    if (live.slotMs !== null) slotTime.set(live.slotMs / 1_000)
    alarms.reset()
    for (const [alarm, count] of Object.entries(live.alarms)) alarms.inc({ alarm }, count)
    endpointInfo.reset()
    for (const { name: endpoint, state, slot, version } of live.endpoints) {
      endpointUp.set({ endpoint }, state === 'connected' ? 1 : 0)
      if (slot !== null) endpointBlock.set({ endpoint }, slot)
      if (version !== null) endpointInfo.set({ endpoint, version }, 1)
    }
  }

  const setTotals = (part: string, values: Readonly<Record<string, number>>) => {
    for (const [name, value] of Object.entries(values)) {
      const metric = `pairwire_${part}_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`
      const help = `Counter ${name} of the ${part} since the start.`
      const counter = totals.get(metric) ?? new Counter({ name: metric, help, registers })
      totals.set(metric, counter)
      counter.reset()
      counter.inc(value)
    }
  }

  const isFromHere = createLocalCheck(parts)
  app.get('/metrics', async (request, reply) => {
    if (!isFromHere(request) && !bringsToken(request.headers.authorization, parts.metricsToken))
      return reply.callNotFound()
    await bringUpToDate()
    return reply
      .type(registry.contentType)
      .header('cache-control', 'no-store')
      .send(await registry.metrics())
  })
}

/** Compared by hash, so that neither time nor length tells anything of the token. */
function bringsToken(header: string | undefined, token: string | undefined): boolean {
  const brought = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  if (token === undefined || brought === undefined) return false
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(brought), hash(token))
}
