import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'
import { PLANS } from '../../packages/contract/src/plans.ts'
import { createAccount, untilCounted } from './accounts.ts'
import { COUNTED_WITHIN_MS, readSwaps, type SwapReader } from './swap-reader.ts'

const PLAN = PLANS.find(({ swapEventsPerPeriod }) => swapEventsPerPeriod !== null)!
const CAP = PLAN.swapEventsPerPeriod!

/** Connections of such an account, each to any gateway. */
const CONNECTIONS = 2

/**
 * What gateways may send beyond a cap. They tell each other four times a second; what is lost of that while NATS is away each
 * learns from its next counts. More may only come at once, as what waited for NATS does.
 */
const UNKNOWN_SHARE = 0.1

/** Milliseconds without a swap, over two slots, which show that NATS was away. */
const SILENCE_MS = 1_000

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
  let done = 0
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
        await judge(current)
        for (const client of current.clients) client.stop()
        done++
        current = undefined
      }
      await wait(100)
    }
  }
  const running = run()

  const judge = async ({ accountId, clients }: CappedAccount) => {
    const { got, uncounted } = sumsOf(clients)
    if (clients.some((client) => client.duplicates() > 0)) problem('Swaps came twice.')
    const beyond = clients
      .flatMap(({ arrivals }) => arrivals)
      .sort((one, other) => one - other)
      .slice(CAP + uncounted)
    const waits = beyond.slice(1).map((at, before) => Math.round(at - beyond[before]!))
    const silences = waits.filter((ms) => ms >= SILENCE_MS)
    const beyondMs = waits.reduce((sum, ms) => sum + ms, 0) - silences.reduce((sum, ms) => sum + ms, 0)
    if (beyond.length > CAP * UNKNOWN_SHARE && beyondMs > COUNTED_WITHIN_MS)
      problem(
        `${got} swaps came, of ${CAP} in the plan, for ${beyondMs} ms more, and silences of ${silences} ms.`,
      )
    // While its clients are connected, they notice if a gateway is killed with counts that it has not written.
    const least = () => Math.min(got, CAP) - sumsOf(clients).uncounted
    const counted = await untilCounted(accounts, accountId, least)
    if (counted < least()) problem(`${counted} swaps of an account with a cap are counted, and ${got} came.`)
  }

  return {
    /** @returns how many accounts have used up their plan */
    async stop(): Promise<number> {
      stopped = true
      await running
      for (const client of current?.clients ?? []) client.stop()
      return done
    },
  }
}

function sumsOf(clients: readonly SwapReader[]): { got: number; uncounted: number } {
  return {
    got: clients.reduce((sum, { cursors }) => sum + cursors.length, 0),
    uncounted: clients.reduce((sum, client) => sum + client.perhapsUncounted(), 0),
  }
}
