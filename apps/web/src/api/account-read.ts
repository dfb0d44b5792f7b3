import { currentSession } from '../session/session.ts'
import type { Account } from './account.ts'
import { api } from './api.ts'

let first: { token: string; read: Promise<Account> } | undefined

/** Starts to read the account at start, in parallel with the code of its page, if there is a session. */
export function startAccountRead(): void {
  const session = currentSession()
  if (!session) return
  const read = api.getAccount()
  // The caller sees the failure; a page that does not use the account does not.
  read.catch(() => {})
  first = { token: session.token, read }
}

/**
 * The read begun at start, given once and to the session that began it; a new one after that. No page that is left
 * ends it: the next one shows the same account.
 */
export function takeAccountRead(): Promise<Account> {
  const taken = first
  first = undefined
  if (taken && taken.token === currentSession()?.token) return taken.read
  return api.getAccount()
}
