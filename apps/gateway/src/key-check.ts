import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { type Clock, type Log, withTimeout } from '@pairwire/process'
import type { GatewayLimits } from './limits.ts'
import { REFUSALS, type Refusal } from './refusal.ts'

/** Asks the accounts whether a key may connect. */
export type KeyCheck = Readonly<{
  /** What they say at this moment. */
  ask(key: string): Promise<KeyAuthorization | Refusal>
  /** Keys of this account that are being asked for are asked for once more. */
  accountChanged(accountId: string): void
  /** Whether as many are being asked for as may be: the database is what they wait for. */
  isFull(): boolean
}>

/** Asks again at most so often when the account changes meanwhile. */
const MAX_ROUNDS = 3

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
}>): KeyCheck {
  /** For each question the accounts that have changed since it was asked. */
  const pending = new Set<Set<string>>()

  return {
    async ask(key) {
      const changedAccounts = new Set<string>()
      pending.add(changedAccounts)
      try {
        for (let round = 1; ; round++) {
          changedAccounts.clear()
          const answer = await withTimeout(accounts.authorizeKey(key), clock, limits.authorizeTimeoutMs)
          const isStale = 'accountId' in answer && changedAccounts.has(answer.accountId)
          if (isStale && round < MAX_ROUNDS) continue
          return isStale ? REFUSALS.unavailable : answer
        }
      } catch (error) {
        const errorName = error instanceof Error ? error.name : typeof error
        log.error('A key could not be checked.', { errorName })
        return REFUSALS.unavailable
      } finally {
        pending.delete(changedAccounts)
      }
    },

    accountChanged(accountId) {
      for (const changedAccounts of pending) changedAccounts.add(accountId)
    },

    isFull: () => pending.size >= limits.pendingUpgrades,
  }
}
