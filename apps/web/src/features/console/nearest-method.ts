import { REQUEST_METHODS, type RequestMethod } from '@pairwire/contract/methods'

/** The method that was probably meant by `name`; `undefined` when none is near. */
export function nearestMethod(name: string): RequestMethod | undefined {
  const shown = name.slice(0, LONGEST)
  return REQUEST_METHODS.map((known) => ({ known, away: distance(shown, known) }))
    .filter(({ known, away }) => away <= Math.min(NEAR, known.length / 2))
    .sort((a, b) => a.away - b.away)[0]?.known
}

/** Letters looked at. */
const LONGEST = 40
/** Letters that may differ in a method's name before it counts as meant otherwise. */
const NEAR = 4

/** Levenshtein distance: letters put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === b[j] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
