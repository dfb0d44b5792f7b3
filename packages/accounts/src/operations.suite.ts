import { randomUUID } from 'node:crypto'
import { PLANS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { OPERATOR } from './acts/acts.suite.ts'
import { createAccounts } from './create-accounts.ts'
import {
  type AccountsUnderTest,
  aConnection,
  DAY_MS,
  expectRefusal,
  MINUTE_MS,
  START,
} from './testing/accounts-under-test.ts'

/** The operator's verbs, counts, notices, captchas and faults: what every database must keep of them. */
export function describeOperations(under: AccountsUnderTest): void {
  const { accounts, db, parts, clock, register, aPerson, aPaidPlan } = under

  // Guards against a start that makes every key unknown.
  it('reports whether its keys can be read with the current secrets', async () => {
    const changed = createAccounts({
      ...parts,
      secrets: { ...parts.secrets, keyEncryption: new Uint8Array(32).fill(9) },
    })
    expect(await changed.canReadKeys()).toBe(true)

    await register()

    expect(await accounts.canReadKeys()).toBe(true)
    expect(await changed.canReadKeys()).toBe(false)
  })

  describe('the operator', () => {
    it('creates accounts of any domain, which their owners sign in to by mail', async () => {
      const { accountId, account } = await accounts.createAccount('Ops@mailinator.com')

      expect(account.user.Email).toBe('Ops@mailinator.com')
      const { token } = await accounts.requestLogin('ops@mailinator.com')
      expect(await accounts.exchangeLoginToken(token)).toMatchObject({ accountId })
      await expectRefusal('ERR_CONFLICT', accounts.createAccount('ops@mailinator.com'))
    })

    it('invites somebody: an account and the mail that signs in, both or neither', async () => {
      const { accountId } = await accounts.createAccount('ann@example.org', OPERATOR, { isInvited: true })

      const [mail] = (await accounts.takeDueMails(5)).mails
      expect(mail).toMatchObject({ to: 'ann@example.org', letter: { template: 'welcome' } })
      const token = mail && 'token' in mail.letter ? mail.letter.token : ''
      expect(await accounts.exchangeLoginToken(token)).toMatchObject({ accountId })
      await expectRefusal(
        'ERR_CONFLICT',
        accounts.createAccount('ANN@example.org', OPERATOR, { isInvited: true }),
      )
      expect((await accounts.takeDueMails(5)).mails).toEqual([])
      expect(await accounts.listActs({ accountId }, 5)).toHaveLength(1)
    })

    it('finds accounts by email and refuses unknown ones', async () => {
      const { accountId } = await aPerson('ann@example.org')

      expect((await accounts.findAccount('ANN@example.org ')).accountId).toBe(accountId)
      await expectRefusal('ERR_NOT_FOUND', accounts.findAccount('bob@example.org'))
      await expectRefusal('ERR_NOT_FOUND', accounts.grantPlan('bob@example.org', 1))
    })

    it('grants a plan without an end that its owner can neither manage nor delete', async () => {
      const { accountId, key } = await aPerson()

      const granted = await accounts.grantPlan('ann@example.org', 2, 25)

      expect(granted.accountId).toBe(accountId)
      expect(granted.account).toMatchObject({
        activeSubscription: {
          planName: 'Basic',
          isFreeTrial: false,
          willCancel: '',
          renewalDate: '',
          connectionLimit: 25,
        },
        paidSubscription: { planName: 'Basic', forbidManageSubscription: true },
        hasHadFreeTrial: false,
      })
      expect(await accounts.authorizeKey(key)).toMatchObject({
        planId: 2,
        connectionLimit: 25,
        endsAt: null,
      })
      await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))
    })

    it('changes a grant, which keeps its billing period, and removes it', async () => {
      const { accountId, key } = await aPerson()
      await accounts.grantPlan('ann@example.org', 1, 5)

      clock.now += 3 * DAY_MS
      await accounts.grantPlan('ann@example.org', 3)
      expect(await accounts.authorizeKey(key)).toMatchObject({
        planId: 3,
        connectionLimit: 1,
        period: '2026-01-31',
      })

      const { account } = await accounts.grantPlan('ann@example.org', null)
      expect(account.activeSubscription).toBeUndefined()
      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
    })

    it('grants over a trial, which returns when the grant is removed', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)

      await accounts.grantPlan('ann@example.org', 3)
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 3, endsAt: null })

      await accounts.grantPlan('ann@example.org', null)
      expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 1, endsAt: expect.any(Date) })
    })

    it('ends with one grant after several at once', async () => {
      await aPerson()

      await Promise.all(PLANS.map(({ id }) => accounts.grantPlan('ann@example.org', id)))

      const { rows } = await db.execute(
        sql`select count(*)::int as count from subscriptions where ended_at is null`,
      )
      expect(rows).toEqual([{ count: 1 }])
    })

    it('refuses an invalid number of connections', async () => {
      await aPerson()

      for (const connections of [0, -1, 1.5, Number.NaN, 1e9]) {
        await expectRefusal('ERR_VALIDATION', accounts.grantPlan('ann@example.org', 1, connections))
      }
    })
  })

  describe('counts', () => {
    /** The part of an account's authorization that concerns counts. */
    const planInForceOf = async (accountId: string) => {
      const answer = await accounts.authorizeAccount(accountId)
      return answer.outcome === 'allowed' ? answer.planInForceId : expect.fail(answer.outcome)
    }

    it('add up for each kind and restart with the next billing period', async () => {
      const { accountId, key } = await aPerson()
      await accounts.grantPlan('ann@example.org', 1)
      const period = '2026-01-31'
      const ofPlan = { accountId, planInForceId: await planInForceOf(accountId), period }

      await accounts.recordDelivered([
        { ...ofPlan, day: period, kind: 'buy', count: 3 },
        { ...ofPlan, day: '2026-02-01', kind: 'buy', count: 4 },
        { ...ofPlan, day: period, kind: 'newPair', count: 5 },
      ])
      await accounts.recordDelivered([{ ...ofPlan, day: period, kind: 'sell', count: 10 }])

      expect(await accounts.authorizeKey(key)).toMatchObject({
        period,
        delivered: { newPair: 5, swap: 17 },
      })
      clock.now = Date.UTC(2026, 1, 28)
      expect(await accounts.authorizeKey(key)).toMatchObject({
        period: '2026-02-28',
        periodEndsAt: new Date('2026-03-31T00:00:00Z'),
        delivered: { newPair: 0, swap: 0 },
      })
    })

    // A trial of NewPairs Only sends at most 1,000 swaps; a user who pays for it the same day gets 1,000 more.
    it('of a trial are not charged to a plan paid for on the same day', async () => {
      const { accountId, key } = await aPerson()
      await accounts.startTrial(accountId, 1)
      const period = '2026-01-31'
      const trial = await planInForceOf(accountId)
      const row = { accountId, period, day: period, kind: 'buy', count: 1_000 } as const
      await accounts.recordDelivered([{ ...row, planInForceId: trial }])

      await aPaidPlan(accountId, { planId: 1 })
      expect(await accounts.authorizeKey(key)).toMatchObject({ period, delivered: { swap: 0 } })

      // Events that the gateway sent before it heard of the payment still belong to the trial.
      const paid = await planInForceOf(accountId)
      await accounts.recordDelivered([
        { ...row, planInForceId: trial },
        { ...row, planInForceId: paid, count: 7 },
      ])
      expect(paid).not.toBe(trial)
      expect(await accounts.authorizeKey(key)).toMatchObject({ period, delivered: { swap: 7 } })
    })

    // Guards caps: what another gateway has recorded comes with a gateway's own counts.
    it('are answered with the swaps of the same periods so far, and no others', async () => {
      const [ann, bob, planInForceId] = [randomUUID(), randomUUID(), randomUUID()]
      const period = '2026-01-31'
      const row = { accountId: ann, planInForceId, period, day: period, kind: 'buy', count: 3 } as const
      await accounts.recordDelivered([row, { ...row, accountId: bob }, { ...row, period: '2026-02-28' }])

      const soFar = await accounts.recordDelivered([
        { ...row, kind: 'sell', count: 4 },
        { ...row, accountId: bob, kind: 'newPair', count: 5 },
      ])

      expect(soFar).toMatchObject([{ accountId: ann, planInForceId, period, count: 7 }])
      expect(await accounts.recordDelivered([], [randomUUID()])).toEqual([])
    })

    // Guards usage: a gateway whose answer was lost cannot know whether its batch was recorded.
    it('add a batch once, even if it is sent again, later or twice at once', async () => {
      const [accountId, planInForceId, counter] = [randomUUID(), randomUUID(), randomUUID()]
      const [period, day] = ['2026-01-31', '2026-01-31']
      const row = { accountId, planInForceId, period, day, kind: 'buy', count: 3 } as const
      const send = (number: number, of = counter) =>
        accounts.recordDelivered([row], [], { counter: of, number })

      await Promise.all([send(1), send(1)])

      expect(await send(2)).toMatchObject([{ count: 6 }])
      expect([await send(2), await send(1)]).toEqual([[], []])
      expect(await send(1, randomUUID())).toMatchObject([{ count: 9 }])
      expect(await accounts.getUsage(accountId)).toMatchObject([{ buys: 9 }])
      clock.now += 31 * DAY_MS
      await accounts.sweep()
      expect((await db.execute(sql`select from counted_batches`)).rows).toEqual([])
    })

    it('equal the sum of all batches, however they are split and interleaved', async () => {
      const people = await Promise.all(['a', 'b', 'c'].map((name) => aPerson(`${name}@example.org`)))
      for (const name of ['a', 'b', 'c']) await accounts.grantPlan(`${name}@example.org`, 3)
      const plans = await Promise.all(
        people.map(async ({ accountId }) => ({ accountId, planInForceId: await planInForceOf(accountId) })),
      )
      const counted = fc.record({
        period: fc.constant('2026-01-31'),
        day: fc.constantFrom('2026-01-30', '2026-01-31'),
        kind: fc.constantFrom('newPair' as const, 'buy' as const, 'sell' as const),
        count: fc.nat(1_000_000_000_000),
      })
      const row = fc.tuple(fc.constantFrom(...plans), counted).map(([plan, rest]) => ({ ...plan, ...rest }))
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
          for (const table of ['delivered_counts', 'delivered_days']) {
            await db.execute(sql`delete from ${sql.identifier(table)}`)
          }

          await Promise.all(batches.map((batch) => accounts.recordDelivered(batch)))

          for (const { accountId } of people) {
            const sum = (kind: string, day?: string) =>
              batches
                .flat()
                .filter((entry) => entry.accountId === accountId && entry.kind === kind)
                .filter((entry) => day === undefined || entry.day === day)
                .reduce((total, entry) => total + entry.count, 0)
            expect(await accounts.authorizeAccount(accountId)).toMatchObject({
              delivered: { newPair: sum('newPair'), swap: sum('buy') + sum('sell') },
            })
            const usage = await accounts.getUsage(accountId)
            for (const { day, newPairs, buys, sells } of usage) {
              expect([newPairs, buys, sells]).toEqual([
                sum('newPair', day),
                sum('buy', day),
                sum('sell', day),
              ])
            }
            expect(usage.reduce((total, { buys }) => total + buys, 0)).toBe(sum('buy'))
          }
        }),
        { numRuns: 15 },
      )
    })

    it('of an account deleted meanwhile affect no other, and are swept', async () => {
      const ann = await aPerson('ann@example.org')
      const bob = await aPerson('bob@example.org')
      await accounts.grantPlan('bob@example.org', 3)
      await accounts.deleteAccount(ann.accountId)

      const planInForceId = await planInForceOf(bob.accountId)
      const row = { planInForceId, period: '2026-01-31', day: '2026-01-31', kind: 'buy' } as const
      await accounts.recordDelivered([
        { ...row, accountId: ann.accountId, count: 1 },
        { ...row, accountId: bob.accountId, count: 2 },
      ])
      await accounts.sweep()

      expect(await accounts.authorizeAccount(bob.accountId)).toMatchObject({ delivered: { swap: 2 } })
      const { rows } = await db.execute(sql`
        select (select count(*)::int from delivered_counts) as periods,
          (select count(*)::int from delivered_days) as days`)
      expect(rows).toEqual([{ periods: 1, days: 1 }])
    })
  })

  describe('status notices', () => {
    it('are listed newest first and cleared together', async () => {
      await accounts.addStatus('Maintenance tonight.')
      await accounts.addStatus('Delays on Raydium.')

      const standing = { createdAt: new Date(START), clearedAt: null }
      expect(await accounts.listNotices()).toMatchObject([
        { details: 'Delays on Raydium.', ...standing },
        { details: 'Maintenance tonight.', ...standing },
      ])

      await accounts.clearStatus()
      for (const { clearedAt } of await accounts.listNotices()) expect(clearedAt).toEqual(new Date(START))
    })

    it('are kept with their times for 90 days after they were taken down', async () => {
      await accounts.addStatus('Delays on Raydium.')
      clock.now += MINUTE_MS
      await accounts.clearStatus()
      await accounts.addStatus('Maintenance tonight.')

      const taken = { createdAt: new Date(START), clearedAt: new Date(START + MINUTE_MS) }
      const standing = { details: 'Maintenance tonight.', createdAt: taken.clearedAt, clearedAt: null }
      expect(await accounts.listNotices()).toMatchObject([
        standing,
        { details: 'Delays on Raydium.', ...taken },
      ])

      clock.now += 90 * DAY_MS
      expect(await accounts.listNotices()).toMatchObject([standing])
      await accounts.sweep()
      clock.now -= 90 * DAY_MS
      expect(await accounts.listNotices()).toMatchObject([standing])
    })

    it('can be planned, removed one by one, and end by themselves', async () => {
      const soon = new Date(START + DAY_MS)
      await accounts.addStatus('Later.', { startsAt: soon, endsAt: new Date(START + 2 * DAY_MS) })
      await accounts.addStatus('Now.')
      const [now, later] = await accounts.listNotices()

      expect(later).toMatchObject({ details: 'Later.', startsAt: soon, endsAt: new Date(START + 2 * DAY_MS) })
      await accounts.clearStatus(now!.id)
      expect(await accounts.listNotices()).toMatchObject([
        { details: 'Now.', clearedAt: new Date(START) },
        { details: 'Later.', clearedAt: null },
      ])
      await expectRefusal('ERR_NOT_FOUND', accounts.clearStatus(now!.id))
      await expectRefusal('ERR_VALIDATION', accounts.addStatus('Never.', { startsAt: soon, endsAt: soon }))
      clock.now += 93 * DAY_MS
      await accounts.sweep()
      clock.now = START
      expect(await accounts.listNotices()).toEqual([])
    })

    it('stand beside maintenance, of which there is one', async () => {
      await accounts.addStatus('Delays on Raydium.')
      await accounts.beginMaintenance('Moving house.')
      await accounts.beginMaintenance('Still moving.', { endsAt: new Date(START + DAY_MS) })
      await accounts.clearStatus()

      const isStanding = ({ clearedAt }: { clearedAt: Date | null }) => clearedAt === null
      expect((await accounts.listNotices()).filter(isStanding)).toMatchObject([
        { kind: 'maintenance', details: 'Still moving.' },
      ])
      await accounts.endMaintenance()
      expect((await accounts.listNotices()).filter(isStanding)).toEqual([])
    })

    it('are one maintenance, even if it is begun several times at once', async () => {
      await Promise.all(['a', 'b', 'c', 'd'].map((details) => accounts.beginMaintenance(details)))

      expect((await accounts.listNotices()).filter(({ clearedAt }) => clearedAt === null)).toHaveLength(1)
    })

    it('are one line each', async () => {
      for (const details of ['', '  ', 'a\nb', 'a\0b', 'x'.repeat(1001)]) {
        await expectRefusal('ERR_VALIDATION', accounts.addStatus(details))
      }
    })
  })

  describe('captchas', () => {
    it('are used once, even if used several times at once', async () => {
      const expiresAt = new Date(START + 5 * MINUTE_MS)

      const uses = await Promise.all([1, 2, 3, 4].map(() => accounts.useCaptcha('signature', expiresAt)))

      expect(uses.filter(Boolean)).toHaveLength(1)
      expect(await accounts.useCaptcha('other signature', expiresAt)).toBe(true)
    })
  })

  it('sweeps what has expired and nothing else', async () => {
    await register()
    await accounts.useCaptcha('old', new Date(START + 5 * MINUTE_MS))
    clock.now += 15 * MINUTE_MS
    const { token } = await accounts.requestLogin('ann@example.org')
    await accounts.useCaptcha('new', new Date(clock.now + 5 * MINUTE_MS))

    await accounts.sweep()

    const { rows } = await db.execute(sql`
      select (select count(*)::int from login_tokens) as tokens, (select count(*)::int from used_captchas) as captchas`)
    expect(rows).toEqual([{ tokens: 1, captchas: 1 }])
    await expect(accounts.exchangeLoginToken(token)).resolves.toBeDefined()
  })

  it('sweeps everything else if something cannot be swept, and fails by that', async () => {
    await register()
    await accounts.useCaptcha('old', new Date(START + 5 * MINUTE_MS))
    await accounts.recordConnections([aConnection(randomUUID())])
    clock.now += 15 * MINUTE_MS
    const tables = ['login_tokens', 'refused_upgrades']
    for (const table of tables) await db.execute(sql.raw(`alter table ${table} rename to hidden_${table}`))
    try {
      await expect(accounts.sweep()).rejects.toMatchObject({ name: 'DatabaseError', code: '42P01' })
    } finally {
      for (const table of tables) await db.execute(sql.raw(`alter table hidden_${table} rename to ${table}`))
    }

    const { rows } = await db.execute(sql`
      select (select count(*)::int from stream_connections) as connections, (select count(*)::int from used_captchas) as captchas`)
    expect(rows).toEqual([{ connections: 0, captchas: 0 }])
  })

  // Guards against emails, tokens and keys in logs: the libraries put a query's parameters into their messages.
  it('fails without naming any parameter when a query goes wrong', async () => {
    await db.execute(sql`alter table accounts rename to accounts_hidden`)
    try {
      const error: unknown = await register('ann@example.org').catch((reason: unknown) => reason)

      expect(error).toMatchObject({ name: 'DatabaseError', code: '42P01' })
      expect(
        `${JSON.stringify(error)} ${(error as Error).stack} ${String((error as Error).cause)}`,
      ).not.toContain('ann@example.org')
    } finally {
      await db.execute(sql`alter table accounts_hidden rename to accounts`)
    }
  })

  describe('what meets a deadlock', () => {
    /** Has so many insertions into a table meet one: numbers of a sequence stay taken, whatever is undone. */
    const clashes = (table: string, times: number) =>
      db.execute(
        sql.raw(`
        create sequence met;
        create function clash() returns trigger language plpgsql as $$ begin
          if nextval('met') <= ${times} then raise exception 'no' using errcode = '40P01'; end if;
          return new;
        end $$;
        create trigger clash before insert on ${table} for each row execute function clash()`),
      )
    afterEach(() => db.execute(sql.raw('drop function clash cascade; drop sequence met')))

    it('is done again, a transaction from its begin', async () => {
      await clashes('acts', 2)

      await accounts.addStatus('Delays on Raydium.', { by: OPERATOR })

      expect(await accounts.listNotices()).toMatchObject([{ details: 'Delays on Raydium.' }])
    })

    it('is done again, a statement by itself', async () => {
      await clashes('used_captchas', 2)

      expect(await accounts.useCaptcha('signature', new Date(START + 5 * MINUTE_MS))).toBe(true)
    })

    it('is given up at the third time, as for a database that is away', async () => {
      await clashes('status_items', 4)

      await expectRefusal('ERR_UNAVAILABLE', accounts.addStatus('Delays on Raydium.'))

      expect((await db.execute(sql`select last_value::int as tries from met`)).rows).toEqual([{ tries: 3 }])
    })
  })

  it('starts the next transaction clean after one that failed half-way', async () => {
    await expect(
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into status_items (details, created_at) values ('half', now())`)
        await tx.execute(sql`select 1 / 0`)
      }),
    ).rejects.toThrow()

    await accounts.addStatus('whole')

    expect(await accounts.listNotices()).toMatchObject([{ details: 'whole' }])
  })

  it('gives each of many interleaved callers its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        // Every third breaks its connection, which the pool then replaces.
        const query =
          number % 3 === 0 ? sql`select ${number}::int / 0 as value` : sql`select ${number}::int as value`
        try {
          return (await db.execute(query)).rows[0]?.value
        } catch {
          return 'refused'
        }
      }),
    )

    expect(answers).toEqual(
      Array.from({ length: 60 }, (_, number) => (number % 3 === 0 ? 'refused' : number)),
    )
  })
}
