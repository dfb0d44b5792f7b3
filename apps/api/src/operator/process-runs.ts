import { type AnyStream, AppError, type ProcessState, StreamsWanted } from '@pairwire/contract'
import type { RowOf } from '@pairwire/contract/operator'
import { actOutside } from './act-outside.ts'
import type { NamesOf, Runs } from './run.ts'

/** Verbs on connections and processes. */
export const processRuns: Runs<NamesOf<'connections' | 'processes'>> = {
  async 'connections list'({ account, sort, limit }, { accounts, listConnections }) {
    const accountId = account === undefined ? undefined : await accounts.findWhoId(account)
    const { rows, missing } = await listConnections(StreamsWanted.parse({ accountId, sort, limit }))
    const emails = await accounts.listEmails(rows.map((row) => row.accountId))
    return {
      rows: rows.map((row) => toConnectionRow(row, emails.get(row.accountId) ?? null)),
      next: null,
      missing,
    }
  },
  async 'connections close'({ id, account }, { accounts, bus, by, listConnections }) {
    if (id === undefined && account !== undefined) {
      const accountId = await accounts.findWhoId(account)
      await actOutside(accounts, by, { accountId, changes: { connections: ['all', 'closed'] } }, () =>
        bus.sendControl({ type: 'disconnect', accountId }),
      )
      return
    }
    if (id === undefined || account !== undefined) {
      throw new AppError('ERR_VALIDATION', 'Name either a connection or an account.')
    }
    const { rows, missing } = await listConnections(StreamsWanted.parse({ id }))
    const [found] = rows
    if (!found && missing.length > 0) {
      throw new AppError('ERR_UNAVAILABLE', `${missing.join(', ')} did not answer. Try again in a moment.`)
    }
    if (!found) throw new AppError('ERR_NOT_FOUND', `There is no open connection ${id}.`)
    const { accountId } = found
    await actOutside(accounts, by, { accountId, changes: { connection: [id, 'closed'] } }, () =>
      bus.sendControl({ type: 'closeConnection', accountId, connectionId: id }),
    )
  },
  async 'processes list'(_input, { listProcesses }) {
    return { rows: (await listProcesses()).map(toProcessRow), next: null }
  },
}

/** A connection as its verb shows it. */
export function toConnectionRow(
  { connectedAt, lastSeenAt, subscriptions, ...row }: AnyStream,
  email: string | null,
): RowOf<'connections list'> {
  return {
    ...{ ...row, email },
    openedAt: new Date(connectedAt).toISOString(),
    lastSeenAt: new Date(lastSeenAt).toISOString(),
    subscriptions: subscriptions.map(({ kind }) => kind),
  }
}

/** A process as its verb shows it; its figures are for `overview show` and `stream show`. */
export function toProcessRow({ figures: _f, plans: _p, ...state }: ProcessState): RowOf<'processes list'> {
  return { ...state, startedAt: new Date(state.startedAt).toISOString() }
}
