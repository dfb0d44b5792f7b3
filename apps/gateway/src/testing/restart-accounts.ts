import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { PLANS } from '@pairwire/contract'
import type { GatewayOptions } from '../gateway.ts'
import { CAPPED_PLAN } from './capped-accounts.ts'

/** The key of all clients without a cap. */
export const PRO_KEY = '0'.repeat(32)
const PRO = PLANS.at(-1)!

/**
 * Accounts of a service that is killed repeatedly, each named by its key: all but one have the plan with a cap.
 * Recorded swaps are lines of `file`, as durable as a database.
 */
export function createRestartAccounts(file: string): GatewayOptions['accounts'] {
  const authorize = (key: string) => ({
    outcome: 'allowed' as const,
    accountId: key,
    planId: key === PRO_KEY ? PRO.id : CAPPED_PLAN.id,
    connectionLimit: 1_000,
    endsAt: null,
    planInForceId: 'paid',
    period: '2026-11-01',
    periodEndsAt: new Date('2126-12-01T00:00:00Z'),
    standing: { key, plan: 'paid' },
    delivered: { newPair: 0, swap: key === PRO_KEY ? 0 : (readSwaps(file).get(key) ?? 0) },
  })
  return {
    authorizeKey: async (key) => authorize(key),
    authorizeAccount: async (key) => authorize(key),
    readStandings: async (ids) => new Map(ids.map((id) => [id, { key: id, plan: 'paid' }])),
    recordDelivered: async (rows) => {
      const swaps = rows.filter(({ accountId, kind }) => accountId !== PRO_KEY && kind !== 'newPair')
      if (swaps.length > 0)
        appendFileSync(file, swaps.map(({ accountId, count }) => `${accountId} ${count}\n`).join(''))
      return []
    },
    recordConnections: async () => {},
    recordRefusedUpgrades: async () => {},
    mayReplay: async () => false,
  }
}

/** Reads the recorded swaps, by account. */
export function readSwaps(file: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  if (!existsSync(file)) return sums
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [accountId = '', count] = line.split(' ')
    sums.set(accountId, (sums.get(accountId) ?? 0) + Number(count))
  }
  return sums
}
