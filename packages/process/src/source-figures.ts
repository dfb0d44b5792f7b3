import type { LiveSourceState, MetadataState, SolPriceState, SourceState } from '@pairwire/contract'
import type { Registry } from 'prom-client'
import { createTotals, type Figures, metricsOf } from './figures.ts'
import { proofFigures } from './proof-figures.ts'

/** The figures of where transactions come from. */
export const sourceFigures =
  (read: () => SourceState): Figures =>
  (registry: Registry) => {
    const { counter, gauge } = metricsOf(registry)
    const sourceUp = gauge('pairwire_source_up', '1 while blocks come in.')
    const lag = gauge('pairwire_source_lag_seconds', 'How far the newest block was behind the clock.')
    const lags = gauge(
      'pairwire_event_lag_seconds_bucket',
      'Events since the start that were at most this late; +Inf counts all.',
      'le',
    )
    const lagSum = counter('pairwire_event_lag_seconds_sum', 'Total lag of all events since the start.')
    const lagCount = counter('pairwire_event_lag_seconds_count', 'Events since the start whose lag is known.')
    const refusals = counter(
      'pairwire_decode_refusals_total',
      'Bytes that may have held an event but could not be decoded.',
      'exchange',
      'reason',
    )
    const block = gauge('pairwire_source_latest_block', 'Slot of the newest block.')
    const slotTime = gauge(
      'pairwire_source_slot_seconds',
      'Measured time from one slot of the live chain to the next.',
    )
    const alarms = counter(
      'pairwire_source_alarms_total',
      'Things that should never happen on a sound chain.',
      'alarm',
    )
    const endpointUp = gauge('pairwire_source_endpoint_up', '1 while the endpoint is read.', 'endpoint')
    const endpointBlock = gauge(
      'pairwire_source_endpoint_latest_block',
      'Newest slot that this endpoint was the first to deliver completely.',
      'endpoint',
    )
    const endpointInfo = gauge(
      'pairwire_source_endpoint_info',
      'Always 1; the version is the one the endpoint reports.',
      'endpoint',
      'version',
    )
    const endpointTrouble = gauge(
      'pairwire_source_endpoint_trouble',
      '1 with what is wrong with the endpoint, as the log says it; absent while nothing is.',
      'endpoint',
      'trouble',
    )
    const endpointUnreadable = counter(
      'pairwire_source_unreadable_total',
      'Messages of the endpoint that could not be read.',
      'endpoint',
    )
    const events = counter('pairwire_events_total', 'Events published since the start.', 'exchange', 'kind')
    const price = gauge(
      'pairwire_price_usd',
      'US dollars for one token, as the pools agree; absent while unknown.',
      'token',
    )
    const priceAge = gauge(
      'pairwire_price_age_seconds',
      'Block time since the newest trade behind the price.',
      'token',
    )
    const priceSpread = gauge(
      'pairwire_price_spread_ratio',
      'Share by which the highest pool of the price is above the lowest.',
      'token',
    )
    const pricePools = gauge(
      'pairwire_price_pools',
      'Pools behind the price. Alarm on 0: swaps have no USD value.',
      'token',
    )
    const metadataShare = gauge(
      'pairwire_pair_metadata_ratio',
      'Share of the last 1,000 new pairs whose token was known within so many seconds.',
      'known',
      'within',
    )
    const metadataWaiting = gauge(
      'pairwire_metadata_waiting',
      'Mints waiting to be looked up on the chain, and token pages waiting to be read.',
      'of',
    )
    const setTotals = createTotals('source', registry)

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

    const setMetadata = (metadata: MetadataState) => {
      const { nameWithin1s, nameWithin60s, pictureWithin1s, pictureWithin60s, ...rest } = metadata
      for (const [known, within, share] of [
        ['name', '1s', nameWithin1s],
        ['name', '60s', nameWithin60s],
        ['picture', '1s', pictureWithin1s],
        ['picture', '60s', pictureWithin60s],
        ['both', '1s', rest.bothWithin1s],
        ['both', '60s', rest.bothWithin60s],
      ] as const) {
        if (share !== null) metadataShare.set({ known, within }, share)
      }
      metadataWaiting.set({ of: 'mints' }, rest.mintsWaiting)
      metadataWaiting.set({ of: 'pages' }, rest.pagesWaiting + rest.pagesReading)
    }

    const setLive = (live: LiveSourceState) => {
      const { holesFilled, holesNotFilled, slotsMissed } = live
      setTotals({ holesFilled, holesNotFilled, slotsMissed })
      if (live.slotMs !== null) slotTime.set(live.slotMs / 1_000)
      alarms.reset()
      for (const [alarm, count] of Object.entries(live.alarms)) alarms.inc({ alarm }, count)
      endpointInfo.reset()
      endpointTrouble.reset()
      endpointUnreadable.reset()
      for (const { name: endpoint, state, slot, version, trouble, unreadable = 0 } of live.endpoints) {
        endpointUp.set({ endpoint }, state === 'connected' ? 1 : 0)
        if (slot !== null) endpointBlock.set({ endpoint }, slot)
        if (version !== null) endpointInfo.set({ endpoint, version }, 1)
        if (trouble !== null) endpointTrouble.set({ endpoint, trouble }, 1)
        endpointUnreadable.inc({ endpoint }, unreadable)
      }
    }

    const setProof = proofFigures(() => read().proof)(registry)

    return async () => {
      await setProof()
      const source = read()
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
      setTotals(source.totals)
      setPrice(source.solPrice)
      if (source.metadata) setMetadata(source.metadata)
      if (source.live) setLive(source.live)
    }
  }
