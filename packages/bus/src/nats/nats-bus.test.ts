import { afterAll, beforeAll, describe } from 'vitest'
import { describeBus, SUITE_MAX_BYTES } from '../bus.suite.ts'
import { type NatsServer, startNatsServer, whyNoNatsServer } from '../testing/nats-server.ts'
import { type NatsBusOptions, openNatsBus, readNatsAddress } from './nats-bus.ts'

const missing = whyNoNatsServer()
if (missing) console.warn(`The bus on NATS is not tested: ${missing}.`)

describe.skipIf(missing !== undefined)('on NATS', () => {
  let server: NatsServer
  let opened = 0
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server?.stop())

  const openBus = (options: Partial<NatsBusOptions> = {}) =>
    openNatsBus({
      address: readNatsAddress(server.url),
      source: 'chain',
      retention: { milliseconds: 3_600_000, bytes: SUITE_MAX_BYTES },
      // The version of the machine's own nats-server does not matter here.
      log: { info() {}, warn: (line) => line.includes(' is version ') || console.warn(line) },
      maxBytes: 1_000,
      takeOverMs: 0,
      prefix: `test-${opened++}`,
      ...options,
    })

  const underTest = async () => {
    const bus = await openBus()
    return { bus, settled: bus.settled }
  }
  describeBus('NATS', underTest, { many: 1_000 })
})
