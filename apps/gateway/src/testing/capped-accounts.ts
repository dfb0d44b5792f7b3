import { PLANS } from '@pairwire/contract'

/** The plan with a cap, and its swaps in a billing period. */
export const CAPPED_PLAN = PLANS.find(({ swapEventsPerPeriod }) => swapEventsPerPeriod !== null)!
const CAP = CAPPED_PLAN.swapEventsPerPeriod!

/** Milliseconds before a crash during which counts may be lost. */
const COUNTED_WITHIN_MS = 1_000

/** What a client got on one account. */
type Use = {
  readonly accountId: string
  swaps: number
  /** Swaps that came so shortly before a crash that they may not be counted. */
  uncounted: number
  /** Whether everything sent has arrived: no cut connection and no killed service. */
  isWhole: boolean
}

/** Accounts with a cap, used one after the other: when one is used up, its client continues with the next. */
export type CappedAccounts = Readonly<{
  key(): string
  /** Counts a swap that arrived. */
  take(): void
  /** Notes the end of a connection: its client has cut it, or the service has died. */
  noteEnd(why: 'cut' | 'died'): void
  /** Checks what the account got when it is reported as used up, and moves to the next. */
  useUp(): void
  /** Checks the recorded counts of every account. */
  compare(recorded: ReadonlyMap<string, number>): void
  usedUp(): number
}>

/** Creates the accounts of one client, numbered from `first`. */
export function createCappedAccounts(
  name: string,
  first: number,
  problem: (sentence: string) => void,
): CappedAccounts {
  const uses: Use[] = []
  let arrivals: { use: Use; at: number }[] = []
  const next = () => {
    const key = String(first + uses.length).padStart(32, '0')
    uses.push({ accountId: key, swaps: 0, uncounted: 0, isWhole: true })
  }
  next()
  const current = () => uses.at(-1)!

  return {
    key: () => current().accountId,
    take() {
      current().swaps++
      arrivals.push({ use: current(), at: performance.now() })
    },
    noteEnd(why) {
      current().isWhole = false
      // Events before a cut can also be lost if the service dies right after it.
      if (why === 'cut') return
      // Those of an account that was used up just before are not written either.
      const lostSince = performance.now() - COUNTED_WITHIN_MS
      for (const { use, at } of arrivals) if (at > lostSince) use.uncounted++
      arrivals = []
    },
    useUp() {
      const { swaps, uncounted, isWhole } = current()
      if (swaps > CAP + uncounted) problem(`${name}: ${swaps} swaps came, of ${CAP} in the plan.`)
      if (isWhole && swaps !== CAP) problem(`${name}: used up with ${swaps} swaps of ${CAP}.`)
      next()
    },
    compare(recorded) {
      for (const { accountId, swaps, uncounted } of uses) {
        const counted = recorded.get(accountId) ?? 0
        if (counted > CAP) problem(`${name}: ${counted} swaps are counted, of ${CAP} in the plan.`)
        if (counted < swaps - uncounted) problem(`${name}: ${counted} swaps are counted, and ${swaps} came.`)
      }
    },
    usedUp: () => uses.length - 1,
  }
}
