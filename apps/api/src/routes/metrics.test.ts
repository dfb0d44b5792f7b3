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
      'pairwire_source_up 1',
      'pairwire_source_lag_seconds 0.8',
      'pairwire_source_latest_block 398214771',
      'pairwire_events_total{exchange="pumpfun",kind="swap"} 120',
      'pairwire_gateway_connections 2',
      'pairwire_gateway_subscriptions 5',
      'pairwire_gateway_queued_bytes 7',
      'pairwire_gateway_held_bytes 11',
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
