import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aBlock, aSwap } from '../testing/events.ts'
import { missingServers, startGateways } from '../testing/gateways-on-servers.ts'
import { readStream } from '../testing/stream-reader.ts'

describe.skipIf(missingServers !== undefined)('on PostgreSQL and NATS, a stream over HTTP', () => {
  // Guards people behind a proxy: the gateway that they come back to is seldom the one that holds their place.
  it('gives way to its own client at another gateway, and to nobody else', async () => {
    const { accounts, api, gateways } = await startGateways()
    const { account } = await accounts.createAccount('ann@example.org')
    await accounts.grantPlan('ann@example.org', 3, 1)
    const headers = { 'X-API-KEY': account.user.APIKey }
    const ports = gateways.map((url) => Number(new URL(url).port)) as [number, number, number]
    await api.publish([aSwap(), aBlock()])
    const silent = connect(ports[0], '127.0.0.1')
    onTestFinished(() => void silent.destroy())
    let said = ''
    silent.on('data', (bytes) => {
      said += String(bytes)
    })
    silent.write(`GET /v1/stream/swaps HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${headers['X-API-KEY']}\r\n\r\n`)
    const swap = aSwap()
    await expect.poll(() => said).toContain(': alive')
    await api.publish([swap])
    await expect.poll(() => said).toContain(`id: ${swap.cursor}`)
    silent.removeAllListeners('data').pause()

    const stranger = await readStream(ports[1], '/v1/stream/swaps', { headers })
    const other = await readStream(ports[1], '/v1/stream/pairs', {
      headers: { ...headers, 'last-event-id': swap.cursor },
    })
    const own = await readStream(ports[2], '/v1/stream/swaps', {
      headers: { ...headers, 'last-event-id': swap.cursor },
    })

    expect([stranger.status, other.status, own.status]).toEqual([429, 429, 200])
    own.request.destroy()
  })
})
