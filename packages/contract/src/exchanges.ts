/** Proprietary AMMs, and Manifest, an order book: pairs trade there, but none begins there. */
const QUOTED_NAMES = {
  bisonfi: 'BisonFi',
  goonfi_v2: 'GoonFi V2',
  tessera: 'Tessera V',
  scorch: 'Scorch',
  quantum: 'Quantum',
  alphaq: 'AlphaQ',
  humidifi: 'HumidiFi',
  solfi_v2: 'SolFi V2',
  zerofi: 'ZeroFi',
  manifest: 'Manifest',
  obric_v2: 'Obric V2',
}

/**
 * The programs in which a pair can trade, by their names on the wire, each with its common name. An open list: a client meets
 * new names when a decoder is added. `raydium` means both of Raydium's constant-product programs, AMM v4 and CPMM; `byreal`
 * and `pancakeswap` run Raydium's CLMM under their own addresses.
 */
const NAMES = {
  pumpfun: 'Pump.fun',
  pumpswap: 'PumpSwap',
  raydium: 'Raydium',
  raydium_launchlab: 'LaunchLab',
  raydium_clmm: 'Raydium CLMM',
  meteora_dlmm: 'Meteora',
  meteora_damm: 'Meteora v1',
  meteora_damm_v2: 'Meteora v2',
  meteora_dbc: 'Meteora DBC',
  orca_whirlpool: 'Orca',
  moonshot: 'Moonshot',
  boop: 'Boop',
  heaven: 'Heaven',
  byreal: 'Byreal',
  pancakeswap: 'PancakeSwap',
  ...QUOTED_NAMES,
}

/** An exchange by its name on the wire. */
export type Exchange = keyof typeof NAMES

/** Every exchange. */
export const EXCHANGES = /* @__PURE__ */ Object.keys(NAMES) as readonly Exchange[]

/** Exchanges on which pairs begin. */
export const PAIR_EXCHANGES = /* @__PURE__ */ EXCHANGES.filter((exchange) => !(exchange in QUOTED_NAMES))

/** Exchanges without a recorded trade so far: their decoders are based on public code only. */
export const UNSEEN_EXCHANGES: readonly Exchange[] = ['heaven', 'scorch', 'quantum']

/** The common name; for an unknown exchange, its name on the wire. */
export function exchangeName(exchange: string): string {
  return KNOWN_NAMES.get(exchange) ?? exchange
}

/** Includes the name under which LaunchLab tokens whose mint ends in `bonk` are counted and shown. */
const KNOWN_NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ ...NAMES, bonk: 'Bonk' }))

/** Exchanges whose pairs trade on a bonding curve until they graduate to a pool. */
export const LAUNCHPADS: ReadonlySet<string> = new Set<Exchange>([
  'pumpfun',
  'raydium_launchlab',
  'meteora_dbc',
  'moonshot',
  'boop',
])

/**
 * The launchpads with a name of their own, beside the exchange whose program they use. An open list: a platform that no
 * public source names is not on it.
 */
export type Launchpad =
  | 'pumpfun'
  | 'pump_mayhem'
  | 'letsbonk'
  | 'bags'
  | 'believe'
  | 'jupiter_studio'
  | 'stonkfun'
  | 'raydium_launchlab'
  | 'trends'
  | 'daosfun'
  | 'moonshot'
  | 'boop'
  | 'heaven'

/** The launchpads that a pool may have graduated from, as `migration` spells them. */
export const MIGRATION_SOURCES = ['pumpfun', 'raydium_launchpad', 'meteora_dbc'] as const

/** One of {@link MIGRATION_SOURCES}; LaunchLab keeps the older clients' word `raydium_launchpad` here. */
export type MigrationSource = (typeof MIGRATION_SOURCES)[number]
