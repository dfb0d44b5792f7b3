import type { ConnectionNote, RefusedUpgrades } from '@pairwire/accounts'
import { planById, StreamsWanted } from '@pairwire/contract'
import type { RowOf } from '@pairwire/contract/operator'
import { composeConnections } from '../connections.ts'
import { pageOf } from './money-runs.ts'
import { toConnectionRow } from './process-runs.ts'
import type { CallParts } from './run.ts'
import { withTimes } from './with-times.ts'

type Details = RowOf<'account details'>

/** All that an operator's page on a person shows and that has no verb of its own. @throws ERR_NOT_FOUND */
export async function readDetails(who: string, parts: CallParts): Promise<Details> {
  const { accounts, billing, clock } = parts
  const accountId = await accounts.findWhoId(who)
  const wanted = StreamsWanted.parse({ accountId, limit: 200 })
  const [listed, known, usage, notes, refused, sessions, streams] = await Promise.all([
    accounts.listAccounts({ search: accountId, sort: 'joined', limit: 1 }),
    accounts.readPerson(accountId),
    accounts.getUsage(accountId),
    accounts.listConnections(accountId),
    accounts.listRefusedUpgrades(accountId),
    accounts.listSessions(accountId),
    parts.listConnections(wanted),
  ])
  const person = listed.people[0]!
  const { subscriptions, suspension, ...rest } = known
  const open = streams.rows.map(({ accountId: _accountId, faults: _faults, ...stream }) => stream)
  return {
    ...person,
    ...rest,
    suspension: suspension && withTimes(suspension),
    subscriptions: subscriptions.map(
      ({
        planId,
        provider,
        providerSubscriptionId,
        providerCustomerId,
        id: _id,
        accountId: _owner,
        ...row
      }) => ({
        ...withTimes(row),
        plan: planById(planId)?.name ?? String(planId),
        ...{ subscriptionId: providerSubscriptionId, customerId: providerCustomerId },
        url: pageOf(billing, provider, 'subscription', providerSubscriptionId),
      }),
    ),
    usage,
    missing: [...streams.missing],
    open: streams.rows.map((row) => toConnectionRow(row, person.email)),
    ended: composeConnections({ open, missing: streams.missing }, notes, clock()).closed,
    mistakes: mistakesOf(notes, refused),
    sessions: sessions.map(withTimes),
  }
}

/** Refused requests and upgrades by type, the newest first. */
function mistakesOf(notes: readonly ConnectionNote[], refused: readonly RefusedUpgrades[]) {
  const found = new Map<string, Details['mistakes'][number]>()
  const add = (type: string, of: 'request' | 'upgrade', count: number, at: Date) => {
    const before = found.get(`${of} ${type}`) ?? { type, of, count: 0, lastAt: '' }
    const lastAt = [before.lastAt, at.toISOString()].sort().at(-1)!
    found.set(`${of} ${type}`, { ...before, count: before.count + count, lastAt })
  }
  for (const { faults, seenAt } of notes) {
    for (const [type, count] of Object.entries(faults)) add(type, 'request', count, seenAt)
  }
  for (const { refusal, count, hour } of refused) add(refusal, 'upgrade', count, hour)
  return [...found.values()].sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1))
}
