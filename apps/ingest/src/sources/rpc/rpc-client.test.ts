import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHastyClock } from '../../testing/live-chain.ts'
import { createRpcClient } from './rpc-client.ts'

// Guards the stream: a block that never ends would hold up all others.
it('gives up an answer that does not begin in time, or does not continue', async () => {
  for (const beginning of [undefined, '{"jsonrpc":"2.0","result":']) {
    const server = createServer((_request, response) => {
      if (beginning !== undefined) response.write(beginning)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => server.closeAllConnections())
    const clock = createHastyClock(100)
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const client = createRpcClient({ url, token: undefined, clock })
    const { signal } = new AbortController()

    const outcome = Promise.race([client.call('getSlot', [], signal), clock.wait(60_000, signal)])

    await expect(outcome).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'The endpoint did not answer within 10 s.',
    })
    server.close()
  }
})
