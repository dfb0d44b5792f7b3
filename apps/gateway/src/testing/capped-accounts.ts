import { PLANS } from '@pairwire/contract'

/** The plan with a cap, and how many swaps that is in a billing period. */
export const CAPPED_PLAN = PLANS.find(({ swapEventsPerPeriod }) => swapEventsPerPeriod !== null)!
const CAP = CAPPED_PLAN.swapEventsPerPeriod!

/** Milliseconds before a crash of which the counts may be lost. */
const COUNTED_WITHIN_MS = 1_000

/** What a client got on one account. */
type Use = {
  readonly accountId: string
  swaps: number
  /** Swaps that came so late before a crash that they may not be counted. */
  uncounted: number
  /** Whether all that was sent has come: no line was cut and no service killed. */
  isWhole: boolean
}

/** Accounts with a cap, one after the other: when one is used up, its client goes on with the next. */
export type CappedAccounts = Readonly<{
  key(): string
  /** Notes a swap that came. */
  take(): void
  /** Notes the end of a connection: its client has cut it, or the service has died. */
  noteEnd(why: 'cut' | 'died'): void
  /** Judges what the account got, now that it is said to be used up, and turns to the next. */
  useUp(): void
  /** Judges what was recorded of every account. */
  compare(recorded: ReadonlyMap<string, number>): void
  usedUp(): number
}>

/** The accounts of one client, numbered from `first` on. */
export function createCappedAccounts(
  name: string,
  first: number,
  problem: (sentence: string) => void,
): CappedAccounts {
  const uses: Use[] = []
  let arrivals: number[] = []
  const next = () => {
    arrivals = []
    const key = String(first + uses.length).padStart(32, '0')
    uses.push({ accountId: key, swaps: 0, uncounted: 0, isWhole: true })
  }
  next()
  const current = () => uses.at(-1)!

  return {
    key: () => current().accountId,
    take() {
      current().swaps++
      arrivals.push(performance.now())
    },
    noteEnd(why) {
      current().isWhole = false
      // What came before a cut can get lost too, when the service dies right after it.
      if (why === 'cut') return
      const lostSince = performance.now() - COUNTED_WITHIN_MS
      current().uncounted += arrivals.filter((at) => at > lostSince).length
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
