import { type AppError, type ErrorType, PLANS, type PlanId } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Accounts } from './accounts.ts'
import { createAccounts } from './create-accounts.ts'
import type { Database } from './open-database.ts'
import { subscriptions } from './schema.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Noon, so that UTC days and moments cannot be mixed up unnoticed. */
const START = Date.UTC(2026, 0, 31, 12)

/**
 * What every database must keep of `Accounts`. `open` gives an empty database and what takes it down again.
 */
export function describeAccounts(
  databaseName: string,
  open: () => Promise<{ database: Database; remove(): Promise<void> }>,
): void {
  describe(`accounts on ${databaseName}`, () => {
    let opened: Awaited<ReturnType<typeof open>>
    let db: Database['db']
    let accounts: Accounts
    let now: number

    const parts = () => ({
      db,
      barrier: opened.database.barrier,
      clock: () => now,
      secrets: { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) },
    })

    beforeAll(async () => {
      opened = await open()
      db = opened.database.db
      accounts = createAccounts(parts())
    })
    afterAll(async () => {
      await opened.database.close()
      await opened.remove()
    })
    beforeEach(async () => {
      now = START
      // Faster than truncate on tables this small.
      for (const table of ['accounts', 'used_trials', 'delivered_counts', 'status_items', 'used_captchas']) {
        await db.execute(sql`delete from ${sql.identifier(table)}`)
      }
    })

    const register = (email = 'ann@example.org') =>
      accounts.register({ email, origin: 'friend', enableMarketingEmails: false })

    /** A registered and signed-in person. */
    async function aPerson(email?: string): Promise<{ accountId: string; key: string }> {
      const { token } = await register(email)
      const { accountId } = await accounts.exchangeLoginToken(token)
      return { accountId, key: (await accounts.getAccount(accountId)).user.APIKey }
    }

    /** A subscription as a payment provider's part would write it. */
    async function aPaidPlan(accountId: string, over: Partial<typeof subscriptions.$inferInsert> = {}) {
      await db.insert(subscriptions).values({
        id: accountId,
        accountId,
        kind: 'paid',
        planId: 2,
        startedAt: new Date(now),
        endsAt: new Date(now + 30 * DAY_MS),
        ...over,
      })
    }

    describe('register', () => {
      it('makes an account without a plan and with a key of 32 lower-case hexadecimal characters', async () => {
        const { accountId } = await aPerson('Ann@Example.org')

        expect(await accounts.getAccount(accountId)).toEqual({
          user: {
            ID: accountId,
            Email: 'Ann@Example.org',
            APIKey: expect.stringMatching(/^[0-9a-f]{32}$/),
            CreatedAt: '2026-01-31T12:00:00.000Z',
          },
          hasHadFreeTrial: false,
        })
      })

      it('refuses a known email in any case and with blanks around it', async () => {
        await register('ann@example.org')

        await expectRefusal('ERR_CONFLICT', register(' ANN@Example.ORG '))
      })

      it('refuses blocked domains and the domains below them', async () => {
        const strict = createAccounts({ ...parts(), blockedEmailDomains: ['Spam.example'] })
        const from = (email: string) =>
          strict.register({ email, origin: 'other', enableMarketingEmails: true })

        await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@mailinator.com'))
        await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@x.MAILINATOR.com'))
        await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@spam.example'))
        await expect(from('a@notmailinator.com')).resolves.toBeDefined()
      })

      it('refuses what is no email', async () => {
        await expectRefusal('ERR_VALIDATION', register('ann'))
      })

      it('lets exactly one of several simultaneous registrations of one email succeed', async () => {
        let round = 0
        await fc.assert(
          fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }), async (cases) => {
            const email = `race-${round++}@example.org`

            const results = await Promise.allSettled(
              cases.map((upper) => register(upper ? email.toUpperCase() : email)),
            )

            expect(winners(results)).toBe(1)
            expect(refusals(results)).toEqual(new Set(['ERR_CONFLICT']))
          }),
          { numRuns: 10 },
        )
      })
    })

    describe('login tokens', () => {
      it('go to the email as it was registered, however it is typed', async () => {
        await register('Ann@example.org')

        const { email, token, expiresAt } = await accounts.requestLogin('  ann@EXAMPLE.org')

        expect(email).toBe('Ann@example.org')
        expect(token).toMatch(/^[\w-]{43}$/)
        expect(expiresAt).toEqual(new Date(START + 15 * MINUTE_MS))
      })

      it('are refused to unknown emails, whatever they hold', async () => {
        const anyText = fc.string({ unit: 'binary' })
        await fc.assert(
          fc.asyncProperty(
            fc.oneof(
              anyText,
              anyText.map((text) => `${text}@example.org`),
            ),
            async (email) => {
              await expectRefusal('ERR_LOGIN_REQUIRED', accounts.requestLogin(email))
            },
          ),
          { numRuns: 25, examples: [['\0'], ["' or true --"]] },
        )
      })

      it('work until they are 15 minutes old', async () => {
        const early = await register()
        const late = await accounts.requestLogin(early.email)

        now = START + 15 * MINUTE_MS - 1
        await expect(accounts.exchangeLoginToken(early.token)).resolves.toBeDefined()

        now = START + 15 * MINUTE_MS
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(late.token))
      })

      it('work once, also when used several times at once', async () => {
        const { email } = await register()
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 2, max: 6 }), async (tries) => {
            const { token } = await accounts.requestLogin(email)

            const results = await Promise.allSettled(
              Array.from({ length: tries }, () => accounts.exchangeLoginToken(token)),
            )

            expect(winners(results)).toBe(1)
            expect(refusals(results)).toEqual(new Set(['ERR_LOGIN_REQUIRED']))
          }),
          { numRuns: 10 },
        )
      })

      it('are refused when forged', async () => {
        await fc.assert(
          fc.asyncProperty(fc.string({ unit: 'binary' }), async (token) => {
            await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(token))
          }),
          { numRuns: 25 },
        )
      })

      it('stand nowhere in the database, and neither do keys', async () => {
        const { token } = await register()
        const { accountId } = await accounts.exchangeLoginToken(
          (await accounts.requestLogin('ann@example.org')).token,
        )
        const { APIKey } = (await accounts.getAccount(accountId)).user

        const { rows } = await db.execute(
          sql`select (select json_agg(accounts) from accounts)::text || (select json_agg(login_tokens) from login_tokens)::text as everything`,
        )
        const everything = String(rows[0]?.everything)

        expect(everything).toContain('ann@example.org')
        expect(everything).not.toContain(token)
        expect(everything).not.toContain(APIKey)
      })
    })

    describe('keys', () => {
      it('are unknown when they are not ours, whatever they hold', async () => {
        await aPerson()
        const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })
        await fc.assert(
          fc.asyncProperty(fc.oneof(hex, fc.string({ unit: 'binary' })), async (key) => {
            expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
          }),
          { numRuns: 25 },
        )
      })

      it('say when their account has no plan', async () => {
        const { accountId, key } = await aPerson()

        expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
        expect(await accounts.authorizeAccount(accountId)).toEqual({ outcome: 'no_plan', accountId })
      })

      it('are replaced by a reset, and the old one is unknown at once', async () => {
        const { accountId, key } = await aPerson()

        const account = await accounts.resetKey(accountId)

        expect(account.user.APIKey).not.toBe(key)
        expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
        expect(await accounts.authorizeKey(account.user.APIKey)).toMatchObject({ accountId })
      })

      it('stay readable and valid after several resets at once, of which the last counts', async () => {
        const { accountId } = await aPerson()

        const answers = await Promise.all([1, 2, 3, 4].map(() => accounts.resetKey(accountId)))

        const { APIKey } = (await accounts.getAccount(accountId)).user
        expect(answers.map(({ user }) => user.APIKey)).toContain(APIKey)
        expect(await accounts.authorizeKey(APIKey)).toMatchObject({ accountId })
      })

      it('cannot be read with another encryption secret, but can still be found', async () => {
        const { accountId, key } = await aPerson()
        const secrets = { ...parts().secrets, keyEncryption: new Uint8Array(32).fill(9) }
        const other = createAccounts({ ...parts(), secrets })

        await expect(other.getAccount(accountId)).rejects.toThrow('KEY_ENCRYPTION_SECRET')
        expect(await other.authorizeKey(key)).toMatchObject({ accountId })
      })
    })

    describe('the free trial', () => {
      it('gives the plan for five days and ends by itself', async () => {
        const { accountId, key } = await aPerson()

        const account = await accounts.startTrial(accountId, 3)

        expect(account).toMatchObject({
          activeSubscription: {
            planName: 'Pro',
            isFreeTrial: true,
            willCancel: '',
            renewalDate: '2026-02-05T12:00:00.000Z',
            connectionLimit: 1,
          },
          hasHadFreeTrial: true,
        })
        expect(account.paidSubscription).toBeUndefined()
        expect(await accounts.authorizeKey(key)).toEqual({
          outcome: 'allowed',
          accountId,
          planId: 3,
          connectionLimit: 1,
          endsAt: new Date('2026-02-05T12:00:00Z'),
          period: '2026-01-31',
          periodEndsAt: new Date('2026-02-28T00:00:00Z'),
          delivered: { newPair: 0, swap: 0 },
        })

        now = START + 5 * DAY_MS - 1
        expect(await accounts.authorizeKey(key)).toMatchObject({ outcome: 'allowed' })
        now = START + 5 * DAY_MS
        expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
        expect(await accounts.getAccount(accountId)).toEqual({ user: account.user, hasHadFreeTrial: true })
      })

      it('is given once, also to several simultaneous calls', async () => {
        let round = 0
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.constantFrom<PlanId>(1, 2, 3), { minLength: 2, maxLength: 6 }),
            async (plans) => {
              const { accountId } = await aPerson(`trial-${round++}@example.org`)

              const results = await Promise.allSettled(
                plans.map((plan) => accounts.startTrial(accountId, plan)),
              )

              expect(winners(results)).toBe(1)
              expect(refusals(results)).toEqual(new Set(['TRIAL_USED']))
            },
          ),
          { numRuns: 10 },
        )
      })

      it('stays used after it has ended, and after the account was deleted and registered again', async () => {
        const { accountId } = await aPerson('ann@example.org')
        await accounts.startTrial(accountId, 1)
        now += 6 * DAY_MS
        await expectRefusal('TRIAL_USED', accounts.startTrial(accountId, 1))

        await accounts.deleteAccount(accountId)
        const again = await aPerson('ANN@example.org')

        await expectRefusal('TRIAL_USED', accounts.startTrial(again.accountId, 1))
        expect((await accounts.getAccount(again.accountId)).hasHadFreeTrial).toBe(true)
      })

      it('is refused beside a paid plan or a grant, and not used up by the refusal', async () => {
        const { accountId } = await aPerson()
        await accounts.grantPlan('ann@example.org', 2)

        await expectRefusal('SUBSCRIPTION_EXISTS', accounts.startTrial(accountId, 1))

        await accounts.grantPlan('ann@example.org', null)
        await expect(accounts.startTrial(accountId, 1)).resolves.toMatchObject({ hasHadFreeTrial: true })
      })

      it('is refused for a plan that there is not', async () => {
        const { accountId } = await aPerson()

        await expectRefusal('ERR_VALIDATION', accounts.startTrial(accountId, 4 as PlanId))
      })
    })

    describe('a paid plan', () => {
      it('renews at the end of its period and can be managed', async () => {
        const { accountId } = await aPerson()
        await aPaidPlan(accountId)

        expect(await accounts.getAccount(accountId)).toMatchObject({
          activeSubscription: {
            planName: 'Basic',
            isFreeTrial: false,
            willCancel: '',
            renewalDate: '2026-03-02T12:00:00.000Z',
          },
          paidSubscription: { planName: 'Basic', forbidManageSubscription: false },
        })
        await expectRefusal('ACTIVE_SUBSCRIPTION', accounts.deleteAccount(accountId))
      })

      it('runs out at its end once it is cancelled, and no longer keeps the account from being deleted', async () => {
        const { accountId } = await aPerson()
        await aPaidPlan(accountId, { cancelledAt: new Date(now) })

        expect((await accounts.getAccount(accountId)).activeSubscription).toMatchObject({
          willCancel: '2026-03-02T12:00:00.000Z',
          renewalDate: '',
        })
        await expect(accounts.deleteAccount(accountId)).resolves.toBeUndefined()
      })

      it('counts before a trial that still runs', async () => {
        const { accountId, key } = await aPerson()
        await accounts.startTrial(accountId, 1)
        await aPaidPlan(accountId)

        expect(await accounts.authorizeKey(key)).toMatchObject({ planId: 2 })
      })
    })

    describe('deletion', () => {
      it('takes the key, the tokens, the plan and the counts away', async () => {
        const { accountId, key } = await aPerson()
        const { token } = await accounts.requestLogin('ann@example.org')
        await accounts.startTrial(accountId, 3)
        await accounts.recordDelivered([{ accountId, period: '2026-01-31', kind: 'swap', count: 7 }])

        await accounts.deleteAccount(accountId)

        expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
        expect(await accounts.authorizeAccount(accountId)).toEqual({ outcome: 'unknown_key' })
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(token))
        await expectRefusal('ERR_LOGIN_REQUIRED', accounts.requestLogin('ann@example.org'))
        const { rows } = await db.execute(sql`
          select (select count(*)::int from subscriptions) + (select count(*)::int from delivered_counts)
            + (select count(*)::int from login_tokens) as "left"`)
        expect(rows).toEqual([{ left: 0 }])
      })

      it('leaves every further call for the account signed out', async () => {
        const { accountId } = await aPerson()
        await accounts.deleteAccount(accountId)

        for (const gone of [accountId, 'no-uuid', '']) {
          await expectRefusal('ERR_LOGIN_REQUIRED', accounts.getAccount(gone))
          await expectRefusal('ERR_LOGIN_REQUIRED', accounts.resetKey(gone))
          await expectRefusal('ERR_LOGIN_REQUIRED', accounts.startTrial(gone, 1))
          await expectRefusal('ERR_LOGIN_REQUIRED', accounts.deleteAccount(gone))
          expect(await accounts.authorizeAccount(gone)).toEqual({ outcome: 'unknown_key' })
        }
      })

      it('leaves no trace of an email that had no trial', async () => {
        const { accountId } = await aPerson()

        await accounts.deleteAccount(accountId)

        expect((await db.execute(sql`select * from used_trials`)).rows).toEqual([])
      })

      it('beside a trial that starts at the same time leaves nothing half done', async () => {
        const { accountId, key } = await aPerson()

        const [trial] = await Promise.allSettled([
          accounts.startTrial(accountId, 1),
          accounts.deleteAccount(accountId),
        ])

        if (trial.status === 'rejected') expect(trial.reason.errorType).toBe('ERR_LOGIN_REQUIRED')
        expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
        expect((await db.execute(sql`select * from subscriptions`)).rows).toEqual([])
      })
    })

    describe('the operator', () => {
      it('makes accounts of any domain, which their owners sign in to by mail', async () => {
        const { accountId, account } = await accounts.createAccount('Ops@mailinator.com')

        expect(account.user.Email).toBe('Ops@mailinator.com')
        const { token } = await accounts.requestLogin('ops@mailinator.com')
        expect(await accounts.exchangeLoginToken(token)).toEqual({ accountId })
        await expectRefusal('ERR_CONFLICT', accounts.createAccount('ops@mailinator.com'))
      })

      it('finds accounts by email and is told of unknown ones', async () => {
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

      it('changes a grant, which keeps its billing period, and takes it away', async () => {
        const { accountId, key } = await aPerson()
        await accounts.grantPlan('ann@example.org', 1, 5)

        now += 3 * DAY_MS
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

      it('grants over a trial, which is there again when the grant is taken away', async () => {
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

      it('is refused a number of connections that is none', async () => {
        await aPerson()

        for (const connections of [0, -1, 1.5, Number.NaN, 1e9]) {
          await expectRefusal('ERR_VALIDATION', accounts.grantPlan('ann@example.org', 1, connections))
        }
      })
    })

    describe('counts', () => {
      it('add up for each kind and start anew with the next billing period', async () => {
        const { accountId, key } = await aPerson()
        await accounts.grantPlan('ann@example.org', 1)
        const period = '2026-01-31'

        await accounts.recordDelivered([
          { accountId, period, kind: 'swap', count: 3 },
          { accountId, period, kind: 'swap', count: 4 },
          { accountId, period, kind: 'newPair', count: 5 },
        ])
        await accounts.recordDelivered([{ accountId, period, kind: 'swap', count: 10 }])

        expect(await accounts.authorizeKey(key)).toMatchObject({
          period,
          delivered: { newPair: 5, swap: 17 },
        })
        now = Date.UTC(2026, 1, 28)
        expect(await accounts.authorizeKey(key)).toMatchObject({
          period: '2026-02-28',
          periodEndsAt: new Date('2026-03-31T00:00:00Z'),
          delivered: { newPair: 0, swap: 0 },
        })
      })

      it('equal the sum of all batches, however they are cut and whatever comes at once', async () => {
        const people = await Promise.all(['a', 'b', 'c'].map((name) => aPerson(`${name}@example.org`)))
        for (const name of ['a', 'b', 'c']) await accounts.grantPlan(`${name}@example.org`, 3)
        const row = fc.record({
          accountId: fc.constantFrom(...people.map(({ accountId }) => accountId)),
          period: fc.constant('2026-01-31'),
          kind: fc.constantFrom('newPair' as const, 'swap' as const),
          count: fc.nat(1_000_000_000_000),
        })
        await fc.assert(
          fc.asyncProperty(fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
            await db.execute(sql`delete from delivered_counts`)

            await Promise.all(batches.map((batch) => accounts.recordDelivered(batch)))

            for (const { accountId } of people) {
              const sum = (kind: string) =>
                batches
                  .flat()
                  .filter((entry) => entry.accountId === accountId && entry.kind === kind)
                  .reduce((total, entry) => total + entry.count, 0)
              expect(await accounts.authorizeAccount(accountId)).toMatchObject({
                delivered: { newPair: sum('newPair'), swap: sum('swap') },
              })
            }
          }),
          { numRuns: 15 },
        )
      })

      it('of an account deleted meanwhile harm no other, and are swept', async () => {
        const ann = await aPerson('ann@example.org')
        const bob = await aPerson('bob@example.org')
        await accounts.grantPlan('bob@example.org', 3)
        await accounts.deleteAccount(ann.accountId)

        await accounts.recordDelivered([
          { accountId: ann.accountId, period: '2026-01-31', kind: 'swap', count: 1 },
          { accountId: bob.accountId, period: '2026-01-31', kind: 'swap', count: 2 },
        ])
        await accounts.sweep()

        expect(await accounts.authorizeAccount(bob.accountId)).toMatchObject({ delivered: { swap: 2 } })
        const { rows } = await db.execute(sql`select count(*)::int as count from delivered_counts`)
        expect(rows).toEqual([{ count: 1 }])
      })
    })

    describe('status notices', () => {
      it('are listed newest first and cleared together', async () => {
        await accounts.addStatus('Maintenance tonight.')
        await accounts.addStatus('Delays on Raydium.')

        expect(await accounts.listStatus()).toEqual([
          { Details: 'Delays on Raydium.' },
          { Details: 'Maintenance tonight.' },
        ])

        await accounts.clearStatus()
        expect(await accounts.listStatus()).toEqual([])
      })

      it('are one line each', async () => {
        for (const details of ['', '  ', 'a\nb', 'a\0b', 'x'.repeat(1001)]) {
          await expectRefusal('ERR_VALIDATION', accounts.addStatus(details))
        }
      })
    })

    describe('captchas', () => {
      it('are used once, also when used several times at once', async () => {
        const expiresAt = new Date(START + 5 * MINUTE_MS)

        const uses = await Promise.all([1, 2, 3, 4].map(() => accounts.useCaptcha('signature', expiresAt)))

        expect(uses.filter(Boolean)).toHaveLength(1)
        expect(await accounts.useCaptcha('other signature', expiresAt)).toBe(true)
      })
    })

    it('sweeps what has expired and nothing else', async () => {
      await register()
      await accounts.useCaptcha('old', new Date(START + 5 * MINUTE_MS))
      now += 15 * MINUTE_MS
      const { token } = await accounts.requestLogin('ann@example.org')
      await accounts.useCaptcha('new', new Date(now + 5 * MINUTE_MS))

      await accounts.sweep()

      const { rows } = await db.execute(sql`
        select (select count(*)::int from login_tokens) as tokens, (select count(*)::int from used_captchas) as captchas`)
      expect(rows).toEqual([{ tokens: 1, captchas: 1 }])
      await expect(accounts.exchangeLoginToken(token)).resolves.toBeDefined()
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

    it('opens the next transaction clean after one that failed half-way', async () => {
      await expect(
        db.transaction(async (tx) => {
          await tx.execute(sql`insert into status_items (details, created_at) values ('half', now())`)
          await tx.execute(sql`select 1 / 0`)
        }),
      ).rejects.toThrow()

      await accounts.addStatus('whole')

      expect(await accounts.listStatus()).toEqual([{ Details: 'whole' }])
    })

    it('gives every one of many interleaved callers its own answer', async () => {
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
  })
}

async function expectRefusal(errorType: ErrorType, action: Promise<unknown>): Promise<void> {
  await expect(action).rejects.toMatchObject({ name: 'AppError', errorType })
}

function winners(results: readonly PromiseSettledResult<unknown>[]): number {
  return results.filter(({ status }) => status === 'fulfilled').length
}

function refusals(results: readonly PromiseSettledResult<unknown>[]): Set<ErrorType> {
  return new Set(
    results.flatMap((result) => (result.status === 'rejected' ? (result.reason as AppError).errorType : [])),
  )
}
