import { bucketTest } from './bucket-term.ts'
import { exchangeName } from './exchange-name.ts'
import { type Row, type RowKind, rowKind } from './row.ts'

/** The wanted rows: a chip and the text of the filter box. */
export type RowFilter = Readonly<{ kind: RowKind; text: string }>

/** The filter that accepts every row. */
export const NO_FILTER: RowFilter = { kind: 'all', text: '' }

/**
 * Makes the test for a filter's text. Words are searched, in any case, in symbol, name, mint, wallet, signature and
 * exchange, and in a message's words; `"…"` matches a whole field exactly; `>1000` and `<50` are US dollars;
 * `@14:03:07.200+412` is a bucket of the chart. A row must pass all of them.
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
  const isInBucket = bucketTest(term)
  if (isInBucket) return ({ at }) => isInBucket(at)
  const bound = BOUND.exec(term)
  if (bound) {
    const usd = Number(bound[2]!.replaceAll(',', ''))
    const isAbove = bound[1] === '>'
    return ({ reading }) =>
      reading.kind === 'swap' && reading.usd !== null && (isAbove ? reading.usd > usd : reading.usd < usd)
  }
  const test = fieldTest(term)
  return test ? (row) => Object.values(fieldsOf(row)).flat().some(test) : () => true
}

/** US dollars above or below. */
const BOUND = /^([<>])\$?([\d,]+(?:\.\d*)?)$/

/** Makes the test of one field for a word or a quoted term; `undefined` for a term of another kind. */
function fieldTest(term: string): ((field: string) => boolean) | undefined {
  if (term.startsWith('"')) {
    const exact = term.replace(/^"|"$/g, '')
    return exact === '' ? undefined : (field) => field === exact
  }
  if (bucketTest(term) || BOUND.test(term)) return undefined
  const part = term.toLowerCase()
  return (field) => field.toLowerCase().includes(part)
}

/** A searchable part of a row. */
type RowPart = 'token' | 'mint' | 'wallet' | 'signature' | 'exchange' | 'message'

/** Returns the parts of a row that contain the words of a filter's text; none without words. */
export function matchedParts(row: Row, text: string): readonly string[] {
  const tests = [...text.matchAll(TERMS)].flatMap(([term]) => fieldTest(term) ?? [])
  return Object.entries(fieldsOf(row))
    .filter(([, fields]) => fields.some((field) => tests.some((test) => test(field))))
    .map(([part]) => part)
}

function fieldsOf({ reading, symbol }: Row): Readonly<Partial<Record<RowPart, readonly string[]>>> {
  if (reading.kind === 'message') return { message: [reading.words, reading.detail] }
  return {
    token: reading.kind === 'swap' ? [symbol] : [reading.symbol, reading.name],
    mint: [reading.mint],
    wallet: reading.kind === 'swap' ? [reading.wallet] : [],
    signature: [reading.signature],
    exchange: exchangeFields(reading),
  }
}

/** Returns the displayed name, and the stream's own if that is the same exchange. */
function exchangeFields({ exchange, mint }: Readonly<{ exchange: string; mint: string }>): string[] {
  const shown = exchangeName(exchange, mint)
  return shown === exchangeName(exchange, '') ? [shown, exchange] : [shown]
}
