import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

describe('GET /metrics', () => {
  it('gives what the parts count, twice the same', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await app.inject('/metrics')

    const answer = await app.inject('/metrics')

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const line of [
      'pairwire_part_up{part="database"} 1',
      'pairwire_disk_free_bytes 5000000000',
      'pairwire_events_kept_bytes 9000',
      'pairwire_events_kept_oldest_info{cursor="000000001-000398214000-000003-0001"} 1',
      'pairwire_source_up 1',
      'pairwire_source_lag_seconds 0.8',
      'pairwire_source_latest_block 398214771',
      'pairwire_events_total{exchange="pumpfun",kind="swap"} 120',
      'pairwire_gateway_connections 2',
      'pairwire_gateway_subscriptions 5',
      'pairwire_gateway_queued_bytes 7',
      'pairwire_gateway_held_bytes 11',
      'pairwire_gateway_newest_slot_age_seconds 0.4',
      'pairwire_source_blocks_total 40',
      'pairwire_decode_refusals_total{exchange="raydium",reason="truncated"} 2',
      'pairwire_event_lag_seconds_bucket{le="1"} 120',
      'pairwire_event_lag_seconds_bucket{le="+Inf"} 123',
      'pairwire_event_lag_seconds_sum 60',
      'pairwire_event_lag_seconds_count 123',
      'pairwire_gateway_notifications_sent_total 1234',
    ]) {
      expect(answer.payload.split('\n')).toContain(line)
    }
  })

  it('gives the shares of pairs with a name and a picture, and none before they are measured', async () => {
    const { app, source } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
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
      (await app.inject('/metrics')).payload
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

  it('gives the price of SOL with its age, its spread and how many pools agree, and no price while it is not known', async () => {
    const { app, source } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    const linesNow = async () =>
      (await app.inject('/metrics')).payload.split('\n').filter((line) => line.startsWith('pairwire_price_'))
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

  it('gives what the source of a live chain counts, and of each endpoint its state, slot and version', async () => {
    const { app, source } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
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
    await app.inject('/metrics')
    const [, resting] = source.live.endpoints
    source.live = {
      ...source.live,
      endpoints: [{ ...aged, version: 'yellowstone-grpc-geyser 15.1.2', trouble: null }, resting!],
    }

    const lines = (await app.inject('/metrics')).payload.split('\n')

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
    // A version of before an upgrade is not told beside the one of now.
    expect(lines.filter((line) => line.startsWith('pairwire_source_endpoint_info{'))).toHaveLength(1)
  })

  it('labels nothing with what a stranger or a user sent', async () => {
    const { app, post, email } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    await post('/api/login', { email })
    await app.inject('/api/made-up-path?t=secret')
    await app.inject('/made-up-page')

    const { payload } = await app.inject('/metrics')

    expect(payload).not.toMatch(/made-up|secret/)
    expect(payload).not.toContain(email)
    expect(payload).toContain('route="none",status="404"')
  })

  it('answers others for its token, and is nothing to who brings another', async () => {
    const metricsToken = 'a-token-of-the-operator'
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false, metricsToken })
    const ask = async (authorization?: string) =>
      (await app.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })).statusCode

    expect(await ask(`Bearer ${metricsToken}`)).toBe(200)
    expect(await ask(`bearer ${metricsToken}`)).toBe(200)
    for (const wrong of [undefined, 'Bearer', 'Bearer x', `Basic ${metricsToken}`, `Bearer ${metricsToken}x`])
      expect(await ask(wrong), wrong).toBe(404)
  })

  it('has no token that opens it when none is set', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, isLocal: false })

    for (const authorization of ['Bearer', 'Bearer undefined', 'Bearer null'])
      expect((await app.inject({ url: '/metrics', headers: { authorization } })).statusCode).toBe(404)
  })
})
