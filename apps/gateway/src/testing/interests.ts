import type { Interest } from '@pairwire/filter'
import type { Hub } from '../fanout/hub.ts'
import type { HubClient } from '../fanout/hub-member.ts'

/** Every swap. */
export const everySwap: Interest = {
  kind: 'swap',
  timestamps: false,
  facts: false,
  filter: null,
  accountsInFilter: 0,
}

/** Swaps of one mint. */
export const swapsOf = (mint: string): Interest => ({
  kind: 'swap',
  timestamps: false,
  facts: false,
  filter: { pools: new Set(), wallets: new Set(), mints: new Set([mint]), usdAtLeast: null },
  accountsInFilter: 1,
})

/** All swaps except those of one mint. */
export const swapsBut = (mint: string): Interest => ({
  kind: 'swap',
  timestamps: false,
  facts: false,
  filter: {
    pools: new Set(),
    wallets: new Set(),
    mints: new Set(),
    usdAtLeast: null,
    narrowing: {
      matchAll: false,
      exclude: { pools: new Set(), wallets: new Set(), mints: new Set([mint]) },
      sourceExchanges: null,
      swapTypes: null,
    },
  },
  accountsInFilter: 1,
})

/** Gives the client a confirmed subscription. */
export const put = (hub: Pick<Hub, 'put'>, client: HubClient, id: number, interest: Interest) =>
  hub.put(client, interest.kind, { id, kind: interest.kind, origin: 'confirmed', interest })
