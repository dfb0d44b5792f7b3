import { register } from 'tsx/esm/api'
import { anybody } from './anybody.mjs'

register()
const { createGateway } = await import('@pairwire/gateway')

/** A gateway that lets anybody in: one account, which may connect and ask as often as it likes. */
export function openGateway({ limits, ...options }) {
  return createGateway({
    accounts: anybody(),
    log: { info() {}, warn: console.error, error: console.error },
    simulated: false,
    docsUrl: 'http://localhost/docs',
    clientAddress: () => '127.0.0.1',
    ...options,
    limits: {
      connectsPerSecondPerAddress: 1e6,
      connectsPerSecondPerKey: 1e6,
      connectsBurstPerKey: 1e6,
      resumesPerMinute: 1e6,
      requestsPerSecond: 1e9,
      requestsBurst: 1e9,
      requestBytesPerSecond: 1e12,
      requestBytesBurst: 1e12,
      readingPerSecond: 1e12,
      readingBurst: 1e12,
      ...limits,
    },
  })
}
