import { describe, expect, it } from 'vitest'
import {
  type AccountsUnderTest,
  DAY_MS,
  expectRefusal,
  MINUTE_MS,
  START,
} from './testing/accounts-under-test.ts'

/** Notices of the status page, and maintenance: what every database must keep of them. */
export function describeNotices(under: AccountsUnderTest): void {
  const { accounts, clock } = under

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
}
