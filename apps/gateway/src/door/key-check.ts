import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type Clock, type Log, withTimeout } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import { REFUSALS, type Refusal } from './refusal.ts'

/** Asks the accounts whether a key may connect. */
export type KeyCheck = ReturnType<typeof createKeyCheck>

/** Asks again at most so often when the account changes meanwhile. */
const MAX_ROUNDS = 3

/** Milliseconds between two lines of the log: with the database away, thousands of clients come back all the time. */
const LOG_EVERY_MS = 1_000

/** Makes the check. */
export function createKeyCheck({
  accounts,
  clock,
  limits,
  log,
}: Readonly<{
  accounts: Pick<Accounts, 'authorizeKey'>
  clock: Clock
  limits: Pick<GatewayLimits, 'pendingUpgrades' | 'authorizeTimeoutMs'>
  log: Log
}>) {
  /** For each try the accounts that have changed since its question was asked. */
  const pending = new Set<Set<string>>()

  let asking = 0
  /** Checks that failed and are not in the log yet. */
  let failed = 0

  const noteFailure = (error: unknown) => {
    failed++
    if (failed > 1) return
    const { name = typeof error, cause = name } = error instanceof Error ? error : {}
    clock.after(LOG_EVERY_MS, () => {
      // A sentence of the accounts' own, or a name: an error's message may hold the key.
      log.error('Keys could not be checked.', {
        times: failed,
        cause: typeof cause === 'string' ? cause : name,
      })
      failed = 0
    })
  }

  const ask = async (key: string, changedAccounts: Set<string>): Promise<KeyAuthorization | Refusal> => {
    asking++
    try {
      for (let round = 1; ; round++) {
        changedAccounts.clear()
        const answer = await withTimeout(accounts.authorizeKey(key), clock, limits.authorizeTimeoutMs)
        const isStale = 'accountId' in answer && changedAccounts.has(answer.accountId)
        if (isStale && round < MAX_ROUNDS) continue
        return isStale ? REFUSALS.unavailable : answer
      }
    } catch (error) {
      noteFailure(error)
      return REFUSALS.unavailable
    } finally {
      asking--
    }
  }

  return {
    /** A try to connect with a key, to be ended. */
    open(key: string) {
      const changedAccounts = new Set<string>()
      pending.add(changedAccounts)
      let accountId: string | undefined
      return {
        /** What the accounts say at this moment. */
        async ask() {
          const answer = await ask(key, changedAccounts)
          accountId = 'accountId' in answer ? answer.accountId : undefined
          return answer
        },
        /** Whether that holds: nothing was heard of a change of the account since. */
        holds: () => accountId === undefined || !changedAccounts.has(accountId),
        end: () => void pending.delete(changedAccounts),
      }
    },

    /** Something of this account has changed: what was said of it until now is void. */
    accountChanged(accountId: string) {
      for (const changedAccounts of pending) changedAccounts.add(accountId)
    },

    /** Whether no further question may be asked now: all of them wait for the database. */
    isFull: () => asking >= limits.pendingUpgrades,
  }
}
