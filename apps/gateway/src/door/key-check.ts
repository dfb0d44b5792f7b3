import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type Clock, type Log, withTimeout } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import { REFUSALS, type Refusal } from './refusal.ts'

/** Asks the accounts whether a key may connect. */
export type KeyCheck = ReturnType<typeof createKeyCheck>

/** Lookups at most, when the account keeps changing during them. */
const MAX_ROUNDS = 3

/** Milliseconds between two log lines: without the database, thousands of clients keep reconnecting. */
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
  /** For each attempt, the accounts changed since its lookup began. */
  const pending = new Set<Set<string>>()

  let asking = 0
  /** Failed checks that are not in the log yet. */
  let failed = 0

  const noteFailure = (error: unknown) => {
    failed++
    if (failed > 1) return
    const { name = typeof error, cause = name } = error instanceof Error ? error : {}
    clock.after(LOG_EVERY_MS, () => {
      // A sentence of the accounts or an error name: an error's message may hold the key.
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
    /** Starts an attempt to connect with a key; the caller ends it. */
    open(key: string) {
      const changedAccounts = new Set<string>()
      pending.add(changedAccounts)
      let accountId: string | undefined
      return {
        /** Looks up the key now. */
        async ask() {
          const answer = await ask(key, changedAccounts)
          accountId = 'accountId' in answer ? answer.accountId : undefined
          return answer
        },
        /** Whether the answer is still valid: its account has not changed since. */
        holds: () => accountId === undefined || !changedAccounts.has(accountId),
        end: () => void pending.delete(changedAccounts),
      }
    },

    /** The account has changed: earlier answers about it are void. */
    accountChanged(accountId: string) {
      for (const changedAccounts of pending) changedAccounts.add(accountId)
    },

    /** Whether no more lookups may start: all wait for the database. */
    isFull: () => asking >= limits.pendingUpgrades,
  }
}
