import { randomUUID } from 'node:crypto'
import { GATEWAY_LEASE_MS, MINUTE_MS } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { gateways, leases, streamSeats } from '../database/schema.ts'
import type { AccountsUnderTest } from '../testing/accounts-under-test.ts'
import type { RunningGateway } from './stream-seats.ts'

/** Longer than any test takes. */
/** State that several processes share: every database must handle it alike. */
export function describeLeases({ accounts, db }: AccountsUnderTest): void {
  describe('leases', () => {
    const [ann, bob] = [randomUUID(), randomUUID()]

    it('gives work to one of many concurrent processes', async () => {
      const asked = await Promise.all(
        Array.from({ length: 8 }, () => accounts.takeLease('sweeps', randomUUID(), MINUTE_MS)),
      )

      expect(asked.filter(Boolean)).toHaveLength(1)
    })

    it('lets its owner keep the work, and no other process take it', async () => {
      expect(await accounts.takeLease('trials', ann, MINUTE_MS)).toBe(true)

      expect(await accounts.takeLease('trials', bob, MINUTE_MS)).toBe(false)
      expect(await accounts.takeLease('trials', ann, MINUTE_MS)).toBe(true)
      expect(await accounts.takeLease('renewals', bob, MINUTE_MS)).toBe(true)
    })

    it('frees the work of a process that died, once its time is up by the clock of the database', async () => {
      await accounts.takeLease('trials', ann, MINUTE_MS)

      await db.update(leases).set({ until: sql`now() - interval '1 millisecond'` })

      expect(await accounts.takeLease('trials', bob, MINUTE_MS)).toBe(true)
      expect(await accounts.takeLease('trials', ann, MINUTE_MS)).toBe(false)
    })

    it('is released by its owner alone', async () => {
      await accounts.takeLease('trials', ann, MINUTE_MS)

      await accounts.freeLease('trials', bob)
      expect(await accounts.takeLease('trials', bob, MINUTE_MS)).toBe(false)
      await accounts.freeLease('trials', ann)
      expect(await accounts.takeLease('trials', bob, MINUTE_MS)).toBe(true)
    })
  })

  describe('seats across gateways', () => {
    const accountId = randomUUID()
    const aSeat = (gatewayId: string) => ({ connectionId: randomUUID(), accountId, gatewayId })
    const aGateway = async (name: string): Promise<RunningGateway> => {
      const gateway = { id: randomUUID(), name }
      await accounts.noteGateway(gateway)
      return gateway
    }
    const lapse = (id: string, agoMs: number) =>
      db
        .update(gateways)
        .set({ until: sql`clock_timestamp() - ${agoMs}::float8 * interval '1 millisecond'` })
        .where(sql`id = ${id}`)

    it('are never more than the plan has, however many requests arrive at once', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]

      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, at) => accounts.takeSeat(aSeat((at % 2 ? one : two).id), 3)),
      )

      expect(asked.filter(({ outcome }) => outcome === 'taken')).toHaveLength(3)
    })

    it('name their gateways when full, and are free again once released', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      const seat = aSeat(one.id)
      await accounts.takeSeat(seat, 1)

      expect(await accounts.takeSeat(aSeat(two.id), 1)).toEqual({ outcome: 'full', gatewayIds: [one.id] })
      await accounts.recordDelivered([], [seat.connectionId])
      expect(await accounts.takeSeat(aSeat(two.id), 1)).toEqual({ outcome: 'taken' })
    })

    // Guards caps: the next connection in a seat must see the counts of the one before.
    it('are released together with their counts, or not at all', async () => {
      const gateway = await aGateway('one')
      const seat = aSeat(gateway.id)
      await accounts.takeSeat(seat, 1)
      const sent = {
        ...{ accountId: seat.accountId, planInForceId: randomUUID(), period: '2026-11-01' },
        ...{ day: '2026-11-20', kind: 'buy' as const, count: 7 },
      }

      const failed = accounts.recordDelivered([{ ...sent, period: 'no date' }], [seat.connectionId])
      await expect(failed).rejects.toThrow()
      expect(await accounts.listSeats(gateway.id)).toEqual([seat.connectionId])
      await accounts.recordDelivered([sent], [seat.connectionId])

      expect(await accounts.listSeats(gateway.id)).toEqual([])
      const { rows } = await db.execute(
        sql`select count from delivered_counts where account_id = ${seat.accountId}`,
      )
      expect(rows.map(({ count }) => Number(count))).toEqual([7])
    })

    it('of a gateway that died are free once its lease expires', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      await accounts.takeSeat(aSeat(one.id), 1)

      await lapse(one.id, 2 * 60 * MINUTE_MS)

      expect(await accounts.listGateways()).toEqual([two])
      expect(await accounts.takeSeat(aSeat(two.id), 1)).toEqual({ outcome: 'taken' })
    })

    it('are given to no gateway whose lease has expired', async () => {
      const one = await aGateway('one')
      await lapse(one.id, 1)

      expect(await accounts.takeSeat(aSeat(one.id), 1)).toEqual({ outcome: 'away' })
      expect(await accounts.takeSeat(aSeat(randomUUID()), 1)).toEqual({ outcome: 'away' })
    })

    // Guards the limit: after an outage of the database the first gateway to come back is not alone.
    it('of a gateway still count after an outage of the database, in which it could not renew', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      await accounts.takeSeat(aSeat(one.id), 1)
      await lapse(one.id, 10_000)
      await lapse(two.id, 10_000)

      expect(await accounts.noteGateway(two)).toEqual({ wasAway: true })
      expect(await accounts.takeSeat(aSeat(two.id), 1)).toEqual({ outcome: 'full', gatewayIds: [one.id] })
      expect(await accounts.noteGateway(two)).toEqual({ wasAway: false })

      // A lease later, the other gateway has not renewed.
      const started = sql`clock_timestamp() - interval '2 hours'`
      await db.update(gateways).set({ since: started, lapsedAt: started }).where(sql`id = ${two.id}`)
      await lapse(one.id, 2 * 60 * MINUTE_MS)
      expect(await accounts.takeSeat(aSeat(two.id), 1)).toEqual({ outcome: 'taken' })
    })

    it('are restored after a pause, with their current number', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      const held = aSeat(one.id)
      await accounts.takeSeat(held, 1)
      await lapse(one.id, 2 * 60 * MINUTE_MS)
      await accounts.takeSeat(aSeat(two.id), 1)

      expect(await accounts.noteGateway(one)).toEqual({ wasAway: true })
      expect(await accounts.restoreSeats(one.id, [held])).toEqual(new Map([[accountId, 2]]))
      expect(await accounts.restoreSeats(one.id, [])).toEqual(new Map())
    })

    it('are listed for their own gateway, of one account or of all', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      const [seat, other] = [aSeat(one.id), { ...aSeat(one.id), accountId: randomUUID() }]
      await accounts.takeSeat(seat, 2)
      await accounts.takeSeat(other, 2)
      await accounts.takeSeat(aSeat(two.id), 2)

      expect(await accounts.listSeats(one.id, accountId)).toEqual([seat.connectionId])
      expect([...(await accounts.listSeats(one.id))].sort()).toEqual(
        [seat.connectionId, other.connectionId].sort(),
      )
    })

    // Guards the limit: the count after a pause decides which connections end.
    it('are counted after a pause together with those taken at the same moment', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      const held = aSeat(one.id)
      for (let round = 0; round < 8; round++) {
        await db.delete(streamSeats)

        const [restored, taken] = await Promise.all([
          accounts.restoreSeats(one.id, [held]),
          accounts.takeSeat(aSeat(two.id), 1),
        ])

        expect(restored.get(accountId)).toBe(taken.outcome === 'taken' ? 2 : 1)
      }
    })

    it('restored while being taken are taken once', async () => {
      const one = await aGateway('one')
      const seat = aSeat(one.id)

      await accounts.restoreSeats(one.id, [seat])

      expect((await accounts.takeSeat(seat, 1)).outcome).toBe('taken')
      expect(await db.select().from(streamSeats)).toHaveLength(1)
    })

    it('are deleted with a gateway that ends, and with one gone for an hour', async () => {
      const [one, two] = [await aGateway('one'), await aGateway('two')]
      await accounts.takeSeat(aSeat(one.id), 2)
      await accounts.takeSeat(aSeat(two.id), 2)

      await accounts.forgetGateway(one.id)
      await lapse(two.id, 61 * MINUTE_MS)
      await accounts.sweep()

      expect(await db.select().from(streamSeats)).toEqual([])
      expect(await db.select().from(gateways)).toEqual([])
    })

    it('are freed within 5 s of a death', () => {
      expect(GATEWAY_LEASE_MS).toBeLessThan(5_000)
    })
  })
}
