import { describe, expect, it } from 'vitest'
import { mails, operatorLinks, operatorSessions, operators } from '../database/schema.ts'
import {
  type AccountsUnderTest,
  expectRefusal,
  MINUTE_MS,
  refusals,
  winners,
} from '../testing/accounts-under-test.ts'
import { codeOf } from '../testing/authenticator.ts'

/** Operators and their sign-in: what every database must guarantee of them. */
export function describeOperators({ accounts, db, clock }: AccountsUnderTest): void {
  const place = { address: '192.0.2.7', roomUrl: 'https://ops.example/admin' }
  const signIn = (token: string, code: string) =>
    accounts.openOperatorSession({ ...place, token, code, browser: '', agent: 'Firefox' })
  const codeNow = (secret: string) => codeOf(secret, Math.floor(clock.now / 30_000))

  describe('operators', () => {
    it('are made once for each email, with a secret that an app takes', async () => {
      const made = await accounts.addOperator(' Ann@Example.org ', 'viewer')

      expect(made).toMatchObject({ email: 'Ann@Example.org', role: 'viewer' })
      expect(made.secret).toMatch(/^[A-Z2-7]{32}$/)
      expect(new URL(made.uri).searchParams.get('secret')).toBe(made.secret)
      expect(made.uri).toMatch(/^otpauth:\/\/totp\/Pairwire:Ann%40Example\.org\?/)
      await expectRefusal('ERR_CONFLICT', accounts.addOperator('ann@example.org', 'operator'))
      await expectRefusal('ERR_VALIDATION', accounts.addOperator('ann', 'operator'))
    })

    // RFC 6238, appendix B, with six digits: guards that any authenticator app shows the codes that are taken.
    it('have the codes of the RFC', () => {
      const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

      expect(
        [59, 1_111_111_109, 2_000_000_000].map((second) => codeOf(secret, Math.floor(second / 30))),
      ).toEqual(['287082', '081804', '279037'])
    })

    // Guards sign-ins: a copy of the database must be worth nothing.
    it('leave no readable secret, token or cookie', async () => {
      const { secret, token, email } = await accounts.addOperator('ann@example.org', 'operator')
      const operator = await accounts.findOperatorByEmail(email)
      await accounts.mailOperatorLink(operator!, { ...place, browser: 'the browser' })
      const opened = await signIn(token, codeNow(secret))
      const { mails: due } = await accounts.takeDueMails(10)

      const rows = [operators, operatorLinks, operatorSessions, mails].map((table) => db.select().from(table))
      const text = JSON.stringify(await Promise.all(rows))

      const link = due.flatMap(({ letter }) => ('link' in letter ? [letter.link] : []))
      expect(link).toHaveLength(2)
      for (const hidden of [secret, token, 'the browser', ...link]) expect(text).not.toContain(hidden)
      expect(opened).toMatchObject({ outcome: 'right', token: expect.stringMatching(/^[\w-]{43}$/) })
      expect(text).not.toContain('token' in opened && opened.token)
    })

    it('get their mails without an account', async () => {
      const { email } = await accounts.addOperator('Ann@example.org', 'operator')
      const operator = await accounts.findOperatorByEmail(email)

      await accounts.mailOperatorLink(operator!, { ...place, browser: 'a browser' })

      const { mails: due } = await accounts.takeDueMails(10)
      expect(due).toMatchObject([
        {
          to: 'Ann@example.org',
          letter: {
            template: 'operator_link',
            link: expect.stringMatching(/^https:\/\/ops\.example\/admin\/sign-in\?t=[\w-]{43}$/),
            address: '192.0.2.7',
          },
        },
      ])
      await accounts.noteMailFailed(due[0]!.id, false)
      clock.now += 10 * MINUTE_MS
      expect(await accounts.takeDueMails(10)).toMatchObject({ mails: [], givenUp: 1 })
    })

    it('use up a code once, of any number of attempts at the same time', async () => {
      const { secret, email } = await accounts.addOperator('ann@example.org', 'operator')
      const tokens = await Promise.all(Array.from({ length: 4 }, () => accounts.createOperatorLink(email)))

      const answers = await Promise.all(tokens.map((token) => signIn(token, codeNow(secret))))

      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['right', 'wrong', 'wrong', 'wrong'])
    })

    // Guards against waiting for hours that a wrong clock dated a sign-in ahead.
    it('sign in again once a clock that was ahead is set back, each code once', async () => {
      const { secret, token, email } = await accounts.addOperator('ann@example.org', 'operator')
      const tokens = await Promise.all(Array.from({ length: 4 }, () => accounts.createOperatorLink(email)))
      clock.now += 2 * MINUTE_MS
      await signIn(token, codeNow(secret))

      clock.now -= 2 * MINUTE_MS
      const outcomes: string[] = []
      for (const another of tokens.slice(0, 2))
        outcomes.push((await signIn(another, codeNow(secret))).outcome)
      clock.now += MINUTE_MS / 2
      outcomes.push((await signIn(tokens[2]!, codeNow(secret))).outcome)
      // Another process, whose clock is a moment behind.
      clock.now -= MINUTE_MS / 2
      outcomes.push((await signIn(tokens[3]!, codeNow(secret))).outcome)

      expect(outcomes).toEqual(['right', 'wrong', 'right', 'wrong'])
    })

    it('leave an act of each change, sign-in and wrong code', async () => {
      const by = { actor: 'root', via: 'tool', address: null, verb: 'operator add' } as const
      const { secret, token, email } = await accounts.addOperator('ann@example.org', 'viewer', by)
      await signIn(token, '000000')
      await signIn(token, codeNow(secret))
      await accounts.removeOperator(email, { ...by, verb: 'operator remove' })

      const room = { actor: email, via: 'room', address: '192.0.2.7', verb: 'session open' }
      expect(await accounts.listActs({}, 10)).toMatchObject([
        { verb: 'operator remove', actor: 'root', changes: { role: ['viewer', 'none'] } },
        { ...room, outcome: 'done' },
        { ...room, outcome: 'refused' },
        { verb: 'operator add', changes: { role: ['none', 'viewer'] } },
      ])
    })

    it('lose sessions, links and the old codes with a new secret', async () => {
      const { secret, token, email } = await accounts.addOperator('ann@example.org', 'operator')
      const opened = await signIn(token, codeNow(secret))
      const other = await accounts.createOperatorLink(email)
      const cookie = 'token' in opened ? opened.token : ''
      expect(await accounts.findOperatorSession(cookie, { isSeen: true })).toMatchObject({ email })

      const again = await accounts.resetOperatorCode(email)

      expect(again.secret).not.toBe(secret)
      expect(await accounts.findOperatorSession(cookie, { isSeen: true })).toBeUndefined()
      expect(await signIn(other, codeNow(again.secret))).toMatchObject({ outcome: 'wrong' })
      const token2 = await accounts.createOperatorLink(email)
      expect(await signIn(token2, codeNow(again.secret))).toMatchObject({ outcome: 'right' })
    })

    it('are listed with their last sign-in, and gone with all they had', async () => {
      const { secret, token, email } = await accounts.addOperator('ann@example.org', 'operator')
      await signIn(token, codeNow(secret))

      expect(await accounts.listOperators()).toEqual([
        { email, role: 'operator', createdAt: new Date(clock.now), lastSignInAt: new Date(clock.now) },
      ])
      await accounts.removeOperator(email)

      for (const table of [operators, operatorLinks, operatorSessions]) {
        expect(await db.select().from(table)).toEqual([])
      }
      for (const verb of ['removeOperator', 'resetOperatorCode', 'createOperatorLink'] as const) {
        await expectRefusal('ERR_NOT_FOUND', accounts[verb](email))
      }
    })

    it('are removed once, and are unknown to what comes too late', async () => {
      for (let round = 0; round < 10; round++) {
        const { email } = await accounts.addOperator('ann@example.org', 'operator')

        const removals = [accounts.removeOperator(email), accounts.removeOperator(email)]
        const links = Array.from({ length: 4 }, () => accounts.createOperatorLink(email))
        const results = await Promise.allSettled<unknown>([...links, ...removals])

        expect(winners(results.slice(-2))).toBe(1)
        expect(refusals(results)).toEqual(new Set(['ERR_NOT_FOUND']))
      }
    })

    it('leave nothing of old links and sessions', async () => {
      const { secret, token } = await accounts.addOperator('ann@example.org', 'operator')
      await signIn(token, codeNow(secret))

      clock.now += 29 * 24 * 60 * MINUTE_MS
      await accounts.sweep()
      expect(await db.select().from(operatorLinks)).toEqual([])
      expect(await db.select().from(operatorSessions)).toHaveLength(1)
      clock.now += 24 * 60 * MINUTE_MS
      await accounts.sweep()

      expect(await db.select().from(operatorSessions)).toEqual([])
    })
  })
}
