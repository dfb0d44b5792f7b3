// The gateway of this benchmark, alone in its process: `node gateway.mjs <nats url> <port>`.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'

register()
const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
const { createGateway } = await import('@pairwire/gateway')
const { anybody } = await import('../anybody.mjs')

const [url, port] = process.argv.slice(2)
const log = { info() {}, warn: console.error, error: console.error }
const bus = await openNatsBus({
  address: readNatsAddress(url),
  source: 'chain',
  retention: { milliseconds: 3_600_000, bytes: 1e9 },
  maxBytes: 32 * 1024 * 1024,
  log,
})
const gateway = createGateway({
  bus,
  accounts: anybody(),
  log,
  simulated: false,
  docsUrl: 'http://localhost/docs',
  clientAddress: () => '127.0.0.1',
  limits: {
    connectsPerSecondPerAddress: 1e6,
    connectsPerSecondPerKey: 1e6,
    connectsBurstPerKey: 1e6,
    requestsPerSecond: 1e6,
    requestsBurst: 1e6,
  },
})
const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
server.listen(Number(port), '127.0.0.1', () => process.send('listening'))
process.on('disconnect', () => process.exit(0))
