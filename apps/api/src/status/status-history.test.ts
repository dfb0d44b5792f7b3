import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import type { SourceState } from '@pairwire/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Verdict } from './service-state.ts'
import { createStatusHistory, MEASURE_EVERY_MS } from './status-history.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const WELL: Verdict = { state: 'well', cause: '' }
const LATE: Verdict = { state: 'late', cause: 'lag' }
const DOWN: Verdict = { state: 'down', cause: 'source' }

describe('the history of the status page', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
  })

  /** A history whose clock, source and state a test sets. */
  const setUp = (file?: string, known: Partial<SourceState> = {}) => {
    const now = { at: NOON, setBackMs: 0, verdict: WELL as Verdict | undefined, logged: [] as string[] }
    const source: { -readonly [Member in keyof SourceState]: SourceState[Member] } = {
      up: true,
      lagMs: 800,
      latestBlock: 1,
      lags: { bounds: [1_000, 2_000], counts: [0, 0, 0], sum: 0 },
      events: {},
      eventsPerSecond: 0,
      totals: {},
      refusals: {},
      solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] },
      ...known,
    }
    const log = (sentence: string) => void now.logged.push(sentence)
    const history = createStatusHistory({
      file,
      sourceState: () => source,
      check: async () => now.verdict,
      clock: () => now.at,
      elapsed: () => now.at + now.setBackMs,
      log: { info: log, warn: log, error: log },
    })
    const pass = async (times: number, verdict: Verdict | 'stopping' = WELL) => {
      now.verdict = verdict === 'stopping' ? undefined : verdict
      for (let time = 0; time < times; time++) {
        now.at += MEASURE_EVERY_MS
        await history.measure()
      }
    }
    return { history, now, source, pass }
  }

  it('adds to the day what was compared, missed by cause, named and unknown, and the lag of each exchange', async () => {
    const file = join(folder, 'status.json')
    const proofOf = (compared: number, unknown: number, counts: readonly number[], missed: number) => ({
      gapSlots: { upstream: missed, deploy: 2 },
      programs: { p: { exchange: 'pumpfun', understood: 90, unknown } },
      decoderAlarms: [],
      lagsByExchange: { pumpfun: { bounds: [1_000, 2_000], counts, sum: 0 } },
      audit: {
        ...{ host: 'rpc.example', slots: 1, events: compared, missing: 1, extra: 0, different: 0 },
        ...{ faults: [], newest: null, trouble: null },
      },
    })
    const first = setUp(file)
    first.source.proof = proofOf(50, 10, [10, 0, 0], 3)
    first.source.metadata = aMetadata(0.5)
    first.source.live = aLiveSource('15.1.2')
    await first.pass(7)
    first.source.metadata = aMetadata(1)
    first.source.live = aLiveSource('15.1.3')
    first.source.proof = proofOf(80, 10, [10, 30, 0], 7)
    await first.pass(7)
    await first.history.start()
    await first.history.stop()

    expect(first.history.read().days.at(-1)?.proof).toEqual({
      ...{ compared: 80, faults: 1, missedSlots: 0, calls: 100, unknownCalls: 10 },
      lags: { pumpfun: { median: 1_333, slowest: 1_987 } },
      gaps: { upstream: 7, deploy: 2 },
      names: { measurements: 2, share: 0.75 },
    })

    const second = setUp(file)
    await second.history.start()
    second.source.proof = proofOf(20, 0, [1, 0, 0], 1)
    await second.pass(7)
    expect(second.history.read().days.at(-1)?.proof).toMatchObject({
      ...{ compared: 100, faults: 2, calls: 190, gaps: { upstream: 8, deploy: 4 } },
      names: { measurements: 2, share: 0.75 },
    })
    await second.history.stop()
  })

  it('treats a decoder alarm as a separate incident, while all else is well', async () => {
    const { history, source, pass } = setUp()
    const alarm = { program: 'p', discriminator: 'aa', share: 0.5, usualShare: 0, example: null }
    const decoderAlarms = [{ ...alarm, exchange: 'pumpfun' }]
    source.proof = { programs: {}, decoderAlarms, lagsByExchange: {} }
    await pass(3)
    source.proof = { ...source.proof, decoderAlarms: [] }
    await pass(3)

    const { incidents, days } = history.read()
    expect(incidents).toEqual([
      { state: 'partial', cause: 'pumpfun', from: NOON, to: NOON + 3 * MEASURE_EVERY_MS },
    ])
    expect(days.at(-1)).toMatchObject({ late: 0, down: 0 })
  })

  it('makes a minute from the growth of the counters', async () => {
    const { history, source, pass } = setUp()
    await pass(3)
    source.events = {
      pumpfun: { newPairs: 3, swaps: 100, buys: 60 },
      raydium: { newPairs: 0, swaps: 20, buys: 10 },
    }
    source.lags = { bounds: [1_000, 2_000], counts: [99, 1, 0], sum: 50_000 }
    await pass(3)
    source.events = { ...source.events, raydium: { newPairs: 1, swaps: 22, buys: 10 } }
    await pass(6)

    expect(history.read().minutes).toEqual([
      {
        at: NOON,
        seconds: 60,
        newPairs: 3,
        buys: 70,
        sells: 50,
        lagMedianMs: 505,
        lagSlowestMs: 1_000,
        exchanges: { pumpfun: 103, raydium: 20 },
      },
      expect.objectContaining({
        at: NOON + 60_000,
        newPairs: 1,
        buys: 0,
        sells: 2,
        lagMedianMs: null,
        exchanges: { raydium: 3 },
      }),
    ])
  })

  it('counts the seconds of a UTC day in each state', async () => {
    const { history, pass } = setUp()

    await pass(6)
    await pass(2, LATE)
    await pass(1, DOWN)

    expect(history.read().days).toEqual([{ day: '2026-11-20', well: 60, late: 20, down: 10 }])
  })

  it('joins trouble of one cause within five minutes into one incident', async () => {
    const { history, pass } = setUp()

    await pass(2, DOWN)
    await pass(20)
    await pass(1, DOWN)
    await pass(31)
    await pass(1, DOWN)
    await pass(1, LATE)

    const at = (seconds: number) => NOON + seconds * 1_000
    expect(history.read().incidents).toEqual([
      { state: 'down', cause: 'source', from: at(0), to: at(230) },
      { state: 'down', cause: 'source', from: at(540), to: at(550) },
      { state: 'late', cause: 'lag', from: at(550), to: at(560) },
    ])
  })

  it('does not count a process that slept, stops, or waits for its first block as an outage', async () => {
    const { history, now, source, pass } = setUp()
    source.latestBlock = null
    await pass(2, DOWN)
    await pass(5, 'stopping')
    source.latestBlock = 1
    now.at += 8 * 60 * 60_000
    await pass(1)

    expect(history.read().days).toEqual([{ day: '2026-11-20', well: 30, late: 0, down: 0 }])
    expect(history.read().incidents).toEqual([])
  })

  it('continues to measure when the clock is set back', async () => {
    const { history, now, pass } = setUp()
    await pass(7, DOWN)
    now.at -= 3_600_000
    now.setBackMs += 3_600_000
    await pass(12, DOWN)

    const { minutes, days, incidents } = history.read()
    expect(minutes.map(({ seconds }) => seconds)).toEqual([60, 60, 60])
    expect(days).toEqual([{ day: '2026-11-20', well: 0, late: 0, down: 190 }])
    for (const { from, to } of incidents) expect(from).toBeLessThan(to)
  })

  it('counts a source as away that delivers no block within half a minute of the start', async () => {
    const { history, source, pass } = setUp()
    source.latestBlock = null

    await pass(4, DOWN)

    expect(history.read().days).toEqual([{ day: '2026-11-20', well: 0, late: 0, down: 20 }])
  })

  it('keeps two hours of minutes and 90 days', async () => {
    const { history, now, pass } = setUp()
    await pass(6 * 130)
    expect(history.read().minutes).toHaveLength(120)

    for (let day = 0; day < 95; day++) {
      now.at += 24 * 60 * 60_000
      await pass(1)
    }
    expect(history.read().days).toHaveLength(90)
    expect(history.read().days.at(-1)?.day).toBe(new Date(now.at).toISOString().slice(0, 10))
  })

  it('continues where an earlier process stopped', async () => {
    const file = join(folder, 'status.json')
    const first = setUp(file)
    await first.history.start()
    await first.pass(7, LATE)
    await first.history.stop()

    const second = setUp(file)
    await second.history.start()
    second.now.at = first.now.at

    expect(second.history.read()).toEqual(first.history.read())
    await second.pass(1)
    expect(second.history.read().days).toEqual([{ day: '2026-11-20', well: 30, late: 70, down: 0 }])
    await second.history.stop()
  })

  describe('of a source that is another process', () => {
    const counted = (swaps: number): Partial<SourceState> => ({
      events: { pumpfun: { newPairs: swaps / 10, swaps, buys: swaps / 2 } },
      lags: { bounds: [1_000, 2_000], counts: [swaps, 0, 0], sum: 0 },
      proof: {
        programs: { p: { exchange: 'pumpfun', understood: swaps, unknown: 0 } },
        ...{ decoderAlarms: [], lagsByExchange: {}, gapSlots: { upstream: swaps / 100, deploy: 0 } },
      },
    })

    it('has nothing of what that counted before this process began', async () => {
      const { history, source, pass } = setUp(undefined, counted(5_000))
      Object.assign(source, counted(5_200))
      await pass(7)

      const { minutes, days } = history.read()
      expect(minutes).toMatchObject([{ newPairs: 20, buys: 100, sells: 100, exchanges: { pumpfun: 220 } }])
      expect(days[0]?.proof).toMatchObject({ calls: 200, gaps: { upstream: 2, deploy: 0 } })
    })

    // Guards 90 days: a file with a count below zero is not read.
    it('counts on from nothing when that begins again, and can be read by the next process', async () => {
      const file = join(folder, 'status.json')
      const { history, source, pass } = setUp(file, counted(5_000))
      await history.start()
      await pass(7)
      Object.assign(source, counted(300))
      await pass(7)
      await history.stop()

      const { minutes, days } = history.read()
      expect(minutes.at(-1)).toMatchObject({ newPairs: 30, buys: 150, sells: 150, lagMedianMs: 500 })
      expect(days[0]?.proof).toMatchObject({ calls: 300, gaps: { upstream: 3, deploy: 0 } })
      const next = setUp(file)
      await next.history.start()
      expect(next.history.read()).toEqual(history.read())
      await next.history.stop()
    })
  })

  it('starts over, and says so, if its file is unreadable', async () => {
    const file = join(folder, 'status.json')
    for (const text of ['', '{"minutes":', '[]', '{"minutes":[{}],"days":[],"incidents":[]}']) {
      writeFileSync(file, text)
      const { history, now } = setUp(file)

      await history.start()

      expect(history.read()).toEqual({ minutes: [], days: [], incidents: [] })
      expect(now.logged).toHaveLength(1)
      await history.stop()
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ minutes: [], days: [], incidents: [] })
    }
  })

  it('continues in memory while its file cannot be written', async () => {
    const { history, now, pass } = setUp(join(folder, 'missing', 'status.json'))

    await pass(7)

    expect(history.read().minutes).toHaveLength(1)
    expect(now.logged).toEqual(['The measurements of the status page could not be written.'])
  })
})

function aMetadata(nameWithin60s: number): NonNullable<SourceState['metadata']> {
  return {
    ...{ pairs: 10, nameWithin1s: null, nameWithin60s, pictureWithin1s: null, pictureWithin60s: null },
    ...{
      bothWithin1s: null,
      bothWithin60s: null,
      mintsWaiting: 0,
      pagesReading: 0,
      pagesWaiting: 0,
      trouble: null,
    },
  }
}

function aLiveSource(version: string): NonNullable<SourceState['live']> {
  const endpoint = {
    name: 'yellowstone a.example',
    state: 'connected',
    version,
    slot: 1,
    trouble: null,
  } as const
  return {
    ...{ trouble: null, endpoints: [endpoint], slotMs: null, alarms: {} },
    ...{ holesFilled: 0, holesNotFilled: 0, slotsMissed: 0 },
  }
}
