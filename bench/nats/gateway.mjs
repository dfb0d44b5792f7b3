// The gateway of this benchmark, alone in its process: `node gateway.mjs <nats url> <port>`.
import { createServer } from 'node:http'
import { register } from 'tsx/esm/api'

register()
const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
const { openGateway } = await import('../open-gateway.mjs')

const [url, port] = process.argv.slice(2)
const bus = await openNatsBus({
  address: readNatsAddress(url),
  source: 'chain',
  retention: { milliseconds: 3_600_000, bytes: 1e9 },
  maxBytes: 32 * 1024 * 1024,
  log: { info() {}, warn: console.error },
})
const gateway = openGateway({ bus })
const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
server.listen(Number(port), '127.0.0.1', () => process.send('listening'))
process.on('disconnect', () => process.exit(0))
