import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import {
  formatCursor,
  type GapEvent,
  HOUR_MS,
  type NotificationEvent,
  type StreamKind,
} from '@pairwire/contract'
import type { Interest, PlaybackWindow } from '@pairwire/filter'
import { describe, expect, it } from 'vitest'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import type { Subscription } from '../protocol/subscription.ts'
import { ALONE } from '../rates/shared-spending.ts'
import type { PullingClient } from '../resume/pulled-subscriptions.ts'
import { Resuming } from '../resume/resuming.ts'
import { createFakeAccounts } from '../testing/fake-accounts.ts'
import { blocksFrom, createFakeArchive, hourAt } from '../testing/fake-archive.ts'
import type { Frame } from '../testing/test-client.ts'
import type { PlaybackEnd } from './playback.ts'
import { createPlaybacks } from './playbacks.ts'

const HOUR = hourAt(13)

/** A playback of account `a`, which has bought the hours from 13 to 15; the test controls client and clock. */
function aPlayback(window: Partial<PlaybackWindow> = {}, perPage = 100) {
  const clock = createManualClock()
  const bus = createInProcessBus({ maxBytes: 1_000 })
  const archive = createFakeArchive(bus, perPage)
  const accounts = createFakeAccounts()
  for (const hour of [13, 14, 15]) accounts.bought.add(`a ${hourAt(hour)}`)
  const logged: string[] = []
  const keep = (sentence: string) => void logged.push(sentence)
  const log = { info: keep, warn: keep, error: keep }
  const common = { bus, clock, limits: DEFAULT_LIMITS, log }
  const { shareOf } = new Resuming({ ...common, spending: ALONE })
  const playbacks = createPlaybacks({ ...common, accounts, source: 'chain', shareOf })

  const frames: { at: number; frame: Frame }[] = []
  let whenDrained: (() => void)[] | undefined
  const client: PullingClient = {
    codec: websocketCodec,
    outbox: {
      write({ bytes }) {
        for (const text of textsOf(bytes)) frames.push({ at: clock.elapsed(), frame: JSON.parse(text) })
        return true
      },
      whenDrained: (callback) => void (whenDrained ? whenDrained.push(callback) : callback()),
    },
    overflowed: () => expect.unreachable(),
    sent: ({ newPair, swap, buy, latestBlock }) => expect(newPair + swap + buy + latestBlock).toBe(0),
    meter: () => expect.unreachable(),
  }
  const ends: { closed: readonly Subscription[]; why: PlaybackEnd }[] = []
  const from = HOUR / 1_000
  const owner = {
    ...{ accountId: 'a', client },
    onEnd: (closed: readonly Subscription[], why: PlaybackEnd) => void ends.push({ closed, why }),
  }
  const playback = playbacks.open({ from, to: from + 60, speed: 1, ...window }, owner)
  let id = 0
  return {
    ...{ clock, archive, accounts, playbacks, playback, frames, ends, logged, owner },
    async subscribe(kind: StreamKind = 'swap', cursor?: string, change: object = {}) {
      const make = (): Subscription => ({
        id: ++id,
        kind,
        origin: 'playback',
        interest: everything(kind, change),
      })
      await playback.open(kind, cursor, make)
    },
    stopReading: () => {
      whenDrained = []
    },
    goOnReading() {
      const callbacks = whenDrained ?? []
      whenDrained = undefined
      for (const callback of callbacks) callback()
    },
    cursors: () => frames.flatMap(({ frame }) => frame.cursor ?? []),
  }
}

function everything(kind: StreamKind, change: object): Interest {
  const interest = {
    swap: { kind: 'swap', filter: null, accountsInFilter: 0 },
    newPair: {
      kind: 'newPair',
      includeLaunchpads: true,
      sourceExchanges: null,
      stages: null,
      creators: null,
      accountsInFilter: 0,
    },
    latestBlock: { kind: 'latestBlock' },
  }[kind]
  return { timestamps: false, facts: false, ...interest, ...change } as Interest
}

/** Yields the texts of short and medium frames. */
function* textsOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const short = bytes[at + 1]!
    const begin = at + (short === 126 ? 4 : 2)
    const end = begin + (short === 126 ? bytes.readUInt16BE(at + 2) : short)
    yield bytes.toString('utf8', begin, end)
    at = end
  }
}

const swapsOf = (events: readonly NotificationEvent[]) => events.filter(({ kind }) => kind === 'swap')
const cursorsOf = (events: readonly { cursor: string }[]) => events.map(({ cursor }) => cursor)

describe('a playback', () => {
  for (const speed of [1, 2, 5, 10]) {
    it(`sends every block in order, within 250 ms of its time, at ${speed} x`, async () => {
      const { clock, archive, subscribe, frames, cursors, ends } = aPlayback({ speed })
      const events = blocksFrom(HOUR, { count: 149 })
      archive.hours.set(HOUR, events)
      await subscribe()

      await clock.pass(1_000 + 61_000 / speed)

      expect(cursors()).toEqual(cursorsOf(swapsOf(events)))
      const received = new Map(events.map(({ cursor, receivedAt }) => [cursor, receivedAt!]))
      const late = frames.map(({ at, frame }) => at - 1_000 - (received.get(frame.cursor)! - HOUR) / speed)
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...late)).toBeLessThan(250)
      expect(ends).toMatchObject([{ closed: [{ id: 1 }], why: { errorType: 'REPLAY_ENDED' } }])
    })
  }

  it('goes by block time when blocks have no arrival time, or an implausible one', async () => {
    const { clock, archive, subscribe, frames } = aPlayback()
    const [early, late] = [blocksFrom(HOUR + 5_000, { count: 1 }), blocksFrom(HOUR + 9_000, { count: 1 })]
    const year = 365 * 86_400_000
    archive.hours.set(HOUR, [
      ...early.map(({ receivedAt, ...event }) => event as NotificationEvent),
      ...late.map((event) => ({ ...event, receivedAt: HOUR + year })),
    ])
    await subscribe('latestBlock')

    await clock.pass(61_000)

    expect(frames.map(({ at }) => at)).toEqual([6_000, 10_000])
  })

  it('begins a second after the last subscribe, or at once on request', async () => {
    const waits = aPlayback()
    waits.archive.hours.set(HOUR, blocksFrom(HOUR, { count: 1, late: 0 }))
    await waits.subscribe('swap')
    await waits.clock.pass(900)
    await waits.subscribe('latestBlock')
    await waits.clock.pass(2_000)
    const told = aPlayback()
    told.archive.hours.set(HOUR, blocksFrom(HOUR, { count: 1, late: 0 }))
    const answered = told.subscribe('swap')
    told.playback.start()
    await answered
    await told.clock.pass(10)

    expect(waits.frames.map(({ at }) => at)).toEqual([1_900, 1_900, 1_900, 1_900])
    expect(told.frames.map(({ at }) => at)).toEqual([0, 0, 0])
  })

  it('is delayed by a client that stops reading for 30 s, then continues at its pace and loses nothing', async () => {
    const { clock, archive, subscribe, stopReading, goOnReading, frames, cursors } = aPlayback()
    const events = blocksFrom(HOUR, { count: 149 })
    archive.hours.set(HOUR, events)
    await subscribe()
    await clock.pass(11_000)
    const before = frames.length

    stopReading()
    await clock.pass(30_000)
    const held = frames.length
    goOnReading()
    await clock.pass(70_000)

    expect(held).toBe(before)
    expect(cursors()).toEqual(cursorsOf(swapsOf(events)))
    const received = new Map(events.map(({ cursor, receivedAt }) => [cursor, receivedAt!]))
    const delays = frames
      .slice(held)
      .map(({ at, frame }) => at - 1_000 - (received.get(frame.cursor)! - HOUR))
    expect(Math.min(...delays)).toBeGreaterThan(29_000)
    expect(Math.max(...delays) - Math.min(...delays)).toBeLessThan(250)
  })

  it('is delayed by late pages, and retries for 10 s', async () => {
    const { clock, archive, subscribe, cursors, ends } = aPlayback({}, 40)
    const events = blocksFrom(HOUR, { count: 149 })
    archive.hours.set(HOUR, events)
    await subscribe()
    await clock.pass(5_000)

    archive.isAway = true
    await clock.pass(12_000)
    archive.isAway = false
    await clock.pass(75_000)

    expect(cursors()).toEqual(cursorsOf(swapsOf(events)))
    expect(ends).toMatchObject([{ why: { errorType: 'REPLAY_ENDED' } }])
  })

  it('ends when the archive is unavailable for longer', async () => {
    const { clock, archive, subscribe, ends } = aPlayback({}, 40)
    archive.hours.set(HOUR, blocksFrom(HOUR, { count: 149 }))
    await subscribe()
    await clock.pass(5_000)

    archive.isAway = true
    await clock.pass(25_000)

    expect(ends).toMatchObject([{ closed: [{ id: 1 }], why: { errorType: 'REPLAY_AWAY' } }])
  })

  it('says once in the log that the archive is unavailable, however many end for that', async () => {
    const { clock, archive, accounts, playback, playbacks, ends, logged, owner } = aPlayback({}, 40)
    archive.hours.set(HOUR, blocksFrom(HOUR, { count: 149 }))
    accounts.bought.add(`b ${HOUR}`)
    const others = playbacks.open(playback.window, { ...owner, accountId: 'b' })
    const make = (): Subscription => ({
      id: 1,
      kind: 'swap',
      origin: 'playback',
      interest: everything('swap', {}),
    })
    for (const one of [playback, others]) await one.open('swap', undefined, make)
    await clock.pass(5_000)

    archive.isAway = true
    await clock.pass(25_000)

    expect(ends).toHaveLength(2)
    expect(logged).toEqual(['The archive was unavailable for too long for a playback.'])
  })

  it('reads one page ahead and no more', async () => {
    const { clock, archive, subscribe } = aPlayback({}, 40)
    archive.hours.set(HOUR, blocksFrom(HOUR, { count: 149 }))
    await subscribe()

    await clock.pass(1_100)

    expect(archive.asked).toHaveLength(2)
  })

  it('sends the events between its times, and ends at the last of them', async () => {
    const from = HOUR / 1_000 + 20
    const { clock, archive, subscribe, cursors, ends } = aPlayback({ from, to: from + 10 }, 7)
    const events = blocksFrom(HOUR, { count: 149 })
    archive.hours.set(HOUR, events)
    await subscribe()

    await clock.pass(10_500)
    expect(ends).toHaveLength(0)
    await clock.pass(600)

    const within = swapsOf(events).filter(({ params }) => {
      const { blockTime } = params as { blockTime: number }
      return blockTime >= from && blockTime < from + 10
    })
    expect(cursors()).toEqual(cursorsOf(within))
    expect(ends).toHaveLength(1)
  })

  it('resumes after a cursor, on the clock as if it had just been reached', async () => {
    const { clock, archive, subscribe, frames, cursors } = aPlayback()
    const events = blocksFrom(HOUR, { count: 149 })
    archive.hours.set(HOUR, events)
    // The second swap of the block at 20 s.
    const place = 50 * 4 + 1
    await subscribe('swap', events[place]!.cursor)

    await clock.pass(45_000)

    expect(cursors()).toEqual(cursorsOf(swapsOf(events.slice(place + 1))))
    expect(frames[0]!.at).toBe(1_000)
    expect(frames[1]!.at).toBe(1_400)
  })

  it('finds a cursor in a later hour, and refuses one outside its window', async () => {
    const to = hourAt(15) / 1_000
    const hours = [blocksFrom(HOUR, { count: 5 }), blocksFrom(hourAt(14), { count: 5 })] as const
    const later = aPlayback({ to })
    later.archive.hours.set(HOUR, hours[0]).set(hourAt(14), hours[1])
    await later.subscribe('swap', hours[1][1]!.cursor)
    await later.clock.pass(1_300)
    const outside = aPlayback({ from: HOUR / 1_000 + 1, to })
    outside.archive.hours.set(HOUR, hours[0]).set(hourAt(14), hours[1])
    const unknown = formatCursor({ run: 7, slot: 1, transactionIndex: 0, eventIndex: 0 })

    expect(later.cursors()).toEqual(cursorsOf(swapsOf(hours[1]).slice(2, 3)))
    // The hour before the cursor is not searched for it.
    expect(later.archive.asked.every(({ hour }) => hour === '20261119-140000')).toBe(true)
    for (const cursor of [hours[0][1]!.cursor, unknown]) {
      await expect(outside.subscribe('swap', cursor)).rejects.toMatchObject({ errorType: 'INVALID_CURSOR' })
    }
  })

  it('plays several hours, and reports a gap for a missing one between them', async () => {
    const { clock, archive, subscribe, frames, cursors } = aPlayback({ to: hourAt(16) / 1_000, speed: 10 })
    const [first, last] = [blocksFrom(HOUR, { count: 5 }), blocksFrom(hourAt(15), { count: 5 })]
    archive.hours.set(HOUR, first).set(hourAt(15), last)
    await subscribe()

    await clock.pass(1_000 + (3 * HOUR_MS) / 10)

    expect(cursors()).toEqual(cursorsOf(swapsOf([...first, ...last])))
    const gaps = frames.filter(({ frame }) => frame.method === 'gapNotification')
    const [fromSlot, toSlot] = [first.at(-1)!.params, last[0]!.params] as [
      { block: number },
      { slot: number },
    ]
    expect(gaps.map(({ frame }) => frame)).toEqual([
      {
        method: 'gapNotification',
        replay: true,
        params: {
          subscription_id: 1,
          fromSlot: fromSlot.block + 1,
          toSlot: toSlot.slot - 1,
          cause: 'deploy',
          resume_from: null,
        },
      },
    ])
  })

  it('sends the gaps of an hour in place, whatever the filter', async () => {
    const { clock, archive, subscribe, frames } = aPlayback()
    const events = blocksFrom(HOUR, { count: 4, swaps: 1 })
    const params = { fromSlot: 1, toSlot: 2, cause: 'upstream', resume_from: null } as const
    const gap: GapEvent = { kind: 'gap', cursor: `${events[3]!.cursor.slice(0, -4)}9001`, params }
    archive.hours.set(HOUR, [...events.slice(0, 4), gap, ...events.slice(4)])
    await subscribe('latestBlock')

    await clock.pass(5_000)

    expect(frames.map(({ frame }) => frame.method)).toEqual([
      'latestBlockNotification',
      'latestBlockNotification',
      'gapNotification',
      'latestBlockNotification',
      'latestBlockNotification',
    ])
  })

  it('sends a gap between two hours once, though it stands in both', async () => {
    const { clock, archive, subscribe, frames } = aPlayback({ to: hourAt(15) / 1_000, speed: 10 })
    const hours = [blocksFrom(HOUR, { count: 2 }), blocksFrom(hourAt(14), { count: 2 })] as const
    const params = { fromSlot: 1, toSlot: 2, cause: 'upstream', resume_from: null } as const
    const gap: GapEvent = { kind: 'gap', cursor: `${hours[0].at(-1)!.cursor.slice(0, -4)}9001`, params }
    archive.hours.set(HOUR, [...hours[0], gap]).set(hourAt(14), [gap, ...hours[1]])
    await subscribe()

    await clock.pass(1_000 + (2 * HOUR_MS) / 10)

    const methods = frames.map(({ frame }) => frame.method)
    expect(methods.map((method) => method.replace('Notification', ''))).toEqual([
      ...Array.from({ length: 6 }, () => 'swap'),
      'gap',
      ...Array.from({ length: 6 }, () => 'swap'),
    ])
  })

  it('resumes from a cursor before an hour in which the chain stood still', async () => {
    const { clock, archive, subscribe, cursors } = aPlayback({ to: hourAt(16) / 1_000, speed: 10 })
    const hours = [blocksFrom(HOUR, { count: 2 }), blocksFrom(hourAt(15), { count: 2 })] as const
    archive.hours.set(HOUR, hours[0]).set(hourAt(14), []).set(hourAt(15), hours[1])
    await subscribe('swap', hours[0][1]!.cursor)

    await clock.pass(1_000 + (3 * HOUR_MS) / 10)

    expect(cursors()).toEqual(cursorsOf(swapsOf([...hours[0], ...hours[1]]).slice(2)))
  })

  it('ends at the next hour once the account may no longer have it', async () => {
    const { clock, archive, accounts, subscribe, cursors, ends } = aPlayback({
      to: hourAt(15) / 1_000,
      speed: 10,
    })
    archive.sample = hourAt(2)
    archive.hours
      .set(HOUR, blocksFrom(HOUR, { count: 3 }))
      .set(hourAt(14), blocksFrom(hourAt(14), { count: 3 }))
    await subscribe()
    await clock.pass(100_000)
    accounts.bought.clear()

    await clock.pass(HOUR_MS / 10)

    expect(cursors()).toHaveLength(9)
    expect(ends).toMatchObject([{ closed: [{ id: 1 }], why: { errorType: 'NO_ORDER' } }])
    expect(ends[0]!.why.message).toBe(
      'You have no order for 2026-11-19 14:00 UTC. Buy it in the shop, or replay the sample hour 20261119-020000.',
    )
  })

  it('retries for 10 s when the accounts are unavailable at the next hour', async () => {
    const { clock, archive, accounts, subscribe, cursors } = aPlayback({ to: hourAt(15) / 1_000, speed: 10 })
    archive.hours.set(HOUR, []).set(hourAt(14), blocksFrom(hourAt(14), { count: 3 }))
    await subscribe()
    await clock.pass(300_000)

    accounts.before = async () => expect.unreachable()
    await clock.pass(66_000)
    accounts.before = async () => {}
    await clock.pass(10_000)

    expect(cursors()).toHaveLength(9)
  })

  it('lets a later subscription join where the others are, but not at a cursor', async () => {
    const { clock, archive, subscribe, frames } = aPlayback()
    const events = blocksFrom(HOUR, { count: 149 })
    archive.hours.set(HOUR, events)
    await subscribe()
    await clock.pass(31_000)

    await subscribe('latestBlock')
    await expect(subscribe('newPair', events[1]!.cursor)).rejects.toMatchObject({
      message: expect.stringContaining('has begun'),
    })
    await clock.pass(31_000)

    const blocks = frames.filter(({ frame }) => frame.method === 'latestBlockNotification')
    expect(blocks[0]!.at).toBeGreaterThan(31_000)
    expect(blocks.at(-1)!.frame.cursor).toBe(events.at(-1)!.cursor)
  })

  it('frees its slot once its last subscription has gone, or was refused', async () => {
    const { accounts, archive, playback, playbacks, subscribe, owner, clock, frames } = aPlayback()
    archive.hours.set(HOUR, blocksFrom(HOUR, { count: 9 }))
    const { window } = playback
    const others = Array.from({ length: 19 }, () => playbacks.open(window, owner))
    expect(() => playbacks.open(window, owner)).toThrow('20 replays run here already')

    await subscribe()
    playback.subscriptions.remove('swap')
    const again = playbacks.open(window, owner)
    accounts.bought.clear()
    await expect(again.open('swap', undefined, () => expect.unreachable())).rejects.toThrow(
      'You have no order',
    )
    await clock.pass(5_000)

    playbacks.open(window, owner)
    expect(() => playbacks.open(window, owner)).toThrow('20 replays run here already')
    expect(frames).toHaveLength(0)
    expect(others).toHaveLength(19)
  })
})
