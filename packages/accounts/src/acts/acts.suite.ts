import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import { type AccountsUnderTest, DAY_MS, START } from '../testing/accounts-under-test.ts'
import type { Actor } from './acts.ts'

/** An operator at the tool. */
export const OPERATOR: Actor = { actor: 'root', via: 'tool', address: null, verb: 'account plan' }

/** Acts of operators: what every database must keep of them. */
export function describeActs({ accounts, db, parts, clock, aPerson }: AccountsUnderTest): void {
  describe('acts', () => {
    it('tell who changed what, and hold no email, key or token', async () => {
      const { accountId } = await aPerson()
      const before = await accounts.getAccount(accountId)

      await accounts.grantPlan('ann@example.org', 3, 5, { reason: 'A friend.', by: OPERATOR })
      await accounts.resetKey(accountId, { ...OPERATOR, verb: 'key reset' })

      const acts = await accounts.listActs({}, 10)
      const kept = {
        at: new Date(START),
        actor: 'root',
        via: 'tool',
        accountId,
        outcome: 'done',
        address: null,
      }
      expect(acts).toMatchObject([
        { ...kept, verb: 'key reset', changes: {}, reason: null },
        {
          ...kept,
          verb: 'account plan',
          changes: { plan: ['none', 'Pro'], connections: [null, 5] },
          reason: 'A friend.',
        },
      ])
      const { user } = await accounts.getAccount(accountId)
      for (const secret of [user.Email, user.APIKey, before.user.APIKey]) {
        expect(JSON.stringify(acts)).not.toContain(secret)
      }
    })

    it('tell of connections and an end that a changed grant loses', async () => {
      await aPerson()
      const until = new Date(clock.now + DAY_MS)
      await accounts.grantPlan('ann@example.org', 3, 5, { until, by: OPERATOR })

      await accounts.grantPlan('ann@example.org', 2, undefined, { by: OPERATOR })
      await accounts.grantPlan('ann@example.org', null, undefined, { by: OPERATOR })

      const changes = (await accounts.listActs({}, 3)).map((act) => act.changes)
      expect(changes).toEqual([
        { plan: ['Basic', 'none'] },
        { plan: ['Pro', 'Basic'], connections: [5, null], until: [until.toISOString(), null] },
        { plan: ['none', 'Pro'], connections: [null, 5], until: [null, until.toISOString()] },
      ])
    })

    // Guards the list of acts: one without its effect accuses somebody.
    it('are none where maintenance is ended that was not on', async () => {
      await accounts.endMaintenance(OPERATOR)
      expect(await accounts.listActs({}, 1)).toEqual([])

      await accounts.beginMaintenance('Soon.')
      await accounts.endMaintenance(OPERATOR)
      expect(await accounts.listActs({}, 2)).toMatchObject([{ changes: { maintenance: ['on', 'off'] } }])
    })

    it('are left by the operator only, and each is announced once it is on disk', async () => {
      const told: unknown[] = []
      accounts.onAct((act) => told.push(act))
      const { accountId } = await aPerson()

      await accounts.resetKey(accountId)
      await accounts.startTrial(accountId, 1)
      await accounts.resetKey(accountId, OPERATOR)

      expect(await accounts.listActs({}, 10)).toHaveLength(1)
      expect(told).toMatchObject([{ accountId, actor: 'root' }])
    })

    it('are listed by account, by time and from one on, newest first', async () => {
      const ann = await aPerson()
      const bob = await aPerson('bob@example.org')
      for (const { accountId } of [ann, bob, ann]) {
        await accounts.resetKey(accountId, OPERATOR)
        clock.now += DAY_MS
      }

      const all = await accounts.listActs({}, 10)

      expect(all.map(({ accountId }) => accountId)).toEqual([ann.accountId, bob.accountId, ann.accountId])
      expect(await accounts.listActs({ accountId: bob.accountId }, 10)).toEqual([all[1]])
      expect(await accounts.listActs({ since: new Date(START + DAY_MS) }, 10)).toEqual(all.slice(0, 2))
      expect(await accounts.listActs({ before: all[0]!.id }, 1)).toEqual([all[1]])
      expect(await accounts.listActs({ accountId: 'nobody' }, 10)).toEqual([])
    })

    it('outlive their account, for two years', async () => {
      const { accountId } = await aPerson()
      await accounts.resetKey(accountId, OPERATOR)
      await accounts.deleteAccount(accountId)

      clock.now += 2 * 365 * DAY_MS
      await accounts.sweep()
      expect(await accounts.listActs({}, 10)).toMatchObject([{ accountId }])

      clock.now += 3 * DAY_MS
      await accounts.sweep()
      expect(await accounts.listActs({}, 10)).toEqual([])
    })

    // Guards the list of acts: one without its effect accuses somebody, an effect without its act hides them.
    it('exist exactly if their effect does, at whichever statement the process dies', async () => {
      const verbs = {
        'account create': (store: typeof accounts, at: number) =>
          store.createAccount(`new${at}@example.org`, OPERATOR),
        'account plan': (store: typeof accounts) =>
          store.grantPlan('ann@example.org', 2, 3, { until: new Date(clock.now + DAY_MS), by: OPERATOR }),
        'account trial': (store: typeof accounts) =>
          store.giveTrial('ann@example.org', { days: 3 }, OPERATOR),
        'account note': (store: typeof accounts) => store.addNote('ann@example.org', 'Owes us.', OPERATOR),
        'account suspend': (store: typeof accounts, at: number) =>
          store.suspend('ann@example.org', { reason: `Reason ${at}.` }, OPERATOR),
        'account unsuspend': (store: typeof accounts) => store.unsuspend('ann@example.org', OPERATOR),
        'key reset': (store: typeof accounts) => store.resetKey(accountId, OPERATOR),
        'order create': (store: typeof accounts) =>
          store.grantOrder(
            'ann@example.org',
            { source: 'chain', offer: 'hour', to: new Date(START) },
            OPERATOR,
          ),
        'status add': (store: typeof accounts) => store.addStatus('Soon.', { by: OPERATOR }),
        'status clear': (store: typeof accounts) => store.clearStatus(undefined, OPERATOR),
        'maintenance on': (store: typeof accounts) => store.beginMaintenance('Soon.', { by: OPERATOR }),
      }
      const { accountId } = await aPerson()
      for (const [name, run] of Object.entries(verbs)) {
        let died = 0
        for (let at = 1; at < 30; at++) {
          await accounts.addStatus('Something to clear.')
          await accounts.grantPlan('ann@example.org', null)
          const before = await world()
          const outcome = await run(dyingAt(at), at).then(
            () => 'done',
            () => 'died',
          )
          const after = await world()

          expect(after.effect === before.effect, `${name}, statement ${at}`).toBe(after.acts === before.acts)
          expect(after.acts - before.acts, `${name}, statement ${at}`).toBeLessThanOrEqual(1)
          if (outcome === 'done') break
          died++
        }
        expect(died, name).toBeGreaterThan(2)
      }
    })

    /** The same accounts over a connection that breaks before its statement number `at`, and rolls back. */
    function dyingAt(at: number): typeof accounts {
      let left = at
      const logQuery = (query: string) => {
        // The library would keep the connection of a transaction that never begins.
        if (!query.startsWith('begin')) left--
        if (left === 0 && !query.startsWith('begin')) throw new Error('the process has died')
      }
      const { $client } = db as typeof db & { $client: Parameters<typeof drizzle>[0] }
      const dying = drizzle({ client: $client as never, logger: { logQuery } })
      return createAccounts({ ...parts, db: dying as unknown as typeof db })
    }

    /** The number of acts, and everything else that verbs change. */
    async function world(): Promise<{ acts: number; effect: string }> {
      const tables = ['accounts', 'subscriptions', 'notes', 'orders', 'status_items', 'used_trials']
      const parts = tables.map(
        (table) => `(select coalesce(json_agg(t order by t::text), '[]') from ${table} t)`,
      )
      const { rows } = await db.execute<{ acts: number; effect: string }>(
        sql.raw(
          `select (select count(*)::int from acts) as acts, json_build_array(${parts.join(',')})::text as effect`,
        ),
      )
      return rows[0]!
    }
  })
}
