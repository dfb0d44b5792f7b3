import type { Accounts } from '@pairwire/accounts'
import type { ActRow } from '@pairwire/contract/operator'
import type { NamesOf, Runs } from './run.ts'
import { withTimes } from './with-times.ts'

/** Verbs on what operators did. */
export const actRuns: Runs<NamesOf<'acts'>> = {
  async 'acts list'({ account, since, limit, cursor }, { accounts }) {
    const accountId = account === undefined ? undefined : await accounts.findWhoId(account)
    const before = cursor === undefined ? undefined : Number(cursor)
    const wanted = { accountId, since: since ? new Date(since) : undefined, before }
    const acts = await accounts.listActs(wanted, limit)
    return { rows: acts.map(toActRow), next: acts.length < limit ? null : String(acts.at(-1)!.id) }
  },
}

/** An act as its verb shows it. */
export function toActRow({ id: _id, ...act }: Awaited<ReturnType<Accounts['listActs']>>[number]): ActRow {
  // As an act was written: an object.
  return { ...withTimes(act), changes: act.changes as Record<string, unknown> }
}
