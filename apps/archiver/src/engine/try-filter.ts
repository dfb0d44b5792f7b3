import type { DuckDBListValue } from '@duckdb/node-api'
import { readPath } from './columns.ts'
import type { Answer, Question } from './messages.ts'
import { rowsOf } from './query.ts'

/** Newest matches that are returned. */
const SHOWN = 20

const SECONDS = 60

/** Finds rows that Parquet holds only in part, since an amount is beyond 64 bits. They are counted but not shown. */
const IS_EXACT = {
  swap: 'baseAmount IS NOT NULL AND quoteAmount IS NOT NULL',
  newPair: `baseTokenLiquidityAdded IS NOT NULL AND quoteTokenLiquidityAdded IS NOT NULL
    AND (baseToken.info IS NULL OR baseToken.info.supply IS NOT NULL)
    AND (quoteToken.info IS NULL OR quoteToken.info.supply IS NOT NULL)`,
}

/** Amounts as text, since JSON numbers are too small for them. */
const AS_TEXT = {
  swap: asText('baseAmount', 'quoteAmount', 'quoteTokenLiquidity'),
  newPair: `${asText('baseTokenLiquidityAdded', 'quoteTokenLiquidityAdded')}, ${withSupply('baseToken')}, ${withSupply('quoteToken')}`,
}

/** Tries a filter on an hour in one pass: counts matches, finds the busiest minute, and returns the newest ones. */
export async function tryFilter({ kind, path, condition }: Question<'try'>): Promise<Answer<'try'>> {
  const file = `read_parquet(${readPath(path)}, file_row_number = true)`
  const minutes = await rowsOf(`SELECT blockTime // ${SECONDS} AS minute, count(*) AS matched,
    max(file_row_number, ${SHOWN}) FILTER (${IS_EXACT[kind]}) AS newest
    FROM ${file} WHERE ${condition} GROUP BY minute ORDER BY matched DESC, minute`)
  const [busiest] = minutes
  const newest = minutes
    .flatMap((minute) => (minute.newest ? (minute.newest as DuckDBListValue).items : [])) // a list, as `max` of several is
    .map(Number)
    .sort((one, other) => other - one)
    .slice(0, SHOWN)
  const select = `SELECT cursor, to_json(event)::VARCHAR AS event
    FROM (SELECT * EXCLUDE file_row_number REPLACE (${AS_TEXT[kind]}) FROM ${file}
      WHERE file_row_number IN (${newest.join(', ')})) AS event ORDER BY cursor DESC`
  const shown = newest.length === 0 ? [] : await rowsOf(select)
  return {
    matched: minutes.reduce((all, { matched }) => all + Number(matched), 0),
    busiestMinute: busiest
      ? { at: Number(busiest.minute) * SECONDS, matched: Number(busiest.matched) }
      : null,
    sample: shown.map(({ cursor, event }) => {
      const row = JSON.parse(String(event)) as Row // as the columns of its file are
      return { cursor: String(cursor), params: kind === 'swap' ? swapParams(row) : pairParams(row) }
    }),
  }
}

/** Digits that every price has. */
const LEAST_DIGITS = 9

type Row = Record<string, unknown>

function swapParams(row: Row): unknown {
  const { cursor: _cursor, receivedAt: _receivedAt, slot, signature, blockTime, ...swap } = row
  const { sourceExchange, launchpad, ammAccount, baseTokenMint, quoteTokenMint, walletAccount } = swap
  const { quotePrice, usdValue, baseAmount, quoteAmount, swapType, quoteTokenLiquidity } = swap
  return {
    ...{ slot, signature, blockTime },
    swap: {
      ...{ sourceExchange, ...ifKnown({ launchpad }), ammAccount, baseTokenMint, quoteTokenMint },
      ...{ walletAccount, quotePrice: priceText(Number(quotePrice)), usdValue },
      ...{ baseAmount, quoteAmount, swapType, quoteTokenLiquidity: quoteTokenLiquidity ?? '' },
    },
  }
}

function pairParams(row: Row): unknown {
  const { slot, signature, blockTime, sourceExchange, launchpad, ammAccount, baseToken, quoteToken } = row
  const { baseTokenLiquidityAdded, quoteTokenLiquidityAdded, migration } = row
  return {
    ...{ slot, signature, blockTime },
    pair: {
      ...{ sourceExchange, ...ifKnown({ launchpad }), ammAccount, baseToken, quoteToken },
      ...{ baseTokenLiquidityAdded, quoteTokenLiquidityAdded, migration },
    },
  }
}

/** The price with the digits that the stream promises; a small or large one has an exponent, which the stream allows too. */
function priceText(price: number): string {
  const digits = String(price)
    .replace(/e.*$/, '')
    .replace(/^0\.0*|\./g, '').length
  return price.toPrecision(Math.max(LEAST_DIGITS, digits))
}

function ifKnown(member: Row): Row {
  return Object.values(member)[0] === null ? {} : member
}

function asText(...columns: string[]): string {
  return columns.map((column) => `${column}::VARCHAR AS ${column}`).join(', ')
}

function withSupply(token: string): string {
  return `struct_pack(account := ${token}.account, info := CASE WHEN ${token}.info IS NOT NULL THEN
    struct_pack(decimals := ${token}.info.decimals, supply := ${token}.info.supply::VARCHAR,
      metadata := ${token}.info.metadata, mintAuthority := ${token}.info.mintAuthority,
      freezeAuthority := ${token}.info.freezeAuthority) END) AS ${token}`
}
