import type { Launchpad } from '@pairwire/contract/exchanges'
import { KeyTable } from './key-table.ts'

/**
 * Launchpads that are customers of a program of several: by the account that each trade, creation and migration
 * names for its platform. A platform that is not listed is not known; nothing is guessed from a mint's ending.
 */
const PLATFORMS = new KeyTable<Launchpad>([
  // LaunchLab's platform_config. https://github.com/chainstacklabs/pumpfun-bonkfun-bot (platforms/letsbonk)
  ['5thqcDwKp5QQ8US4XRMoseGeGbmLKMmoKZmS6zHrQAsA', 'letsbonk'],
])

/** The launchpad whose platform or configuration this account is; null when it is not known. */
export function launchpadOf(platform: Uint8Array): Launchpad | null {
  return PLATFORMS.get(platform) ?? null
}
