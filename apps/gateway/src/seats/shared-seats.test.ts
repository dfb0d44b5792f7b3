import type { SeatOutcome, SeatTaken } from '@pairwire/accounts'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { ASKS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { SharedSeats, type SharedSeatsParts } from './shared-seats.ts'

type SeatStore = SharedSeatsParts['accounts']

const GATEWAY = { id: 'g1', name: 'one' }
const { seatLeaseMs, seatBeatMs } = DEFAULT_LIMITS

const never = () => new Promise<never>(() => {})
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** One gateway's shared seats on an in-memory store; `answers` override the store's own. */
async function openSeats(answers: Partial<SeatStore> = {}) {
  const clock = createManualClock()
  const rows = new Map<string, SeatTaken>()
  const store: SeatStore = {
    noteGateway: async () => ({ wasAway: false }),
    forgetGateway: async () => {},
    async takeSeat(seat, limit): Promise<SeatOutcome> {
      const others = [...rows.values()].filter(({ connectionId }) => connectionId !== seat.connectionId)
      const gatewayIds = [...new Set(others.map(({ gatewayId }) => gatewayId))]
      if (others.length >= limit) return { outcome: 'full', gatewayIds }
      rows.set(seat.connectionId, seat)
      return { outcome: 'taken' }
    },
    listSeats: async () => [...rows.keys()],
    async restoreSeats(_, seats) {
      for (const seat of seats) rows.set(seat.connectionId, seat)
      return new Map(seats.map(({ accountId }) => [accountId, rows.size]))
    },
  }
  const accounts = { ...store, ...answers }
  const counted: number[] = []
  const warnings: string[] = []
  const state = { isAway: false }
  const bus = createInProcessBus({ maxBytes: 1_000 })
  const seats = new SharedSeats({
    ...{ accounts, bus, clock, limits: DEFAULT_LIMITS, gateway: GATEWAY },
    log: { info: () => {}, warn: (sentence) => warnings.push(sentence), error: () => {} },
    seats: {
      giveBack: async (_, ids) => {
        if (state.isAway) throw new Error('away')
        for (const id of ids) rows.delete(id)
      },
      probe: async () => 0,
      counted: (_, total) => counted.push(total),
    },
  })
  await settled()
  return { bus, clock, seats, rows, store, accounts, counted, warnings, state }
}

describe('shared seats', () => {
  // Guards the limit: others give away the seats of a gateway that is silent for a lease.
  it('keep counting when the database loses a request', async () => {
    const { clock, seats, accounts, store } = await openSeats()

    accounts.noteGateway = () => {
      accounts.noteGateway = store.noteGateway
      return never()
    }

    for (let ms = 0; ms < 2 * seatLeaseMs; ms += 100) {
      await clock.pass(100)
      expect(seats.isCounted()).toBe(true)
    }
  })

  // Guards the limit: others took the seats in the meantime, and the excess connections must end.
  it('are counted again after a pause even if the answer that revealed it was lost', async () => {
    const { clock, seats, accounts, store, counted } = await openSeats()
    expect(await seats.take('c1', 'a1', 1)).toBe('taken')

    accounts.noteGateway = never
    await clock.pass(2 * seatLeaseMs)
    expect(seats.isCounted()).toBe(false)
    accounts.noteGateway = store.noteGateway
    await clock.pass(2 * seatBeatMs)

    expect(seats.isCounted()).toBe(true)
    expect(counted).toEqual([1])
  })

  it('are counted again after a pause, retried until that succeeds', async () => {
    const { clock, seats, accounts, store, counted } = await openSeats()
    await seats.take('c1', 'a1', 1)

    accounts.noteGateway = async () => {
      accounts.noteGateway = store.noteGateway
      return { wasAway: true }
    }
    accounts.restoreSeats = async () => {
      throw new Error('The database has gone again.')
    }
    await clock.pass(seatBeatMs)
    expect(seats.isCounted()).toBe(false)
    accounts.restoreSeats = store.restoreSeats
    await clock.pass(seatBeatMs)

    expect(seats.isCounted()).toBe(true)
    expect(counted).toEqual([1])
  })

  // Guards operators: a gateway reported as running after its end counts as lost.
  it('report the end of their gateway after everything else', async () => {
    const { clock, seats, accounts } = await openSeats()
    const reported: string[] = []
    let answer = () => {}
    accounts.noteGateway = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      reported.push('runs')
      return { wasAway: false }
    }
    accounts.forgetGateway = async () => void reported.push('ends')
    await clock.pass(seatBeatMs)

    const closed = seats.close()
    await settled()
    answer()
    await closed

    expect(reported).toEqual(['runs', 'ends'])
  })

  it('report once per outage that they cannot be counted', async () => {
    const { clock, accounts, store, warnings } = await openSeats()

    for (let outages = 1; outages <= 2; outages++) {
      accounts.noteGateway = () => Promise.reject(new Error('away'))
      await clock.pass(3 * seatBeatMs)
      expect(warnings).toEqual(Array(outages).fill('This gateway cannot report that it is running.'))
      accounts.noteGateway = store.noteGateway
      await clock.pass(2 * seatBeatMs)
    }
  })

  it('report at once that they cannot be given back, and then once a minute, for each outage', async () => {
    const { clock, seats, rows, warnings, state } = await openSeats()
    const said = () => warnings.filter((sentence) => sentence.startsWith('Seats could not')).length

    for (const outages of [1, 2]) {
      state.isAway = false
      await seats.take('c1', 'a1', 1)
      state.isAway = true
      seats.leave('c1')
      await clock.pass(59_000)
      expect(said()).toBe(2 * outages - 1)
      await clock.pass(10_000)
      expect(said()).toBe(2 * outages)
      state.isAway = false
      await clock.pass(10_000)
      expect(rows.size).toBe(0)
    }
  })

  it('that are left over from a pause are given back before they are counted', async () => {
    const { clock, seats, accounts, store, rows, counted } = await openSeats()
    await seats.take('c1', 'a1', 2)
    rows.set('gone', { connectionId: 'gone', accountId: 'a1', gatewayId: GATEWAY.id })

    accounts.noteGateway = async () => {
      accounts.noteGateway = store.noteGateway
      return { wasAway: true }
    }
    await clock.pass(seatBeatMs)

    expect([...rows.keys()]).toEqual(['c1'])
    expect(counted).toEqual([1])
  })

  // Guards the account's next connection, which would be one too many beside a seat that nobody has.
  it.each(['listSeats', 'restoreSeats'] as const)(
    'that are left while they are counted again, in %s, stay free',
    async (call) => {
      const { clock, seats, accounts, store, rows } = await openSeats()
      await seats.take('c1', 'a1', 1)
      const leaveFirst =
        <Given extends unknown[], Answer>(answer: (...given: Given) => Promise<Answer>) =>
        async (...given: Given) => {
          seats.leave('c1')
          await settled()
          return answer(...given)
        }
      const { listSeats, restoreSeats } = store

      const late = { listSeats: leaveFirst(listSeats), restoreSeats: leaveFirst(restoreSeats) }
      Object.assign(accounts, { [call]: late[call], noteGateway: async () => ({ wasAway: true }) })
      await clock.pass(seatBeatMs)

      expect([...rows.keys()]).toEqual([])
    },
  )

  // Guards against a seat that stays taken for ever: a request that timed out may still have been executed.
  it('without a connection make room for a newcomer that finds them full', async () => {
    const { seats, rows } = await openSeats()
    rows.set('gone', { connectionId: 'gone', accountId: 'a1', gatewayId: GATEWAY.id })

    expect(await seats.take('c1', 'a1', 1)).toBe('freed')
    expect([...rows.keys()]).toEqual(['c1'])
  })

  // Guards the account's other streams: the same event may have been sent on one at each gateway.
  it('are given up by one gateway, and not by each, for a client that comes back', async () => {
    const { bus, seats, rows } = await openSeats()
    const gaveUp: string[] = []
    for (const gatewayId of ['g2', 'g3']) {
      rows.set(gatewayId, { connectionId: gatewayId, accountId: 'a1', gatewayId })
      bus.answer(ASKS.alive(gatewayId), async () => {
        gaveUp.push(gatewayId)
        return { open: Number(!rows.delete(gatewayId)) }
      })
    }

    expect(await seats.take('c1', 'a1', 2, { stream: 'swaps', cursor: '1' })).toBe('freed')
    expect(gaveUp).toEqual(['g2'])
  })

  // Guards the limit: a connection without its seat would let in one more.
  it('that are taken during a search for empty ones stay', async () => {
    const { seats, accounts, store, rows } = await openSeats()
    await seats.take('c1', 'a1', 1)
    accounts.listSeats = async (gatewayId) => {
      accounts.listSeats = store.listSeats
      seats.leave('c1')
      await settled()
      expect(await seats.take('c2', 'a1', 1)).toBe('taken')
      return store.listSeats(gatewayId)
    }

    expect(await seats.take('c3', 'a1', 1)).toBe('full')
    expect([...rows.keys()]).toEqual(['c2'])
  })
})
