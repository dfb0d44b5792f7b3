import type { Launchpad } from '@pairwire/contract/exchanges'
import { KeyTable } from '../bytes/key-table.ts'

/**
 * Launchpads that use a shared program: by the platform or configuration account that each trade, creation and
 * migration names, or by the signer of all their curves. Unlisted ones are unknown; nothing is guessed from a mint's
 * suffix.
 */
const PLATFORMS = new KeyTable<Launchpad>([
  // LaunchLab's platform_config. https://github.com/chainstacklabs/pumpfun-bonkfun-bot (platforms/letsbonk)
  ['5thqcDwKp5QQ8US4XRMoseGeGbmLKMmoKZmS6zHrQAsA', 'letsbonk'],
  // letsbonkdotfun-sdk's constants; the platform ids of letsbonk.fun in queries of Raydium's launch-mint-v1 API
  ['FfYek5vEz23cMkWsdJwG2oa6EphsvXSHrGpdALN4g6W1', 'letsbonk'],
  ['BuM6KDpWiTcxvrpXywWFiw45R2RNH8WURdvqoTDV1BW4', 'letsbonk'],
  ['82NMHVCKwehXgbXMyzL41mvv3sdkypaMCtTxvJ4CtTzm', 'letsbonk'],
  // https://github.com/chainstacklabs/pumpfun-bonkfun-bot (its page on LaunchLab's platforms)
  ['6BwHHDg3u1854jC8PDLXvR4spTcLNaoBxLJNGC4nTESt', 'stonkfun'],
  ['4E876qZTE9FJMrBzgVtBrSrzz2TLivB5Y5QXPjB4gZL7', 'stonkfun'],
  // Raydium's own, with this name on the chain
  ['4Bu96XjU84XjPDSpveTVf6LYGCkfW5FK7SNkREWcEfV4', 'raydium_launchlab'],

  // Meteora DBC: the signer. https://github.com/DefiLlama/dimension-adapters (bags), https://docs.bags.fm
  ['BAGSB9TpGrZxQbEsrEznv5jXXdwyP6AXerN8aVRiAmcv', 'bags'],
  // https://docs.bitquery.io (Believe's token authority on Meteora DBC)
  ['5qWya6UjwWnGVhdSBL3hyZ7B45jbk6Byt1hwd7ohEGXE', 'believe'],
  // Meteora DBC: the configuration. https://github.com/DefiLlama/dimension-adapters (trends.fun)
  ['7UNpFBfTdWrcfS7aBQzEaPgZCfPJe8BDgHzwmWUZaMaF', 'trends'],
  ['7UMR4yEaVYsQGbQGvxNUypFmPn15GkzVmwUEpUFJUPPX', 'trends'],
  // https://dune.com/queries/6559141
  ['7UQpAg2GfvwnBhuNAF5g9ujjDmkq7rPnF7Xogs4xE9AA', 'trends'],
  ['7UP2hcAoYvyzumQv3BtvmXDCQk2WoqMEXKym8cCdLAh6', 'trends'],
  // A public list whose author read each off the chain on 2026-09-28
  ['FbKf76ucsQssF7XZBuzScdJfugtsSKwZFYztKsMEhWZM', 'moonshot'],
  ['7SXEnhGRXVkR5LEE4o6xXYwcX6QJbFemMS3mbmMRHSDn', 'believe'],
  ['BkoMF8PzYwoVQTKcQ6uNeQrHytw1jJN6ig4JzjcKS3iF', 'daosfun'],
])

/** Returns the launchpad of this platform, configuration or signer account; null if unknown. */
export function launchpadOf(platform: Uint8Array): Launchpad | null {
  return PLATFORMS.get(platform) ?? null
}
