/**
 * The programs in which a pair can trade, by their names on the wire. An open list: a client meets new names
 * when a decoder is added. `raydium` stands for both of Raydium's constant-product programs, AMM v4 and CPMM.
 */
export const EXCHANGES = ['pumpfun', 'pumpswap', 'raydium', 'raydium_launchlab'] as const

/** One of {@link EXCHANGES}. */
export type Exchange = (typeof EXCHANGES)[number]

/** Exchanges whose pairs trade on a bonding curve until they graduate to a pool. */
export const LAUNCHPADS: ReadonlySet<string> = new Set<Exchange>(['pumpfun', 'raydium_launchlab'])

/** The launchpads from which a pool may have graduated, as `migration` spells them. */
export const MIGRATION_SOURCES = ['pumpfun', 'raydium_launchpad'] as const

/** One of {@link MIGRATION_SOURCES}; LaunchLab keeps the older clients' word `raydium_launchpad` here. */
export type MigrationSource = (typeof MIGRATION_SOURCES)[number]
