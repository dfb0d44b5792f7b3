/** Columns or members with their types; a type may have members too. */
type Columns = Readonly<{ [name: string]: string | Columns }>

/** A string literal in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The path of a file to read, escaped so that no character acts as a wildcard. */
export const readPath = (path: string): string => quoted(path.replace(/[[*?]/g, '[$&]'))

const typeText = (type: string | Columns): string =>
  typeof type === 'string' ? type : `STRUCT(${listOf(type, (name, of) => `${name} ${typeText(of)}`)})`

const columnsText = (columns: Columns): string =>
  `{${listOf(columns, (name, of) => `${name}: ${quoted(typeText(of))}`)}}`

const listOf = (columns: Columns, write: (name: string, type: string | Columns) => string): string =>
  Object.entries(columns)
    .map(([name, type]) => write(name, type))
    .join(', ')

const named = (type: string, ...names: string[]): Columns =>
  Object.fromEntries(names.map((name) => [name, type]))

const PLACE = {
  ...named('VARCHAR', 'cursor', 'signature'),
  ...named('BIGINT', 'slot', 'blockTime', 'receivedAt'),
}

/** Amounts have up to 39 digits, so they are read as text. An amount beyond 64 bits becomes NULL. */
const amount = (path: string): string => `TRY_CAST(${path} AS UBIGINT)`

const SWAP_NAMES = [
  'sourceExchange',
  'launchpad',
  'ammAccount',
  'baseTokenMint',
  'quoteTokenMint',
  'walletAccount',
  'swapType',
]
const SWAP_AMOUNTS = ['baseAmount', 'quoteAmount', 'quoteTokenLiquidity']
const SWAP: Columns = {
  ...named('VARCHAR', ...SWAP_NAMES, ...SWAP_AMOUNTS, 'quotePrice'),
  usdValue: 'DOUBLE',
}

const TOKEN: Columns = {
  account: 'VARCHAR',
  info: {
    decimals: 'UTINYINT',
    supply: 'VARCHAR',
    metadata: {
      ...named('VARCHAR', 'name', 'symbol', 'logo'),
      socials: named('VARCHAR', 'website', 'x', 'telegram'),
    },
    ...named('VARCHAR', 'mintAuthority', 'freezeAuthority'),
  },
}
const PAIR_NAMES = ['sourceExchange', 'launchpad', 'ammAccount', 'migration']
const PAIR_AMOUNTS = ['baseTokenLiquidityAdded', 'quoteTokenLiquidityAdded']
const PAIR: Columns = {
  ...named('VARCHAR', ...PAIR_NAMES, ...PAIR_AMOUNTS),
  baseToken: TOKEN,
  quoteToken: TOKEN,
}

const BLOCK: Columns = {
  ...named('VARCHAR', 'cursor'),
  ...named('BIGINT', 'slot', 'blockTime', 'receivedAt'),
  ...named('VARCHAR', 'blockhash', 'parentBlockhash'),
  ...named('UINTEGER', 'swaps', 'pairs'),
}

const membersOf = (path: string, names: readonly string[], of = (member: string) => member): string =>
  names.map((name) => `${of(`${path}.${name}`)} AS ${name}`).join(', ')

/**
 * The swaps in a file of lines. Lines that the engine rejects as JSON, such as pairs with a lone surrogate in a name, are
 * skipped, so the caller must count.
 */
export const swapsOf = (path: string): string => `
  SELECT cursor, signature, ${membersOf('swap', SWAP_NAMES)}, slot, blockTime, receivedAt,
    TRY_CAST(swap.quotePrice AS DOUBLE) AS quotePrice, swap.usdValue AS usdValue, ${membersOf('swap', SWAP_AMOUNTS, amount)}
  FROM read_ndjson(${readPath(path)}, columns = ${columnsText({ ...PLACE, swap: SWAP })}, ignore_errors = true)
  WHERE swap IS NOT NULL`

/** The lines with pairs, and those with swaps whose last amount has so many digits that it may not fit. */
export const oddLinesOf = (path: string): string => `
  SELECT line, contains(line, '"pair":{') AS isPair,
    ${amount(`regexp_extract(line, '"quoteTokenLiquidity":"([0-9]{20,})"', 1)`)} IS NULL AS isBeyond
  FROM read_csv(${readPath(path)}, delim = '\\x01', quote = '', escape = '', header = false, auto_detect = false,
    columns = {line: 'VARCHAR'})
  WHERE contains(line, '"pair":{') OR regexp_matches(line, '"quoteTokenLiquidity":"[0-9]{20}')`

/** Replaces lone surrogates, which Parquet cannot hold, in their JSON form; escaped backslashes before them stay. */
const withoutHalves = (line: string): string =>
  String.raw`regexp_replace(${line}, '(^|[^\\])((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}', '\1\2\\ufffd', 'g')`

const token = (path: string): string => `struct_pack(account := ${path}.account,
  info := CASE WHEN ${path}.info IS NOT NULL THEN struct_pack(decimals := ${path}.info.decimals,
    supply := ${amount(`${path}.info.supply`)}, metadata := ${path}.info.metadata,
    mintAuthority := ${path}.info.mintAuthority, freezeAuthority := ${path}.info.freezeAuthority) END)`

/** The pairs in a table of {@link oddLinesOf}. Replaces twice, since one pass misses the second of two lone surrogates. */
export const pairsOf = (table: string): string => `
  SELECT event.cursor AS cursor, event.signature AS signature, ${membersOf('event.pair', PAIR_NAMES)},
    event.slot AS slot, event.blockTime AS blockTime, event.receivedAt AS receivedAt,
    ${membersOf('event.pair', ['baseToken', 'quoteToken'], token)}, ${membersOf('event.pair', PAIR_AMOUNTS, amount)}
  FROM (
    SELECT from_json(${withoutHalves(withoutHalves('line'))}, ${quoted(JSON.stringify({ ...PLACE, pair: PAIR }))}) AS event
    FROM ${table} WHERE isPair)`

/** The blocks of a spool. */
export const blocksOf = (path: string): string => `
  SELECT ${Object.keys(BLOCK).join(', ')} FROM read_ndjson(${readPath(path)}, columns = ${columnsText(BLOCK)})
  WHERE slot IS NOT NULL`
