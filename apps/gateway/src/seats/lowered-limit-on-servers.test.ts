import { describe, expect, it } from 'vitest'
import { missingServers, startGateways } from '../testing/gateways-on-servers.ts'
import { connectClient } from '../testing/test-client.ts'

describe.skipIf(missingServers !== undefined)('on PostgreSQL and NATS, a lowered connection limit', () => {
  // Guards the limit: each gateway alone had no more connections than it allows.
  it('ends what the gateways have beyond it together, and leaves as many as it allows', async () => {
    const { accounts, api, gateways } = await startGateways()
    const email = 'ann@example.org'
    const { accountId, account } = await accounts.createAccount(email)
    const headers = { 'X-API-KEY': account.user.APIKey }
    await accounts.grantPlan(email, 3, 6)
    const urls = [...gateways, ...gateways]
    const clients = await Promise.all(urls.map((url) => connectClient(url, { headers })))
    const ended: number[] = []
    for (const { closed } of clients) void closed.then(({ code }) => ended.push(code))

    for (const [limit, excess] of [
      [4, 2],
      [1, 5],
    ] as const) {
      await accounts.grantPlan(email, 3, limit)
      await api.sendControl({ type: 'planChanged', accountId })

      await expect.poll(() => ended).toHaveLength(excess)
      const open = clients.filter(({ socket }) => socket.readyState === socket.OPEN)
      await Promise.all(open.map((client) => client.ask({ id: 1, method: 'swapSubscribe' })))
      expect(open).toHaveLength(limit)
    }

    expect(new Set(ended)).toEqual(new Set([4029]))
    for (const { socket } of clients) socket.terminate()
  })
})
