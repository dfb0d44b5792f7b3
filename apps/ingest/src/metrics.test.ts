import type { SourceState } from '@pairwire/contract'
import { createMetrics } from '@pairwire/process'
import { describe, expect, it } from 'vitest'
import { sourceMetrics } from './metrics.ts'

/** A source that can be changed, and its metrics as scraped. */
function aSource() {
  const source: { -readonly [Member in keyof SourceState]: SourceState[Member] } = {
    up: true,
    lagMs: 800,
    latestBlock: 398_214_771,
    lags: { bounds: [500, 1_000], counts: [90, 30, 3], sum: 60_000 },
    events: { pumpfun: { newPairs: 3, swaps: 120, buys: 70 } },
    eventsPerSecond: 51,
    totals: { blocks: 40 },
    refusals: { 'raydium truncated': 2 },
    solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] },
  }
  const { text } = createMetrics([sourceMetrics(() => source)])
  return { source, text }
}

describe('the metrics of a source', () => {
  it('report its counts, and the same when read again', async () => {
    const { text } = aSource()
    await text()

    const lines = (await text()).split('\n')

    for (const line of [
      'pairwire_source_up 1',
      'pairwire_source_lag_seconds 0.8',
      'pairwire_source_latest_block 398214771',
      'pairwire_events_total{exchange="pumpfun",kind="swap"} 120',
      'pairwire_source_blocks_total 40',
      'pairwire_decode_refusals_total{exchange="raydium",reason="truncated"} 2',
      'pairwire_event_lag_seconds_bucket{le="1"} 120',
      'pairwire_event_lag_seconds_bucket{le="+Inf"} 123',
      'pairwire_event_lag_seconds_sum 60',
      'pairwire_event_lag_seconds_count 123',
    ]) {
      expect(lines).toContain(line)
    }
  })

  it('report the shares of pairs with a name and a picture, and none before they are measured', async () => {
    const { source, text } = aSource()
    const metadata = {
      ...{ pairs: 40, nameWithin1s: 0.5, nameWithin60s: 0.9, pictureWithin1s: 0.25, pictureWithin60s: 0.75 },
      ...{
        bothWithin1s: 0.2,
        bothWithin60s: 0.7,
        mintsWaiting: 3,
        pagesReading: 2,
        pagesWaiting: 5,
        trouble: null,
      },
    }
    const linesNow = async () =>
      (await text())
        .split('\n')
        .filter((line) => /^pairwire_(pair_metadata_ratio|metadata_waiting)\{/.test(line))

    expect(await linesNow()).toEqual([])
    Object.assign(source, { metadata })

    expect(await linesNow()).toEqual([
      'pairwire_pair_metadata_ratio{known="name",within="1s"} 0.5',
      'pairwire_pair_metadata_ratio{known="name",within="60s"} 0.9',
      'pairwire_pair_metadata_ratio{known="picture",within="1s"} 0.25',
      'pairwire_pair_metadata_ratio{known="picture",within="60s"} 0.75',
      'pairwire_pair_metadata_ratio{known="both",within="1s"} 0.2',
      'pairwire_pair_metadata_ratio{known="both",within="60s"} 0.7',
      'pairwire_metadata_waiting{of="mints"} 3',
      'pairwire_metadata_waiting{of="pages"} 7',
    ])
  })

  it('report the price of SOL with its age, its spread and its number of pools, and no price while it is unknown', async () => {
    const { source, text } = aSource()
    const linesNow = async () =>
      (await text()).split('\n').filter((line) => line.startsWith('pairwire_price_'))
    const pool = { address: 'pool', exchange: 'raydium', isKnown: true, usdPerSol: 150.1 }
    source.solPrice = { usdPerSol: 150, ageSeconds: 3, spread: 0.002, pools: [pool, pool] }

    expect(await linesNow()).toEqual([
      'pairwire_price_usd{token="SOL"} 150',
      'pairwire_price_age_seconds{token="SOL"} 3',
      'pairwire_price_spread_ratio{token="SOL"} 0.002',
      'pairwire_price_pools{token="SOL"} 2',
    ])

    source.solPrice = { usdPerSol: null, ageSeconds: null, spread: null, pools: [] }
    expect(await linesNow()).toEqual(['pairwire_price_pools{token="SOL"} 0'])
  })

  it("report the counts of a live chain's source, and each endpoint's state, slot and version", async () => {
    const { source, text } = aSource()
    const aged = { name: 'yellowstone a.example', state: 'connected' as const, slot: 454_000_123 }
    source.live = {
      trouble: null,
      endpoints: [
        { ...aged, version: 'yellowstone-grpc-geyser 15.1.1', trouble: null },
        {
          name: 'rpc b.example',
          state: 'resting',
          version: null,
          slot: null,
          trouble: 'It is away.',
          unreadable: 7,
        },
      ],
      slotMs: 250,
      holesFilled: 12,
      holesNotFilled: 3,
      slotsMissed: 45,
      alarms: { otherBlock: 2 },
    }
    await text()
    const [, resting] = source.live.endpoints
    source.live = {
      ...source.live,
      endpoints: [{ ...aged, version: 'yellowstone-grpc-geyser 15.1.2', trouble: null }, resting!],
    }

    const lines = (await text()).split('\n')

    for (const line of [
      'pairwire_source_slot_seconds 0.25',
      'pairwire_source_holes_filled_total 12',
      'pairwire_source_holes_not_filled_total 3',
      'pairwire_source_slots_missed_total 45',
      'pairwire_source_alarms_total{alarm="otherBlock"} 2',
      'pairwire_source_endpoint_up{endpoint="yellowstone a.example"} 1',
      'pairwire_source_endpoint_up{endpoint="rpc b.example"} 0',
      'pairwire_source_endpoint_latest_block{endpoint="yellowstone a.example"} 454000123',
      'pairwire_source_endpoint_trouble{endpoint="rpc b.example",trouble="It is away."} 1',
      'pairwire_source_unreadable_total{endpoint="rpc b.example"} 7',
      'pairwire_source_endpoint_info{endpoint="yellowstone a.example",version="yellowstone-grpc-geyser 15.1.2"} 1',
    ]) {
      expect(lines).toContain(line)
    }
    // After an upgrade, the old version is no longer reported next to the new one.
    expect(lines.filter((line) => line.startsWith('pairwire_source_endpoint_info{'))).toHaveLength(1)
  })

  it('report whether the data is correct and complete', async () => {
    const { source, text } = aSource()
    source.proof = {
      programs: { Prog: { exchange: 'pumpfun', understood: 60, unknown: 40 } },
      decoderAlarms: [
        {
          ...{ program: 'Prog', exchange: 'pumpfun', discriminator: 'aa' },
          ...{ share: 0.4, usualShare: 0, example: 'Sig1' },
        },
      ],
      lagsByExchange: {},
      gapSlots: { upstream: 4, deploy: 1 },
      audit: {
        ...{ host: 'rpc.example', slots: 3, events: 4_000, missing: 1, extra: 0, different: 0 },
        ...{ faults: [], newest: null, trouble: null },
      },
    }

    const lines = (await text()).split('\n')

    for (const line of [
      'pairwire_decoder_alarm{program="Prog",exchange="pumpfun"} 0.4',
      'pairwire_decoder_calls_total{program="Prog",exchange="pumpfun",known="no"} 40',
      'pairwire_audit_faults_total{kind="missing"} 1',
      'pairwire_audit_events_total 4000',
      'pairwire_gap_slots_total{cause="deploy"} 1',
    ]) {
      expect(lines).toContain(line)
    }
  })
})
