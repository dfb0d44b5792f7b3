import { createServer } from 'node:http'
import { product } from './product.mjs'

const { createGateway } = await product('apps/gateway/src/index.ts')

export const log = { info() {}, warn: console.error, error: console.error }

/** High enough that no client of a benchmark reaches a rate limit. */
const WITHOUT_RATES = {
  connectsPerSecondPerKey: 1e6,
  connectsBurstPerKey: 1e6,
  resumesPerMinute: 1e6,
  requestsPerSecond: 1e9,
  requestsBurst: 1e9,
  requestBytesPerSecond: 1e12,
  requestBytesBurst: 1e12,
  readingPerSecond: 1e12,
  readingBurst: 1e12,
}

/**
 * A gateway with its own HTTP server. It admits anybody, on the largest plan: all as one account without rates, or each key
 * as a separate account with the rates of production.
 */
export function openGateway({ isProduction = false, limits, ...options }) {
  const gateway = createGateway({
    accounts: anybody(isProduction),
    ...{
      log,
      simulated: false,
      docsUrl: 'http://localhost/docs',
      supportEmail: 'support@pairwire.example',
      clientAddress: () => '127.0.0.1',
    },
    ...options,
    limits: { connectsPerSecondPerAddress: 1e6, ...(isProduction ? {} : WITHOUT_RATES), ...limits },
  })
  const server = createServer((request, response) => gateway.handleRequest(request, response))
  return { gateway, server: server.on('upgrade', gateway.handleUpgrade) }
}

/** Accounts in which every key belongs to one account, or to an account of its own. */
function anybody(isEachOwn) {
  const standing = { key: 'bench', plan: 'bench' }
  const authorize = async (key) => ({
    outcome: 'allowed',
    accountId: isEachOwn ? key : 'bench',
    planId: 3,
    connectionLimit: 1_000_000,
    endsAt: null,
    planInForceId: 'bench',
    period: '2026-11-01',
    periodEndsAt: new Date(Date.now() + 86_400_000),
    standing,
    delivered: { newPair: 0, swap: 0 },
  })
  return {
    authorizeKey: authorize,
    authorizeAccount: authorize,
    readStandings: async (ids) => new Map(ids.map((id) => [id, standing])),
    recordDelivered: async () => [],
    recordConnections: async () => {},
  }
}
