import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'
import { PLANS } from '../../packages/contract/src/plans.ts'
import { createAccount } from './accounts.ts'
import { readSwaps, type SwapReader } from './swap-reader.ts'

const PLAN = PLANS.find(({ swapEventsPerPeriod }) => swapEventsPerPeriod !== null)!
const CAP = PLAN.swapEventsPerPeriod!

/** Connections of such an account, each to any gateway. */
const CONNECTIONS = 2

/**
 * What gateways may send beyond a cap: they synchronise four times a second, or read it from the database if one was killed
 * or cut off.
 */
const UNKNOWN_SHARE = 0.1

type CappedAccount = Readonly<{ accountId: string; clients: readonly SwapReader[] }>

/** Lets accounts use up their plan's cap all the while, some after the other. */
export function useUpCaps({
  accounts,
  port,
  problem,
  uncountedSince,
}: Readonly<{
  accounts: Accounts
  port(): number
  problem(sentence: string): void
  uncountedSince(): number | undefined
}>) {
  const done: CappedAccount[] = []
  let current: CappedAccount | undefined
  let stopped = false

  const make = async (): Promise<CappedAccount> => {
    const { accountId, key } = await createAccount(accounts, CONNECTIONS, PLAN.id)
    const client = () => readSwaps({ port, key, problem, uncountedSince })
    return { accountId, clients: Array.from({ length: CONNECTIONS }, client) }
  }

  const run = async () => {
    while (!stopped) {
      // The database may be away.
      current ??= await make().catch(() => undefined)
      if (current?.clients.every((client) => client.isUsedUp())) {
        judge(current)
        done.push(current)
        current = undefined
      }
      await wait(100)
    }
  }
  const running = run()

  const judge = ({ clients }: CappedAccount) => {
    const { got, uncounted } = sumsOf(clients)
    if (clients.some((client) => client.duplicates() > 0)) problem('Swaps came twice.')
    if (got > CAP * (1 + UNKNOWN_SHARE) + uncounted) problem(`${got} swaps came, of ${CAP} in the plan.`)
  }

  return {
    /** @returns how many accounts have used up their plan */
    async stop(): Promise<number> {
      stopped = true
      await running
      for (const client of current?.clients ?? []) client.stop()
      return done.length
    },
    /** Compares the counts with the events received. */
    async compare() {
      for (const { accountId, clients } of done) {
        const { got, uncounted } = sumsOf(clients)
        const usage = await accounts.getUsage(accountId)
        const counted = usage.reduce((sum, { buys, sells }) => sum + buys + sells, 0)
        if (counted < Math.min(got, CAP) - uncounted)
          problem(`${counted} swaps of an account with a cap are counted, and ${got} came.`)
      }
    },
  }
}

function sumsOf(clients: readonly SwapReader[]): { got: number; uncounted: number } {
  return {
    got: clients.reduce((sum, { cursors }) => sum + cursors.length, 0),
    uncounted: clients.reduce((sum, client) => sum + client.perhapsUncounted(), 0),
  }
}
