import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import type { StatusRecord } from '../status/status-record.ts'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

const aMinute = (minutesAgo: number, over = {}) => ({
  at: NOW - minutesAgo * 60_000,
  seconds: 60,
  newPairs: 2,
  buys: 600,
  sells: 300,
  lagMedianMs: 700,
  lagSlowestMs: 1_400,
  exchanges: { pumpfun: 900, raydium: 2 },
  ...over,
})

describe('/status', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
  })

  /** The service with these measurements, at noon. */
  const A_DAY = { compared: 0, faults: 0, missedSlots: 0, calls: 0, unknownCalls: 0, lags: {} }

  const measured = async (record: Partial<StatusRecord>, over = {}) => {
    const statusFile = join(folder, 'status.json')
    writeFileSync(statusFile, JSON.stringify({ minutes: [], days: [], incidents: [], ...record }))
    return createApiUnderTest({
      accounts: NO_ACCOUNTS,
      clock: () => NOW,
      statusFile,
      ...over,
    })
  }

  it('names the processes of the deployment that did not answer, and nothing if all did', async () => {
    const { app } = await measured({}, { missingAnswers: () => ['ingest', 'gateway 2 of 3'] })
    const whole = await measured({})

    expect((await app.inject('/status')).payload).toContain(
      'No answer from ingest, gateway 2 of 3. Its last known figures are shown.',
    )
    expect((await app.inject('/status.json')).json().missing).toEqual(['ingest', 'gateway 2 of 3'])
    expect((await whole.app.inject('/status')).payload).not.toContain('No answer')
    expect((await whole.app.inject('/status.json')).json().missing).toBeUndefined()
  })

  it('shows what was compared with the chain, its faults by signature, and unknown instructions', async () => {
    const day = {
      ...{ compared: 9_000, faults: 1, missedSlots: 4, calls: 1_000, unknownCalls: 5 },
      lags: { pumpfun: { median: 600, slowest: 1_900 } },
      gaps: { upstream: 4, deploy: 1 },
      names: { measurements: 700, share: 0.9876 },
    }
    const { app, source } = await measured({
      days: [{ day: '2026-11-20', well: 43_000, late: 0, down: 0, proof: day }],
      incidents: [{ state: 'partial', cause: 'pumpfun', from: NOW - 600_000, to: NOW - 60_000 }],
    })
    const alarm = { program: 'Prog', exchange: 'pumpfun', share: 0.4, usualShare: 0 }
    const nothing = (await app.inject('/status')).payload
    expect(nothing).not.toContain('Completeness')

    source.proof = {
      programs: { Prog: { exchange: 'pumpfun', understood: 60, unknown: 40 } },
      decoderAlarms: [{ ...alarm, discriminator: '<b>aa', example: 'Sig1' }],
      lagsByExchange: { pumpfun: { bounds: [1_000, 2_000], counts: [98, 2, 0], sum: 0 } },
      gapSlots: { upstream: 4, deploy: 1 },
      audit: {
        ...{ host: 'rpc.example', slots: 3, events: 4_000, missing: 1, extra: 0, different: 0 },
        faults: [{ kind: 'missing', venue: 'pumpfun', slot: 77, signature: 'Sig2' }],
        ...{ newest: { slot: 78, at: NOW }, trouble: null },
      },
    }
    const { payload } = await app.inject('/status')
    for (const text of [
      'Completeness <span class="figure">99.975%</span>',
      '4,000 events in 3 slots were checked against the chain: 1 missing, 0 extra, 0 different.',
      'The service does not know 40.00% of the instructions on Pump.fun (program Prog); before, it was 0%.',
      '<code>&lt;b&gt;aa</code>, as in Sig1.',
      '<th scope="row">missing</th><td>Pump.fun</td><td>Sig2</td><td class="number">77</td>',
      '<td class="number">40.00%</td>',
      'Some Pump.fun events may be missing: some of its instructions were unknown',
      '<td class="number">9,000</td><td class="number">99.988%</td><td class="number">4 slots</td><td class="number">1 slot</td><td class="number">0.50%</td><td class="number">98.760%</td>',
    ])
      expect(payload).toContain(text)
    expect((await app.inject('/status.json')).json()).toMatchObject({
      proof: { audit: { missing: 1 } },
      days: [{ proof: { missedSlots: 4, gaps: { upstream: 4, deploy: 1 }, names: { share: 0.9876 } } }],
    })
  })

  it('shows the measurements, in pictures with a sentence and a table each', async () => {
    const { app } = await measured({
      minutes: [aMinute(3), aMinute(2, { buys: 1_200, lagSlowestMs: 6_000 })],
      days: [
        { day: '2026-11-18', well: 80_000, late: 0, down: 2_460 },
        { day: '2026-11-20', well: 43_000, late: 0, down: 0 },
      ],
      incidents: [
        { state: 'down', cause: 'source', from: NOW - 2 * 86_400_000, to: NOW - 2 * 86_400_000 + 2_460_000 },
      ],
    })

    const { payload, statusCode } = await app.inject('/status')

    expect(statusCode).toBe(200)
    for (const text of [
      'All streams normal',
      '398,214,771',
      'Lag <span class="figure">0.7 s</span>',
      'over 2 measured minutes: 15 buys and 5 sells on average, 25 at most at 11:58; 4 new pairs.',
      'the slowest 1% took at most 6.0 s, at 11:58.',
      '98.03%',
      '18 Nov, outage 41 min',
      'No live data: source of transactions down',
      'Pump.fun',
      '1,800',
    ]) {
      expect(payload).toContain(text)
    }
    expect(payload.match(/Show as table/g)).toHaveLength(3)
    expect(payload).not.toMatch(/<script>|<style|<[^>]* (style|on\w+)=/)
  })

  it('shows the operator’s notices, including those taken down, with their times', async () => {
    const createdAt = new Date(NOW - 3_600_000)
    const notice = { id: 1, kind: 'notice' as const, startsAt: null, endsAt: null, createdAt }
    const listNotices = async () => [
      { ...notice, details: 'Tea at <five>.', clearedAt: null },
      { ...notice, details: 'All is well again.', clearedAt: new Date(NOW - 1_800_000) },
    ]
    const { app } = await measured({}, { accounts: { ...NO_ACCOUNTS, listNotices } })

    const { payload } = await app.inject('/status')

    expect(payload).toContain('Tea at &lt;five&gt;.')
    expect(payload).toContain('All is well again.</span><strong class="length info">30 min<')
  })

  it('says Delayed from more than five seconds of lag', async () => {
    const { app, source } = await measured({})
    source.lagMs = 5_001

    expect((await app.inject('/status')).payload).toContain('Delayed')
    expect((await app.inject('/status.json')).json()).toMatchObject({ state: 'late' })
  })

  it('says Down, and why, if the source or a part is away', async () => {
    const sourceAway = await measured({})
    sourceAway.source.up = false
    const partAway = await measured({}, { health: () => ({ database: false }) })

    for (const [{ app }, cause] of [
      [sourceAway, 'Live data is interrupted: the source of transactions is '],
      [partAway, 'Database down: no sign-ins and no new connections'],
    ] as const) {
      const { payload } = await app.inject('/status')
      expect(payload).toContain(`<p class="state-word">Down</p><p class="state-cause">${cause}`)
    }
  })

  it('shows no share of the last 90 days before an hour is measured', async () => {
    const { app } = await measured({ days: [{ day: '2026-11-20', well: 100, late: 0, down: 40 }] })

    expect((await app.inject('/status')).payload).toContain(
      'Last 90 days <span class="second">measured for 2 min</span>',
    )
  })

  it('works while the database is away', async () => {
    const away = () => Promise.reject(new Error('away'))
    const { app } = await measured({}, { accounts: { ...NO_ACCOUNTS, listNotices: away } })

    expect((await app.inject('/status')).statusCode).toBe(200)
  })

  it('shows empty frames and invents nothing before the first measurement', async () => {
    const { app, source } = await measured({})
    Object.assign(source, { lagMs: null, latestBlock: null, events: {} })

    const { payload } = await app.inject('/status')

    for (const text of [
      'none yet',
      'not known',
      'not measured yet',
      'No minute has been measured yet.',
      'No incidents and no notices.',
    ]) {
      expect(payload).toContain(text)
    }
    expect(payload).not.toContain('Show as table')
  })

  describe('of the price of SOL', () => {
    const solPrice = {
      usdPerSol: 150.126,
      ageSeconds: 2,
      spread: 0.00084,
      pools: [
        {
          address: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2',
          exchange: 'raydium',
          isKnown: true,
          usdPerSol: 150.1,
        },
        {
          address: 'HWEoBxYs7ssKuudEjzjmpfJVX7Dvi7wescFsVx2L5yoY',
          exchange: 'pumpswap',
          isKnown: false,
          usdPerSol: 150.2,
        },
      ],
    }

    it('shows it with its age, its pools and how far they differ', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { solPrice })

      const { payload } = await app.inject('/status')

      for (const text of [
        'Price of SOL <span class="figure">$150.13</span>',
        'Updated 2 s ago. Pools differ by up to 0.08%.',
        'title="58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2">58oQ…YQo2</th><td>Raydium</td><td>well-known pool</td><td class="number">150.10</td>',
        '<td>PumpSwap</td><td>deep pool</td><td class="number">150.20</td>',
      ]) {
        expect(payload).toContain(text)
      }
    })

    it('shows no age while the source is down, since block time then stops', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { up: false, solPrice })

      expect((await app.inject('/status')).payload).toContain('As of the last block. Pools differ by up to')
    })

    it('says that it is unknown, and what follows', async () => {
      const { app } = await measured({})

      const { payload } = await app.inject('/status')

      expect(payload).toContain('Price of SOL <span class="figure">not known</span>')
      expect(payload).toContain('USD values of swaps in SOL are null until two pools agree')
      expect(payload).not.toContain('Pools that agree')
    })

    it('returns the same as JSON', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { solPrice })

      expect((await app.inject('/status.json')).json().solPrice).toEqual(solPrice)
    })
  })

  describe('of names and pictures', () => {
    const metadata = {
      ...{
        pairs: 40,
        nameWithin1s: 0.5,
        nameWithin60s: 0.925,
        pictureWithin1s: 0.25,
        pictureWithin60s: 0.75,
      },
      ...{ bothWithin1s: 0.2, bothWithin60s: 0.7, mintsWaiting: 3, pagesReading: 2, pagesWaiting: 5 },
      trouble: 'Names of tokens cannot be looked up: <b>no</b>.',
    }

    it('shows the shares at once and within a minute, and any trouble', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { metadata })

      const { payload } = await app.inject('/status')

      for (const text of [
        'the last 40 new pairs',
        '<th scope="row">Name</th><td class="number">50.0%</td><td class="number">92.5%</td>',
        '<th scope="row">Picture</th><td class="number">25.0%</td><td class="number">75.0%</td>',
        '<th scope="row">Both</th><td class="number">20.0%</td><td class="number">70.0%</td>',
        'The RPC does not answer.',
      ]) {
        expect(payload).toContain(text)
      }
      expect((await app.inject('/status.json')).json().metadata).toMatchObject({ pairs: 40, pagesWaiting: 5 })
    })
  })

  describe('of a live chain', () => {
    const live = {
      trouble: 'Nothing listens at <grpc.example>: the connection is refused.',
      endpoints: [
        {
          name: 'yellowstone grpc.example',
          state: 'resting' as const,
          version: 'yellowstone-grpc-geyser 15.1.2',
          slot: 454_000_123,
          trouble: 'Nothing listens at <grpc.example>: the connection is refused.',
        },
        {
          name: 'rpc rpc.example',
          state: 'connecting' as const,
          version: null,
          slot: null,
          trouble: 'It says nothing of slots.',
        },
      ],
      slotMs: 251.4,
      holesFilled: 12,
      holesNotFilled: 3,
      slotsMissed: 1_450,
      alarms: { otherBlock: 2 },
    }

    it('shows each endpoint by its kind and its state, and what is missing', async () => {
      const { app, source } = await measured({})
      const [first, second] = live.endpoints
      Object.assign(source, { up: false, live: { ...live, endpoints: [first, first, second] } })

      const { payload } = await app.inject('/status')

      for (const text of [
        'gRPC 2 of 2',
        '>down</strong>',
        '454,000,123',
        'JSON-RPC',
        'connecting',
        'a slot every 251 ms',
        '<span class="figure">12</span> recovered, <span class="figure">3</span> lost (<span class="figure">1,450</span> slots)',
        'Slots whose block differs from the published one: 2',
      ]) {
        expect(payload).toContain(text)
      }
    })

    // Guards the operator's provider, and our page: it never repeats an endpoint's own messages.
    it('shows strangers no host, version or message of an endpoint', async () => {
      const { app, source } = await measured({
        days: [
          {
            day: '2026-11-20',
            well: 1,
            late: 0,
            down: 0,
            proof: { ...A_DAY, sources: ['rpc day.example 1'] } as never,
          },
        ],
      })
      const audit = {
        host: 'rpc.example',
        slots: 0,
        events: 0,
        missing: 0,
        extra: 0,
        different: 0,
        faults: [],
      }
      Object.assign(source, {
        up: false,
        live: { ...live, trouble: 'said by grpc.example' },
        metadata: { pairs: 0, trouble: 'said by rpc.example' },
        proof: {
          ...{ programs: {}, decoderAlarms: [], lagsByExchange: {} },
          audit: { ...audit, newest: null, trouble: 'said by rpc.example' },
        },
      })

      for (const path of ['/status', '/status.json']) {
        expect((await app.inject(path)).payload).not.toMatch(
          /\b(grpc|rpc|day)\.example|geyser|refused|It says/,
        )
      }
    })

    it('names a chain other than mainnet, and treats a stand-in as simulated', async () => {
      const { app, source } = await measured({}, { simulated: false })
      const told = async () => (await app.inject('/status.json')).json()
      const config = async () => (await app.inject('/api/config')).json()

      Object.assign(source, { chain: 'devnet' })
      expect(await told()).toMatchObject({ chain: 'devnet', simulated: false })
      expect(await config()).toMatchObject({ cluster: 'devnet', simulated: false })
      expect((await app.inject('/status')).payload).toContain('Data is from devnet.')
      Object.assign(source, { chain: 'other' })
      expect(await told()).toMatchObject({ chain: 'other', simulated: true })
      expect((await config()).cluster).toBeUndefined()
      expect((await config()).simulated).toBe(true)
    })

    it('says in its headline that events are missing, below 99 % of those compared', async () => {
      const { app, source } = await measured({})
      const audit = { host: '', slots: 10, events: 100, missing: 2, extra: 0, different: 0, faults: [] }
      const recent = { slots: 10, events: 100, faults: 2 }
      const proof = {
        programs: {},
        decoderAlarms: [],
        lagsByExchange: {},
        audit: { ...audit, recent, newest: null, trouble: null },
      }
      Object.assign(source, { proof })

      const { payload } = await app.inject('/status')

      expect(payload).toContain('<p class="state-word">Incomplete</p>')
      expect(payload).toContain('Some events are missing or wrong: 2 of 100')
      expect((await app.inject('/status.json')).json()).toMatchObject({
        state: 'late',
        sentence: 'Incomplete',
      })
    })

    it('says how late blocks arrive if no endpoint is in trouble', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { lagMs: 61_000, live: { ...live, trouble: null } })

      const { payload } = await app.inject('/status')

      expect(payload).toContain('Events arrive late: the source is 61 seconds behind.')
    })

    it('says which events its kind of source cannot see', async () => {
      const { app, source } = await measured({})
      Object.assign(source, { live: { ...live, cannotSee: 'It sees <only> logs.' } })

      expect((await app.inject('/status')).body).toContain('<p class="second">It sees &lt;only&gt; logs.</p>')
    })

    it('returns the same as JSON, and null for a source that is not a live chain', async () => {
      const { app, source } = await measured({})

      expect((await app.inject('/status.json')).json().source).toBeNull()
      Object.assign(source, { live })
      expect((await app.inject('/status.json')).json().source).toMatchObject({
        slotMs: 251.4,
        holesFilled: 12,
      })
    })
  })

  it('returns the same as JSON', async () => {
    const { app } = await measured({
      minutes: [aMinute(2)],
      days: [{ day: '2026-11-20', well: 43_000.4, late: 10, down: 0 }],
    })

    const answer = await app.inject('/status.json')

    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toMatchObject({
      at: '2026-11-20T12:00:00.000Z',
      state: 'well',
      sentence: 'All streams normal',
      simulated: true,
      latestBlock: 398_214_771,
      lagMs: 800,
      minutes: [{ at: '2026-11-20T11:58:00.000Z', buys: 600, sells: 300, lagMedianMs: 700 }],
      exchanges: { pumpfun: 900, raydium: 2 },
      days: [{ day: '2026-11-20', wellSeconds: 43_000, lateSeconds: 10, downSeconds: 0 }],
      incidents: [],
    })
  })
})
