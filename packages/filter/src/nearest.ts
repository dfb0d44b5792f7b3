/** Returns the candidate closest to `name`, the last of equals, by edit distance and ignoring case. */
export function nearest<Candidate extends string>(
  name: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (name.length > MAX_NAME) return undefined

  let best: Candidate | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best !== undefined && bestDistance <= Math.max(2, best.length * 0.4) ? best : undefined
}

/** Longest name that is compared: the work grows with its length, and a longer one is no typo. */
const MAX_NAME = 64

/** Counts the insertions, deletions and replacements that turn `from` into `to` (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let fromAt = 1; fromAt <= from.length; fromAt++) {
    const next = [fromAt]
    for (let toAt = 1; toAt <= to.length; toAt++) {
      const replaced = row[toAt - 1]! + (from[fromAt - 1] === to[toAt - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[toAt]! + 1, next[toAt - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
