/** One opinion of a price. */
type Weighted = Readonly<{ price: number; weight: number }>

/** Share by which a vote may stand away from the median and still agree with it. */
export const AGREEMENT = 0.005
/** Votes that have to agree before anything is believed. */
const LEAST_VOTES = 2

/**
 * The median by weight, with the votes that agree with it; undefined when they are fewer than two. As long as nobody
 * has half of the weight, it lies within what the others say; of two votes it lies between, and they have to agree.
 */
export function agreed<Vote extends Weighted>(
  votes: readonly Vote[],
  bound = AGREEMENT,
): { price: number; votes: readonly Vote[] } | undefined {
  if (votes.length < LEAST_VOTES) return undefined
  const price = medianOf(votes)
  const agreeing = votes.filter((vote) => Math.abs(vote.price / price - 1) <= bound)
  return agreeing.length < LEAST_VOTES ? undefined : { price, votes: agreeing }
}

/**
 * The votes with the heaviest made lighter: two weigh the same, and of three or more none weighs more than a third of
 * all, however much was traded for it.
 */
export function withoutMajority<Vote extends Weighted>(votes: readonly Vote[]): readonly Vote[] {
  const [, second = 0, ...lighter] = votes.map(({ weight }) => weight).sort((a, b) => b - a)
  const rest = lighter.reduce((sum, weight) => sum + weight, 0)
  const bound = votes.length < 3 ? second : rest < second ? rest : (second + rest) / 2
  return votes.map((vote) => (vote.weight > bound ? { ...vote, weight: bound } : vote))
}

/** Share by which the highest vote stands above the lowest. */
export function spreadOf(votes: readonly Weighted[]): number {
  const prices = votes.map(({ price }) => price)
  return Math.max(...prices) / Math.min(...prices) - 1
}

function medianOf(votes: readonly Weighted[]): number {
  const sorted = [...votes].sort((a, b) => a.price - b.price)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let sum = 0
  for (const [at, { price, weight }] of sorted.entries()) {
    sum += weight
    if (sum > half) return price
    if (sum === half) return (price + (sorted[at + 1]?.price ?? price)) / 2
  }
  return sorted.at(-1)!.price
}
