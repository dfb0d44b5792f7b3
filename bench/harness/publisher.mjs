// Services behind nats-server: their publisher, and their configuration.
import { log } from './gateway.mjs'
import { product } from './product.mjs'

/** Starts nats-server, opens a bus that publishes to it, and returns both. */
export async function openPublisher(serverOptions) {
  const { openNatsBus, readNatsAddress } = await product('packages/bus/src/nats/nats-bus.ts')
  const { startNatsServer } = await import('../../packages/bus/src/testing/nats-server.ts')
  const server = await startNatsServer(serverOptions)
  const bus = await openNatsBus({
    ...{ address: readNatsAddress(server.url), source: 'chain', maxBytes: 1e6, takeOverMs: 0, log },
    retention: { milliseconds: 3_600_000, bytes: 1e9 },
  })
  return {
    url: server.url,
    publish: (events) => void bus.publish(events, String(events[0].params.slot)),
    async close() {
      await bus.close()
      await server.stop()
    },
  }
}
