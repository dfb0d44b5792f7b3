import { anyText } from '@pairwire/basics/testing/any-text'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../create-accounts.ts'
import {
  type AccountsUnderTest,
  expectRefusal,
  MINUTE_MS,
  refusals,
  START,
  winners,
} from '../testing/accounts-under-test.ts'

/** Registration, login tokens and keys: what every database must keep of them. */
export function describePeople({ accounts, db, parts, clock, register, aPerson }: AccountsUnderTest): void {
  describe('register', () => {
    it('creates an account without a plan and with a key of 32 lower-case hexadecimal characters', async () => {
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
      const strict = createAccounts({ ...parts, blockedEmailDomains: ['Spam.example'] })
      const from = (email: string) => strict.register({ email, origin: 'other', enableMarketingEmails: true })

      await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@mailinator.com'))
      await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@x.MAILINATOR.com'))
      await expectRefusal('BLOCKED_EMAIL_DOMAIN', from('a@spam.example'))
      await expect(from('a@notspam.example')).resolves.toBeDefined()
    })

    it('accepts addresses of one person for several accounts, each signed in to as typed', async () => {
      await register('ann@gmail.com')

      await expectRefusal('ERR_LOGIN_REQUIRED', accounts.requestLogin('a.nn@gmail.com'))
      await register('a.nn+work@gmail.com')

      expect((await accounts.requestLogin('A.NN+work@gmail.com')).email).toBe('a.nn+work@gmail.com')
      expect((await accounts.requestLogin('ann@gmail.com')).email).toBe('ann@gmail.com')
    })

    it('refuses a text that is not an email', async () => {
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
    it('go to the email as registered, however it is typed', async () => {
      await register('Ann@example.org')

      const { email, token, expiresAt } = await accounts.requestLogin('  ann@EXAMPLE.org')

      expect(email).toBe('Ann@example.org')
      expect(token).toMatch(/^[\w-]{43}$/)
      expect(expiresAt).toEqual(new Date(START + 15 * MINUTE_MS))
    })

    it('are refused for unknown emails, whatever their characters', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            anyText(),
            anyText().map((text) => `${text}@example.org`),
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

      clock.now = START + 15 * MINUTE_MS - 1
      await expect(accounts.exchangeLoginToken(early.token)).resolves.toBeDefined()

      clock.now = START + 15 * MINUTE_MS
      await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(late.token))
    })

    it('work once, even if used several times at once', async () => {
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
        fc.asyncProperty(anyText(), async (token) => {
          await expectRefusal('ERR_LOGIN_REQUIRED', accounts.exchangeLoginToken(token))
        }),
        { numRuns: 25 },
      )
    })

    it('are not in the database in readable form, and neither are keys', async () => {
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
    it('are unknown if they are not ours, whatever their characters', async () => {
      await aPerson()
      const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })
      await fc.assert(
        fc.asyncProperty(fc.oneof(hex, anyText()), async (key) => {
          expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
        }),
        { numRuns: 25 },
      )
    })

    it('report that their account has no plan', async () => {
      const { accountId, key } = await aPerson()

      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'no_plan', accountId })
      expect(await accounts.authorizeAccount(accountId)).toEqual({ outcome: 'no_plan', accountId })
    })

    it('are replaced by a reset, and the old key is unknown at once', async () => {
      const { accountId, key } = await aPerson()

      const account = await accounts.resetKey(accountId)

      expect(account.user.APIKey).not.toBe(key)
      expect(await accounts.authorizeKey(key)).toEqual({ outcome: 'unknown_key' })
      expect(await accounts.authorizeKey(account.user.APIKey)).toMatchObject({ accountId })
    })

    it('and plans have names, read for many accounts at once, that change with either', async () => {
      const [mine, others, gone] = [
        await aPerson('mine@example.org'),
        await aPerson('others@example.org'),
        await aPerson('gone@example.org'),
      ]
      const ids = [mine, others, gone].map(({ accountId }) => accountId)
      await accounts.deleteAccount(gone.accountId)
      const before = await accounts.readStandings(ids)
      expect([...before.keys()].sort()).toEqual([mine.accountId, others.accountId].sort())

      const { user } = await accounts.resetKey(mine.accountId)
      const reset = await accounts.readStandings(ids)
      await accounts.startTrial(mine.accountId, 1)
      const onTrial = await accounts.readStandings(ids)

      const of = (standings: typeof before) => standings.get(mine.accountId)!
      expect(of(reset).key).not.toBe(of(before).key)
      expect(of(reset).plan).toBe(of(before).plan)
      expect(of(onTrial).plan).not.toBe(of(reset).plan)
      expect(onTrial.get(others.accountId)).toEqual(before.get(others.accountId))
      expect(await accounts.authorizeKey(user.APIKey)).toMatchObject({ standing: of(onTrial) })
    })

    it('are read for more accounts than fit one query', async () => {
      const people = await Promise.all(
        Array.from({ length: 120 }, (_, at) => aPerson(`many-${at}@example.org`)),
      )
      const ids = people.map(({ accountId }) => accountId)

      const standings = await accounts.readStandings(ids)

      expect([...standings.keys()].sort()).toEqual([...ids].sort())
    })

    it('stay readable and valid after several concurrent resets, of which the last counts', async () => {
      const { accountId } = await aPerson()

      const answers = await Promise.all([1, 2, 3, 4].map(() => accounts.resetKey(accountId)))

      const { APIKey } = (await accounts.getAccount(accountId)).user
      expect(answers.map(({ user }) => user.APIKey)).toContain(APIKey)
      expect(await accounts.authorizeKey(APIKey)).toMatchObject({ accountId })
    })

    it('cannot be read with another encryption secret, but can still be found', async () => {
      const { accountId, key } = await aPerson()
      const secrets = { ...parts.secrets, keyEncryption: new Uint8Array(32).fill(9) }
      const other = createAccounts({ ...parts, secrets })

      await expect(other.getAccount(accountId)).rejects.toThrow('KEY_ENCRYPTION_SECRET')
      expect(await other.authorizeKey(key)).toMatchObject({ accountId })
    })
  })
}
