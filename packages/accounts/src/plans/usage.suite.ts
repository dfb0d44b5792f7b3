import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import {
  type AccountsUnderTest,
  aConnection,
  DAY_MS,
  MINUTE_MS,
  START,
} from '../testing/accounts-under-test.ts'

/** Usage by day and connections: what every database must keep of them. */
export function describeUsage({ accounts, db, clock, aPerson }: AccountsUnderTest): void {
  describe('usage', () => {
    it('counts new pairs, buys and sells of each of the last 30 days', async () => {
      const { accountId } = await aPerson()
      const ofPlan = { accountId, planInForceId: randomUUID(), period: '2026-01-01' }
      await accounts.recordDelivered([
        { ...ofPlan, day: '2026-01-01', kind: 'buy', count: 1 },
        { ...ofPlan, day: '2026-01-02', kind: 'sell', count: 2 },
        { ...ofPlan, planInForceId: randomUUID(), day: '2026-01-31', kind: 'newPair', count: 3 },
        { ...ofPlan, day: '2026-01-31', kind: 'buy', count: 4 },
      ])

      expect(await accounts.getUsage(accountId)).toEqual([
        { day: '2026-01-02', newPairs: 0, buys: 0, sells: 2, http: 0, webhooks: 0 },
        { day: '2026-01-31', newPairs: 3, buys: 4, sells: 0, http: 0, webhooks: 0 },
      ])
    })

    it('tells how many of them went over HTTP and by webhooks, while the plan has one sum', async () => {
      const { accountId } = await aPerson()
      const day = '2026-01-31'
      const row = { accountId, planInForceId: randomUUID(), period: day, day, kind: 'buy', count: 1 } as const
      const rows = [row, { ...row, count: 2, face: 'http' }, { ...row, count: 4, face: 'webhooks' }] as const
      await accounts.recordDelivered([...rows, { ...rows[1], kind: 'newPair', count: 8 }])

      expect(await accounts.recordDelivered(rows)).toMatchObject([{ count: 14 }])
      expect(await accounts.getUsage(accountId)).toEqual([
        { day, newPairs: 8, buys: 14, sells: 0, http: 12, webhooks: 8 },
      ])
    })

    it('counts what a gateway of the release before records as sent over websockets', async () => {
      const { accountId } = await aPerson()
      const day = '2026-01-31'
      const row = { accountId, planInForceId: randomUUID(), period: day, day, kind: 'buy', count: 2 } as const
      await accounts.recordDelivered([{ ...row, face: 'http' }])

      await db.execute(sql`
        insert into delivered_days (account_id, day, kind, count) values (${accountId}, ${day}, 'buy', 3)
        on conflict (account_id, day, kind) do update set count = delivered_days.count + excluded.count`)

      expect(await accounts.getUsage(accountId)).toMatchObject([{ buys: 5, http: 2, webhooks: 0 }])
    })

    it('is deleted after 30 days', async () => {
      const { accountId } = await aPerson()
      const period = '2026-01-31'
      await accounts.recordDelivered([
        { accountId, planInForceId: randomUUID(), period, day: period, kind: 'buy', count: 1 },
      ])

      clock.now = START + 30 * DAY_MS
      await accounts.sweep()

      const { rows } = await db.execute(sql`select count(*)::int as count from delivered_days`)
      expect(rows).toEqual([{ count: 0 }])
    })
  })

  describe('connections', () => {
    it('are listed as last recorded, the last opened first', async () => {
      const { accountId } = await aPerson()
      const [first, second] = [
        aConnection(accountId),
        aConnection(accountId, { openedAt: new Date(START + 1) }),
      ]
      await accounts.recordConnections([first, second])

      const ended = { ...first, closedAt: new Date(START + 5), seenAt: new Date(START + 5), ended: 'client' }
      await accounts.recordConnections([{ ...first, sentEvents: 7 }, ended])

      expect(await accounts.listConnections(accountId)).toEqual([second, ended])
    })

    it('keep how often requests were refused, by error type', async () => {
      const { accountId } = await aPerson()
      const open = aConnection(accountId)
      await accounts.recordConnections([open])

      await accounts.recordConnections([{ ...open, faults: { INVALID_PARAMS: 2, TOO_MANY_REQUESTS: 1 } }])

      const [kept] = await accounts.listConnections(accountId)
      expect(kept?.faults).toEqual({ INVALID_PARAMS: 2, TOO_MANY_REQUESTS: 1 })
    })

    it('that were refused are counted by hour for a day, and go with the account', async () => {
      const ann = await aPerson('ann@example.org')
      const bob = await aPerson('bob@example.org')
      const hour = new Date(START)
      const refused = { accountId: ann.accountId, hour, refusal: 'noPlan', count: 2 }
      await accounts.recordRefusedUpgrades([refused, { ...refused, accountId: bob.accountId }])
      await accounts.recordRefusedUpgrades([refused])
      expect(await accounts.listRefusedUpgrades(ann.accountId)).toEqual([{ ...refused, count: 4 }])

      await accounts.deleteAccount(bob.accountId)
      await accounts.sweep()
      const counted = await db.execute(sql`select count(*)::int as count from refused_upgrades`)
      clock.now = START + DAY_MS + 1
      await accounts.sweep()

      expect(counted.rows).toEqual([{ count: 1 }])
      expect((await db.execute(sql`select * from refused_upgrades`)).rows).toEqual([])
    })

    it('that were refused are counted once, even if their gateway sends them again', async () => {
      const { accountId } = await aPerson()
      const refused = { accountId, hour: new Date(START), refusal: 'noPlan', count: 2 }
      const batch = { counter: randomUUID(), number: 1 }

      for (const number of [1, 1, 2, 1]) await accounts.recordRefusedUpgrades([refused], { ...batch, number })

      expect(await accounts.listRefusedUpgrades(accountId)).toEqual([{ ...refused, count: 4 }])
    })

    it('are visible to their own account only', async () => {
      const ann = await aPerson('ann@example.org')
      const bob = await aPerson('bob@example.org')
      await accounts.recordConnections([aConnection(ann.accountId)])

      expect(await accounts.listConnections(bob.accountId)).toEqual([])
    })

    it('are deleted a day after they were last seen', async () => {
      const { accountId } = await aPerson()
      const open = aConnection(accountId, { seenAt: new Date(START + MINUTE_MS) })
      await accounts.recordConnections([aConnection(accountId), open])

      clock.now = START + DAY_MS
      expect(await accounts.listConnections(accountId)).toEqual([open])
      await accounts.sweep()

      const { rows } = await db.execute(sql`select count(*)::int as count from stream_connections`)
      expect(rows).toEqual([{ count: 1 }])
    })

    it('beyond a thousand per account are deleted, the oldest first', async () => {
      const { accountId } = await aPerson()
      const many = Array.from({ length: 1_003 }, (_, index) =>
        aConnection(accountId, { openedAt: new Date(START + index) }),
      )
      await accounts.recordConnections(many)

      await accounts.sweep()

      const left = await accounts.listConnections(accountId)
      expect(left).toHaveLength(1_000)
      expect(left.at(-1)?.openedAt).toEqual(new Date(START + 3))
    })
  })
}
