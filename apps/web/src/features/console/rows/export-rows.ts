import { quoteSymbol } from '@pairwire/contract/mints'
import type { Row } from '../feed/row.ts'
import { exchangeFace } from './exchange-face.ts'
import { rowTime } from './row-sentence.ts'

/** Exports a row per line, newest first, as received; the console's own messages are omitted. */
export function asNdjson(rows: readonly Row[]): string {
  return rows
    .filter(({ text }) => text !== '')
    .map(({ text }) => `${isJson(text) ? text.replace(/[\r\n]+/g, ' ') : JSON.stringify(text)}\n`)
    .join('')
}

/**
 * Exports the rows as a table for spreadsheets: RFC 4180, with a header, each cell safe to open. `nameOf` returns the
 * name of a swap's token.
 */
export function asCsv(rows: readonly Row[], nameOf: (mint: string) => string = () => ''): string {
  const lines = rows.map((row) => {
    const cells = cellsOf(row, nameOf)
    return HEAD.map((name) => cells[name] ?? '')
  })
  return [HEAD, ...lines].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
}

const HEAD = [
  ...(['time', 'kind', 'exchange', 'symbol', 'name', 'mint', 'quote_price', 'quote'] as const),
  ...(['usd_value', 'wallet', 'signature', 'message'] as const),
]

function cellsOf(row: Row, nameOf: (mint: string) => string): Partial<Record<(typeof HEAD)[number], string>> {
  const { reading, symbol } = row
  const time = new Date(rowTime(row, 0)).toISOString()
  if (reading.kind === 'message') {
    return { time, kind: reading.tone, message: `${reading.words} ${reading.detail}`.trim() }
  }
  const { mint, quoteMint, signature } = reading
  const exchange = exchangeFace(reading.exchange, mint).name
  const trade = { time, exchange, mint, quote: quoteSymbol(quoteMint) ?? quoteMint, signature }
  if (reading.kind === 'pair') {
    const kind = reading.isMigration ? 'migration' : 'new pair'
    return { ...trade, kind, symbol: reading.symbol, name: reading.name }
  }
  const { isBuy, price, usd, wallet } = reading
  const usd_value = usd === null ? '' : String(usd)
  const kind = isBuy ? 'buy' : 'sell'
  return { ...trade, kind, symbol, name: nameOf(mint), quote_price: price, usd_value, wallet }
}

/**
 * Quotes a cell. Spreadsheets evaluate text that begins like a formula, and names come from strangers: a leading
 * apostrophe makes it text.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function cell(value: string): string {
  const isFormula = /^\s*[=+\-@|%\t\r\n＝＋－＠]/u.test(value) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)
  return `"${(isFormula ? `'${value}` : value).replaceAll('"', '""')}"`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
