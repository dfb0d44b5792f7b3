import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { ASKS, type OpenStream } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { askOthers } from './ask-others.ts'

const SOURCE = {
  ...{ up: true, lagMs: 400, latestBlock: 7, eventsPerSecond: 2 },
  ...{ lags: { bounds: [], counts: [], sum: 0 }, events: {}, totals: {}, refusals: {} },
  solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] },
}

const stream = (id: string): OpenStream => ({
  ...{ id, address: '192.0.2.1', client: '', subscriptions: [], sentEvents: 0, sentBytes: 0, queuedBytes: 0 },
  ...{ connectedAt: 1, lastSeenAt: 2 },
})

describe('the state of a deployment’s other processes', () => {
  /** An api with an ingest and two gateways beside it, some of which are silent. */
  const open = async ({ silent }: { silent: readonly string[] }) => {
    const bus = createInProcessBus({ maxBytes: 1_000 })
    if (!silent.includes('ingest')) {
      bus.answer(ASKS.ingestState(), () => SOURCE)
      bus.answer(ASKS.tokens(), () => ({ mint: null }))
    }
    for (const id of ['g1', 'g2']) {
      if (!silent.includes(id)) bus.answer(ASKS.openStreams(id), () => [stream(id)])
    }
    const clock = createManualClock()
    const others = askOthers({
      accounts: {
        listGateways: async () => [
          { id: 'g1', name: 'one' },
          { id: 'g2', name: 'two' },
        ],
      },
      bus,
      clock: { ...clock, after: () => () => {} },
    })
    await others.start()
    return { others, clock }
  }

  it('is complete while all answer', async () => {
    const { others } = await open({ silent: [] })

    expect(await others.openStreams('account')).toEqual({ open: [stream('g1'), stream('g2')], missing: [] })
    expect(await others.gateways()).toEqual({ gateways: true })
    expect(others.sourceState()).toMatchObject({ up: true, latestBlock: 7 })
    expect(await others.lookUpTokens(['mint'])).toEqual({ mint: null })
    expect(others.missingAnswers()).toEqual([])
  })

  it('names a gateway that does not answer, by its number', async () => {
    const { others } = await open({ silent: ['g2'] })

    expect(await others.openStreams('account')).toEqual({
      open: [stream('g1')],
      missing: ['gateway 2 of 2'],
    })
    expect(await others.gateways()).toEqual({ gateways: false })
    expect(others.missingAnswers()).toEqual(['gateway 2 of 2'])
  })

  it('names an ingest that does not answer: its source counts as away, and token names are refused', async () => {
    const { others } = await open({ silent: ['ingest'] })

    expect(others.sourceState().up).toBe(false)
    expect(others.missingAnswers()).toEqual(['ingest'])
    await expect(others.lookUpTokens(['mint'])).rejects.toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
  })

  it('keeps the last figures of an ingest that fell silent, and marks them as old', async () => {
    const { others, clock } = await open({ silent: [] })
    // Its silence is as long, wherever the wall clock is set.
    clock.step(-3_600_000)

    clock.advance(5_000)

    expect(others.sourceState()).toMatchObject({ up: false, latestBlock: 7 })
    expect(others.missingAnswers()).toEqual(['ingest'])
  })
})
