import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { gateways, webhooks } from '../database/schema.ts'
import { type AccountsUnderTest, DAY_MS, MINUTE_MS } from '../testing/accounts-under-test.ts'

const ROOM = 'https://ops.example/admin'

/** Alarms, and what the database knows of their conditions: what every database must keep of them. */
export function describeAlarms({ accounts, clock, db, register }: AccountsUnderTest): void {
  const turn = async (holds: boolean, afterMs = 0) => {
    clock.now += afterMs
    const reading = { name: 'disk', holds, patienceMs: MINUTE_MS, sentence: 'The disk is full.' }
    return (await accounts.turnAlarms([reading], ROOM)).map(({ state }) => state)
  }
  const stateNow = async () => (await accounts.listAlarms()).map(({ state }) => state)

  describe('alarms', () => {
    it('wait for their patience, and are mailed once to each operator when they begin and when they end', async () => {
      await accounts.addOperator('ann@example.org', 'operator')
      await accounts.addOperator('bob@example.org', 'viewer')

      const told = [await turn(true), await turn(true, MINUTE_MS), await turn(true, MINUTE_MS)]
      told.push(await turn(false, MINUTE_MS), await turn(false, MINUTE_MS))

      expect(told).toEqual([[], ['begun'], [], ['ended'], []])
      const { mails } = await accounts.takeDueMails(10)
      const alarm = { template: 'operator_alarm', sentence: 'The disk is full.', link: ROOM }
      for (const { letter } of mails) expect(letter).toMatchObject(alarm)
      expect(mails.map(({ to, letter }) => `${to} ${'state' in letter && letter.state}`).sort()).toEqual([
        ...['ann@example.org begun', 'ann@example.org ended'],
        ...['bob@example.org begun', 'bob@example.org ended'],
      ])
    })

    it('are told once at their very first, even if several processes look at once', async () => {
      const reading = { name: 'disk', holds: true, patienceMs: 0, sentence: 'The disk is full.' }

      const told = await Promise.all([1, 2, 3, 4].map(() => accounts.turnAlarms([reading], ROOM)))

      expect(told.flat()).toHaveLength(1)
    })

    it('begin again silently within the hour, and are told when it is over', async () => {
      const told: unknown[] = []
      for (const [holds, afterMs] of [
        [true, 0],
        [true, MINUTE_MS],
        [false, MINUTE_MS],
        [true, MINUTE_MS],
        [true, MINUTE_MS],
      ] as const)
        told.push(...(await turn(holds, afterMs)))

      expect([told, await stateNow()]).toEqual([['begun', 'ended'], ['hushed']])
      expect(await turn(true, 56 * MINUTE_MS)).toEqual([])
      expect(await turn(true, MINUTE_MS)).toEqual(['begun'])
    })

    it('say nothing of what passes within their patience', async () => {
      expect([await turn(true), await stateNow()]).toEqual([[], ['waiting']])
      expect([await turn(false, MINUTE_MS - 1), await stateNow()]).toEqual([[], ['quiet']])
      expect([await turn(true), await turn(true, MINUTE_MS - 1)]).toEqual([[], []])
    })

    it('begin to wait again when the clock was set back, and end all the same', async () => {
      await turn(true)
      expect(await turn(true, -DAY_MS)).toEqual([])
      expect(await turn(true, MINUTE_MS)).toEqual(['begun'])
      expect(await turn(false, -DAY_MS)).toEqual(['ended'])
    })
  })

  describe('the facts for alarms', () => {
    it('are mails given up within a day and the oldest that waits, without those about alarms', async () => {
      await accounts.addOperator('ann@example.org', 'operator')
      await turn(true)
      await turn(true, MINUTE_MS)
      const quiet = await accounts.readAlarmFacts()
      await register('bob@example.org')
      const queuedAt = clock.now
      const waiting = await accounts.readAlarmFacts()
      const { mails } = await accounts.takeDueMails(10)
      for (const { id } of mails) await accounts.noteMailFailed(id, true)
      const givenUp = await accounts.readAlarmFacts()
      clock.now += DAY_MS + MINUTE_MS

      expect(quiet).toMatchObject({ givenUpMails: 0, oldestMailAt: null })
      expect(waiting).toMatchObject({ givenUpMails: 0, oldestMailAt: new Date(queuedAt) })
      expect(givenUp).toMatchObject({ givenUpMails: 1, oldestMailAt: null })
      expect(await accounts.readAlarmFacts()).toMatchObject({ givenUpMails: 0 })
    })

    it('are gateways that ended without a word, until they are back', async () => {
      const lost = async () => (await accounts.readAlarmFacts()).lostGateways
      const [one, two] = [randomUUID(), randomUUID()]
      await accounts.noteGateway({ id: one, name: 'a:8081' })
      await accounts.noteGateway({ id: two, name: 'b:8081' })
      expect(await lost()).toBe(0)
      await accounts.forgetGateway(two)
      expect(await lost()).toBe(0)
      await db.update(gateways).set({ until: sql`clock_timestamp()` })
      expect(await lost()).toBe(1)

      await accounts.noteGateway({ id: randomUUID(), name: 'a:8081' })

      expect(await lost()).toBe(0)
    })

    it('are endpoints of webhooks that should get events: not those of an account without a plan, or suspended', async () => {
      const email = 'ann@example.org'
      await accounts.createAccount(email)
      const { accountId } = await accounts.grantPlan(email, 3)
      const body = { url: 'https://example.org/', params: {}, maxEvents: 1, maxWaitMs: 0 }
      await accounts.createWebhook(accountId, { ...body, kind: 'swap' }, '')
      await db.update(webhooks).set({ state: 'failing' })
      const by = { actor: 'root', via: 'tool', address: null, verb: 'account suspend' } as const
      const found = async () => (await accounts.readAlarmFacts()).webhooks

      expect(await found()).toEqual({ on: 1, failing: 1, unserved: 1 })
      await accounts.suspend(email, { reason: 'Abuse.' }, by)
      expect(await found()).toEqual({ on: 0, failing: 0, unserved: 0 })
      await accounts.unsuspend(email, by)
      await accounts.grantPlan(email, null)
      expect(await found()).toEqual({ on: 0, failing: 0, unserved: 0 })
    })

    it("are how far the database's clock is from this one", async () => {
      clock.now = Date.now()
      expect(Math.abs((await accounts.readAlarmFacts()).clockAheadMs)).toBeLessThan(1_000)
      clock.now += 5_000
      const { clockAheadMs } = await accounts.readAlarmFacts()

      expect(clockAheadMs).toBeGreaterThan(-5_001)
      expect(clockAheadMs).toBeLessThan(-1_000)
    })
  })
}
