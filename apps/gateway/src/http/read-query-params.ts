/** Params that are lists, in lower case. */
const LISTS = new Set([
  'ammaccount',
  'walletaccount',
  'basetokenmint',
  'sourceexchange',
  'swaptype',
  'stage',
  'creator',
])
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
    const place = at < 0 ? params : objectIn(params, path.slice(0, at))
    const name = path.slice(at + 1)
    const before = place[name]
    place[name] = LISTS.has(name.toLowerCase())
      ? [...(Array.isArray(before) ? before : []), ...text.split(',').filter(Boolean)]
      : scalarOf(name, text)
  }
  return params
}

/** A scalar of the same name gives way. */
function objectIn(params: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = params[name]
  if (typeof known === 'object' && known !== null && !Array.isArray(known)) {
    return known as Record<string, unknown> // made here
  }
  const made: Record<string, unknown> = Object.create(null)
  params[name] = made
  return made
}

function scalarOf(name: string, text: string): unknown {
  const number = Number(text)
  if (NUMBERS.has(name.toLowerCase())) return text.trim() === '' || Number.isNaN(number) ? text : number
  return text === 'true' ? true : text === 'false' ? false : text
}
