import type {
  ConnectionNote,
  DeliveredCount,
  KeyAuthorization,
  RefusedUpgrades,
  SeatTaken,
} from '@pairwire/accounts'
import type { PlanId } from '@pairwire/contract'
import type { GatewayOptions } from '../gateway.ts'

/** An account in a test. */
type FakeAccount = {
  key: string
  planId: PlanId | null
  connectionLimit: number
  endsAt: Date | null
  isSuspended?: boolean
  planInForceId: string
  period: string
  periodEndsAt: Date
}

/** Accounts in memory. Counts are kept like the real ones: by account, period and kind. */
export type FakeAccounts = GatewayOptions['accounts'] & {
  /** Adds an account, or changes an existing one. */
  set(accountId: string, change?: Partial<FakeAccount>): void
  recorded: DeliveredCount[]
  /** Seats that gateways share, by connection. */
  seats: Map<string, SeatTaken>
  /** Bought hours: account, and hour in Unix milliseconds. */
  bought: Set<string>
  /** Removes an account. */
  forget(accountId: string): void
  /** Every recorded note of a connection. */
  noted: ConnectionNote[]
  /** Every recorded count of refused upgrades. */
  refused: RefusedUpgrades[]
  /** Called before each answer; may throw or wait. */
  before: (
    call:
      | 'authorizeKey'
      | 'authorizeAccount'
      | 'readStandings'
      | 'recordDelivered'
      | 'recordConnections'
      | 'recordRefusedUpgrades'
      | 'mayReplay',
  ) => Promise<void>
  delivered(accountId: string, period: string, kind: 'newPair' | 'swap', planInForceId?: string): number
}

/** Test keys, by number. */
export const keyNumber = (number: number): string => number.toString(16).padStart(32, '0')

/** Creates a register without accounts. */
export function createFakeAccounts(): FakeAccounts {
  const people = new Map<string, FakeAccount>()

  const answer = (accountId: string | undefined): KeyAuthorization => {
    const account = accountId === undefined ? undefined : people.get(accountId)
    if (accountId === undefined || !account) return { outcome: 'unknown_key' }
    const { key, planId, isSuspended, ...rest } = account
    if (isSuspended) return { outcome: 'suspended', accountId }
    if (planId === null) return { outcome: 'no_plan', accountId }
    const { planInForceId, period } = rest
    const delivered = {
      newPair: fake.delivered(accountId, period, 'newPair', planInForceId),
      swap: fake.delivered(accountId, period, 'swap', planInForceId),
    }
    return { outcome: 'allowed', accountId, planId, ...rest, standing: standingOf(account), delivered }
  }

  const standingOf = ({ key, planId, planInForceId, connectionLimit, endsAt, isSuspended }: FakeAccount) => ({
    key,
    plan: isSuspended ? 'suspended' : [planId, planInForceId, connectionLimit, endsAt?.getTime()].join(' '),
  })

  const fake: FakeAccounts = {
    recorded: [],
    seats: new Map(),
    noted: [],
    refused: [],
    bought: new Set(),
    before: async () => {},
    set(accountId, change = {}) {
      const standard: FakeAccount = {
        key: keyNumber(people.size + 1),
        planId: 3,
        connectionLimit: 1,
        endsAt: null,
        planInForceId: 'paid',
        period: '2026-11-01',
        periodEndsAt: new Date('2026-12-01T00:00:00Z'),
      }
      people.set(accountId, { ...standard, ...people.get(accountId), ...change })
    },
    forget: (accountId) => people.delete(accountId),
    delivered: (accountId, period, kind, planInForceId = 'paid') =>
      fake.recorded
        .filter((row) => row.accountId === accountId && row.period === period)
        .filter((row) => row.planInForceId === planInForceId)
        .filter((row) => (row.kind === 'newPair') === (kind === 'newPair'))
        .reduce((sum, row) => sum + row.count, 0),
    async authorizeKey(key) {
      await fake.before('authorizeKey')
      return answer([...people].find(([, account]) => account.key === key)?.[0])
    },
    async authorizeAccount(accountId) {
      await fake.before('authorizeAccount')
      return answer(accountId)
    },
    async readStandings(accountIds) {
      await fake.before('readStandings')
      return new Map(
        accountIds.flatMap((id) => {
          const account = people.get(id)
          return account ? [[id, standingOf(account)] as const] : []
        }),
      )
    },
    async recordDelivered(rows, leftSeats = []) {
      await fake.before('recordDelivered')
      fake.recorded.push(...rows)
      for (const id of leftSeats) fake.seats.delete(id)
      return rows.map(({ accountId, planInForceId, period }) => {
        const count = fake.delivered(accountId, period, 'swap', planInForceId)
        return { accountId, planInForceId, period, count }
      })
    },
    async mayReplay(accountId, _source, from) {
      await fake.before('mayReplay')
      return fake.bought.has(`${accountId} ${from}`)
    },
    async recordConnections(notes) {
      await fake.before('recordConnections')
      fake.noted.push(...notes)
    },
    async recordRefusedUpgrades(rows) {
      await fake.before('recordRefusedUpgrades')
      fake.refused.push(...rows)
    },
  }
  return fake
}
