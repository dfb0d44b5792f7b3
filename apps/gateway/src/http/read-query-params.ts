import { isObject } from '@pairwire/basics'

/** Params that are lists, in lower case. */
const LISTS = new Set(
  'ammaccount walletaccount basetokenmint sourceexchange swaptype stage creator'.split(' '),
)
const NUMBERS = new Set(['usdvalue'])

/**
 * Reads the params of a subscribe from a query: nested by dots, lists by commas or repeated. Values that are not what their
 * name asks for stay texts, for which the reader of params has its sentences.
 *
 * @param others names that are no params
 */
export function readQueryParams(
  query: URLSearchParams,
  others: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const params: Record<string, unknown> = Object.create(null)
  for (const [path, text] of query) {
    if (others.has(path)) continue
    const at = path.indexOf('.')
    const place = at < 0 ? params : objectIn(params, spelledIn(params, path.slice(0, at)))
    const name = spelledIn(place, path.slice(at + 1))
    const before = place[name]
    place[name] = LISTS.has(name.toLowerCase())
      ? [...(Array.isArray(before) ? before : []), ...text.split(',').filter(Boolean)]
      : scalarOf(name, text)
  }
  return params
}

/** The name as it stands there already, since params match in any case: a filter under two spellings is one. */
function spelledIn(place: object, name: string): string {
  return Object.keys(place).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name
}

/** A scalar of the same name gives way. */
function objectIn(params: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = params[name]
  if (isObject(known)) return known // made here
  const made: Record<string, unknown> = Object.create(null)
  params[name] = made
  return made
}

function scalarOf(name: string, text: string): unknown {
  const number = Number(text)
  if (NUMBERS.has(name.toLowerCase())) return text.trim() === '' || Number.isNaN(number) ? text : number
  return text === 'true' ? true : text === 'false' ? false : text
}
