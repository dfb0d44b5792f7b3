import { bucketTest } from './bucket-term.ts'
import { exchangeName } from './exchange-name.ts'
import { type Row, type RowKind, rowKind } from './row.ts'

/** Which rows are wanted: a chip and the text of the filter box. */
export type RowFilter = Readonly<{ kind: RowKind; text: string }>

/** The filter that lets every row through. */
export const NO_FILTER: RowFilter = { kind: 'all', text: '' }

/**
 * Makes the test for a filter's text. Words are looked for, in any case, in symbol, name, mint, wallet, signature and
 * exchange, and in a message's words; `"…"` asks for a whole field, letter by letter; `>1000` and `<50` are US
 * dollars; `@14:03:07.200+412` is a bucket of the chart. A row must pass all of them.
 *
 * @returns `undefined` when there is nothing to test.
 */
export function rowTest({ kind, text }: RowFilter): ((row: Row) => boolean) | undefined {
  const tests = [...text.matchAll(TERMS)].map(([term]) => termTest(term))
  if (kind !== 'all') tests.unshift((row) => rowKind(row) === kind)
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row))
}

/** A quoted term, an unclosed one to the end, or a word. */
const TERMS = /"[^"]*"?|[^\s"]+/g

function termTest(term: string): (row: Row) => boolean {
  if (term.startsWith('"')) {
    const exact = term.replace(/^"|"$/g, '')
    return exact === '' ? () => true : (row) => fieldsOf(row).includes(exact)
  }
  const isInBucket = bucketTest(term)
  if (isInBucket) return ({ at }) => isInBucket(at)
  const bound = /^([<>])\$?([\d,]+(?:\.\d*)?)$/.exec(term)
  if (bound) {
    const usd = Number(bound[2]!.replaceAll(',', ''))
    const isAbove = bound[1] === '>'
    return ({ reading }) =>
      reading.kind === 'swap' && reading.usd !== null && (isAbove ? reading.usd > usd : reading.usd < usd)
  }
  const part = term.toLowerCase()
  return (row) => fieldsOf(row).some((field) => field.toLowerCase().includes(part))
}

function fieldsOf({ reading, symbol }: Row): string[] {
  switch (reading.kind) {
    case 'swap':
      return [symbol, reading.mint, reading.wallet, reading.signature, ...exchangeFields(reading)]
    case 'pair':
      return [reading.symbol, reading.name, reading.mint, reading.signature, ...exchangeFields(reading)]
    case 'message':
      return [reading.words, reading.detail]
  }
}

/** The name that is shown, and the stream's own where that is the same exchange. */
function exchangeFields({ exchange, mint }: Readonly<{ exchange: string; mint: string }>): string[] {
  const shown = exchangeName(exchange, mint)
  return shown === exchangeName(exchange, '') ? [shown, exchange] : [shown]
}
