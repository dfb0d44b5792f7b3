import { randomUUID } from 'node:crypto'
import { PLANS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
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

/** The operator's verbs, captchas and sweeps: what every database must keep of them. */
export function describeOperations(under: AccountsUnderTest): void {
  const { accounts, db, parts, clock, register, aPerson } = under

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
}
