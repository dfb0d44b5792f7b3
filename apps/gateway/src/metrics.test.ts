import { createMetrics } from '@pairwire/process'
import { expect, it } from 'vitest'
import { gatewayMetrics } from './metrics.ts'

it("exposes the gateway's state and counts, with each reason and status as its own counter", async () => {
  const now = { connections: 2, subscriptions: 5, queuedBytes: 7, heldBytes: 11, newestSlotAgeMs: 400 }
  const done = { sentEvents: 1_234, sentBytes: 99_000, acceptedUpgrades: 3 }
  const codecs = { sse: { connections: 1, sentEvents: 34 } }
  const { text } = createMetrics([
    gatewayMetrics(() => ({
      ...now,
      ...done,
      codecs,
      refusedUpgrades: { 401: 6 },
      ended: { slowConsumer: 4 },
    })),
  ])
  await text()

  const lines = (await text()).split('\n')

  for (const line of [
    'pairwire_gateway_connections 2',
    'pairwire_gateway_connections_by_codec{codec="sse"} 1',
    'pairwire_gateway_sent_events_by_codec_total{codec="sse"} 34',
    'pairwire_gateway_subscriptions 5',
    'pairwire_gateway_queued_bytes 7',
    'pairwire_gateway_held_bytes 11',
    'pairwire_gateway_newest_slot_age_seconds 0.4',
    'pairwire_gateway_sent_events_total 1234',
    'pairwire_gateway_sent_bytes_total 99000',
    'pairwire_gateway_accepted_upgrades_total 3',
    'pairwire_gateway_refused_upgrades401_total 6',
    'pairwire_gateway_ended_slow_consumer_total 4',
  ]) {
    expect(lines).toContain(line)
  }
})
