import type { ProofState } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { composeSystemStatus } from './system-status.ts'

const WELL = { up: true, lagMs: 400 }

describe('composeSystemStatus', () => {
  it('says nothing while all is well and the data is real', () => {
    expect(composeSystemStatus([], WELL, false)).toEqual([])
  })

  it('puts the operator’s notices before trouble with the source', () => {
    const items = composeSystemStatus(
      [{ Details: 'Maintenance at noon.' }],
      { up: false, lagMs: null },
      false,
    )

    expect(items.map((item) => item.Details)).toEqual([
      'Maintenance at noon.',
      'Live data is interrupted: the source of transactions is down.',
    ])
  })

  it('mentions lag from more than five seconds', () => {
    expect(composeSystemStatus([], { up: true, lagMs: 5_000 }, false)).toEqual([])
    expect(composeSystemStatus([], { up: true, lagMs: 12_300 }, false)).toEqual([
      { Details: 'Events arrive late: the source is 12 seconds behind.' },
    ])
  })

  it('names the exchanges with unknown calls, after trouble with the source', () => {
    const alarm = { program: 'p', discriminator: null, share: 0.5, usualShare: 0, example: null }
    const decoderAlarms = [
      { ...alarm, exchange: 'pumpfun' },
      { ...alarm, exchange: 'pumpfun' },
    ]
    const proof = { programs: {}, decoderAlarms, lagsByExchange: {} }

    expect(
      composeSystemStatus([], { up: true, lagMs: 9_000, proof }, false).map(({ Details }) => Details),
    ).toEqual([
      'Events arrive late: the source is 9 seconds behind.',
      'Some Pump.fun events may be missing: the service does not know all instructions yet.',
    ])
  })

  it('says below 99 % completeness that events are missing, from ten compared slots on', () => {
    const detailsOf = (slots: number, events: number, faults: number) => {
      const audit = { recent: { slots, events, faults } } as ProofState['audit']
      const proof = { programs: {}, decoderAlarms: [], lagsByExchange: {}, audit }
      return composeSystemStatus([], { ...WELL, proof }, false)
    }

    expect(detailsOf(9, 1_000, 1_000)).toEqual([])
    expect(detailsOf(10, 1_000, 10)).toEqual([])
    expect(detailsOf(10, 1_000, 11)).toEqual([
      { Details: 'Some events are missing or wrong: 11 of 1000 in the last 10 slots that were checked.' },
    ])
    expect(detailsOf(60, 0, 3)).toHaveLength(1)
  })

  it.each([
    ['devnet', 'Data is from devnet.'],
    ['testnet', 'Data is from testnet.'],
    ['other', 'Data is simulated.'],
  ] as const)('says for the chain %s: %s', (chain, words) => {
    expect(composeSystemStatus([], { ...WELL, chain }, false)).toEqual([{ Details: words }])
    expect(composeSystemStatus([{ Details: 'Notice.' }], { ...WELL, chain }, false)).toEqual([
      { Details: `Notice. ${words}` },
      { Details: words },
    ])
    expect(composeSystemStatus([], { ...WELL, chain: 'mainnet' }, false)).toEqual([])
  })

  it('says that data is simulated if there is nothing else', () => {
    expect(composeSystemStatus([], WELL, true)).toEqual([{ Details: 'Data is simulated.' }])
  })

  it('adds that data is simulated to the first item', () => {
    const noticeFirst = composeSystemStatus([{ Details: 'Notice.' }], { up: false, lagMs: null }, true)
    const troubleFirst = composeSystemStatus([], { up: true, lagMs: 9_000 }, true)

    expect(noticeFirst[0]).toEqual({ Details: 'Notice. Data is simulated.' })
    expect(troubleFirst[0]).toEqual({
      Details: 'Events arrive late: the source is 9 seconds behind. Data is simulated.',
    })
  })
})
