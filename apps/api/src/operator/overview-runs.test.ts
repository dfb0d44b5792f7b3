import { AppError, type ProcessState } from '@pairwire/contract'
import { VERBS } from '@pairwire/contract/operator'
import { describe, expect, it } from 'vitest'
import { createOperatorUnderTest } from '../testing/operator-under-test.ts'
import { createMoneyNow } from './money-now.ts'

const aProcess = (name: string, figures: ProcessState['figures']): ProcessState => ({
  ...{ part: 'gateway', name, version: '0.1.0', startedAt: 0, cores: 0.1, memoryBytes: 1, loopDelayMs: 2 },
  figures,
})

/** The service with these processes, one of them an api. */
const processes = [
  aProcess('a:8001', { pairwire_gateway_connections: 3, pairwire_gateway_queued_bytes: 100 }),
  aProcess('b:8001', { pairwire_gateway_connections: 4, pairwire_disk_free_bytes: 7_000 }),
  aProcess('c:3000', {
    'pairwire_billing_webhooks_total{outcome="received"}': 5,
    'pairwire_billing_webhooks_total{outcome="refused"}': 2,
  }),
]

describe('overview show', () => {
  it('gathers what each part knows, with the acts and people of the database', async () => {
    const { call, email, source } = await createOperatorUnderTest({
      listProcesses: async () => processes,
      health: () => ({ database: true, source: false }),
      missingAnswers: () => ['gateway 3 of 3'],
    })
    const { call: more } = await createOperatorUnderTest({ sourceState: () => source })
    await call('account create', { emails: [email] })

    const [row] = (await call('overview show')).rows
    const [withSource] = (await more('overview show')).rows

    expect(VERBS['overview show'].row.parse(row)).toMatchObject({
      parts: { database: true, source: false },
      missing: ['gateway 3 of 3'],
      source: null,
      gateways: [
        { name: 'a:8001', connections: 3 },
        { name: 'b:8001', connections: 4 },
      ],
      connections: 7,
      money: { mrr: {}, paying: 0, trials: 0, pastDue: 0 },
      registrations7d: 1,
      acts: [{ verb: 'account create' }],
    })
    expect(withSource).toMatchObject({ source: { up: true, lagMs: 800, latestBlock: 398_214_771 } })
  })

  it('reads money again after the clock was set back, or the database was away', async () => {
    const { operatorParts, accounts, clock } = await createOperatorUnderTest()
    const asked: Date[] = []
    const moneyNow = createMoneyNow({
      clock: () => clock.now,
      accounts: {
        ...accounts,
        async readMoney(wanted) {
          asked.push(wanted.until)
          if (asked.length === 1) throw new AppError('ERR_UNAVAILABLE')
          return operatorParts.accounts.readMoney(wanted)
        },
      },
    })
    await expect(moneyNow()).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    await moneyNow()
    await moneyNow()
    clock.now -= 60 * 60_000

    await moneyNow()

    expect(asked).toEqual([0, 0, -1].map((hours) => new Date(clock.now + (hours + 1) * 60 * 60_000)))
  })

  it('names what does not answer and shows the rest', async () => {
    const { call } = await createOperatorUnderTest({
      listProcesses: () => Promise.reject(new Error('away')),
      moneyNow: () => new Promise(() => {}),
    })

    const [row] = (await call('overview show')).rows

    expect(VERBS['overview show'].row.parse(row)).toMatchObject({
      missing: ['processes', 'money'],
      gateways: [],
      money: null,
    })
  })
})

describe('stream show', () => {
  it('shows the source with the names of its endpoints, refusals, unknown instructions and what is kept', async () => {
    const { source } = await createOperatorUnderTest()
    const endpoint = { name: 'rpc rpc.example', state: 'resting' as const, version: null, slot: 7 }
    const alarm = { program: 'Prog', exchange: 'pumpfun', discriminator: 'aa', share: 0.4, usualShare: 0.1 }
    Object.assign(source, {
      refusals: { 'raydium not a pool': 2 },
      live: {
        ...{ trouble: 'It is away.', slotMs: 400, holesFilled: 3, holesNotFilled: 1, slotsMissed: 9 },
        ...{ endpoints: [{ ...endpoint, trouble: 'It is away.' }], alarms: {} },
      },
      proof: {
        programs: {
          Prog: { exchange: 'pumpfun', understood: 60, unknown: 40 },
          Known: { exchange: 'raydium', understood: 9, unknown: 0 },
        },
        ...{ decoderAlarms: [{ ...alarm, example: 'Sig' }], lagsByExchange: {} },
        gapSlots: { upstream: 8, deploy: 1 },
      },
    })
    const { accounts, call } = await createOperatorUnderTest({
      listProcesses: async () => processes,
      sourceState: () => source,
      oldestCursor: async () => 'run-1',
      archiveFigures: () => ({ hours: 4, bytes: 90, gapHours: 1, countedHours: 4, completeTo: 0 }),
    })
    await accounts.takeLease('sweeps', '00000000-0000-4000-8000-000000000000', 60_000)

    const [row] = (await call('stream show')).rows

    expect(VERBS['stream show'].row.parse(row)).toMatchObject({
      missing: [],
      source: { trouble: 'It is away.', endpoints: [{ name: 'rpc rpc.example' }] },
      gaps: { filled: 3, notFilled: 1, slots: { upstream: 8, deploy: 1 } },
      refusals: [{ venue: 'raydium', reason: 'not a pool', count: 2 }],
      unknown: [{ venue: 'pumpfun', program: 'Prog', count: 40, share: 0.4, example: 'Sig' }],
      kept: { bytes: null, oldestCursor: 'run-1' },
      archive: { hours: 4, completeTo: '1970-01-01T00:00:00.000Z' },
      archiving: null,
      queues: { connections: 7, queuedBytes: 100 },
      leases: expect.arrayContaining([expect.objectContaining({ work: 'sweeps', isHeld: true })]),
      processes: [{ name: 'a:8001' }, { name: 'b:8001' }, { name: 'c:3000' }],
      disks: [{ process: 'b:8001', freeBytes: 7_000 }],
      webhooks: { received: 5, refused: 2 },
    })
  })
})
