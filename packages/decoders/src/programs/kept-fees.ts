import { Refused } from '../refused.ts'

/** Fees that stay in a vault are at most this part of a trade; the dearest seen are some per cent. */
const MOST_OF_TRADE = 4n
/** Raw units by which fees that are each rounded up may pass it. */
const ROUNDING = 4n

/**
 * Holds what an event says of a vault against what moved it, for programs that leave fees in the vault, so that the
 * two are near but not the same. Both above zero for what came in, below for what went out; `flow` null when the
 * record has no transfers.
 *
 * @throws Refused when the vault moved the other way, or by so much more or less that no fee explains it.
 */
export function holdAgainstVault(stated: bigint, flow: bigint | null): void {
  if (flow === null) return
  const difference = absolute(flow - stated) - ROUNDING
  const isSameWay = flow > 0n === stated > 0n && flow !== 0n
  if (!isSameWay || difference * MOST_OF_TRADE > absolute(stated)) throw new Refused('contradicted')
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
