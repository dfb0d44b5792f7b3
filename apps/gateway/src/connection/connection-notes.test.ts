import type { ConnectionNote, RefusedUpgrades } from '@pairwire/accounts'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { ConnectionNotes } from './connection-notes.ts'

describe('connection notes', () => {
  const aConnection = (at: number) => ({
    ...{ id: `connection ${at}`, accountId: `a${at}`, address: '192.0.2.7', client: 'bot/1.2' },
    ...{ connectedAt: Date.UTC(2026, 10, 20), ended: undefined, faultCounts: {}, sentEvents: 3 },
  })

  /** A thousand connections to record, and the batches in which they are recorded. */
  function aThousand(record: (notes: readonly ConnectionNote[]) => void = () => {}) {
    const clock = createManualClock()
    const batches: (readonly ConnectionNote[])[] = []
    const refused: RefusedUpgrades[] = []
    const warned: string[] = []
    const log = { info() {}, error() {}, warn: (sentence: string) => warned.push(sentence) }
    const notes = new ConnectionNotes({
      async record(batch) {
        record(batch)
        batches.push(batch)
      },
      async recordRefused(rows) {
        record([])
        refused.push(...rows)
      },
      ...{ clock, everyMs: 1_000, log },
    })
    for (let at = 0; at < 1_000; at++) notes.note(aConnection(at))
    return { clock, notes, batches, refused, warned, ids: () => batches.flat().map(({ id }) => id) }
  }
  const all = Array.from({ length: 1_000 }, (_, at) => `connection ${at}`)

  // All at once would block the event loop: each statement is written, and its answer read, in one piece.
  it('are recorded in batches, each once', async () => {
    const { clock, batches, ids } = aThousand()

    await clock.pass(1_000)
    await clock.pass(10_000)

    expect(batches.map(({ length }) => length)).toEqual([200, 200, 200, 200, 200])
    expect(ids()).toEqual(all)
  })

  it('are kept when they cannot be recorded, and recorded with the next batch', async () => {
    let calls = 0
    const { clock, notes, warned, ids } = aThousand(() => {
      if (++calls === 3) throw new Error('away')
    })

    await clock.pass(1_000)
    const before = ids()
    await notes.flush()

    expect(before).toEqual(all.slice(0, 400))
    expect(ids()).toEqual(all)
    expect(warned).toHaveLength(1)
  })

  it('warn once while they cannot be recorded, and again the next time', async () => {
    let isAway = true
    const { clock, notes, warned } = aThousand(() => {
      if (isAway) throw new Error('away')
    })

    await clock.pass(60_000)
    expect(warned).toHaveLength(1)

    isAway = false
    await clock.pass(1_000)
    isAway = true
    notes.note(aConnection(0))
    await clock.pass(1_000)
    expect(warned).toHaveLength(2)
  })

  it('count refused upgrades by account, hour and refusal, and keep the counts that cannot be recorded', async () => {
    let isAway = true
    const { clock, notes, refused } = aThousand((batch) => {
      if (isAway && batch.length === 0) throw new Error('away')
    })
    for (const refusal of ['noPlan', 'tooFast', 'noPlan']) notes.noteRefused('a1', refusal)
    await notes.flush()
    notes.noteRefused('a1', 'noPlan')
    isAway = false

    await notes.flush()
    await notes.flush()

    const hour = new Date(clock.now() - (clock.now() % 3_600_000))
    const ofHour = { accountId: 'a1', hour }
    expect(refused).toEqual([
      { ...ofHour, refusal: 'noPlan', count: 2 },
      { ...ofHour, refusal: 'tooFast', count: 1 },
      { ...ofHour, refusal: 'noPlan', count: 1 },
    ])
  })

  // Guards the counts: a connection that breaks between a commit and its answer.
  it('send refused upgrades again as they were, by the same number, if there was no answer', async () => {
    const sent: string[] = []
    const notes = new ConnectionNotes({
      async record() {},
      async recordRefused(rows, { number } = { counter: '', number: 0 }) {
        sent.push(`${number}: ${rows.map(({ refusal, count }) => `${count} ${refusal}`)}`)
        if (sent.length === 1) throw new Error('The connection broke.')
      },
      ...{ clock: createManualClock(), everyMs: 1_000, log: { info() {}, warn() {}, error() {} } },
    })
    for (const refusal of ['noPlan', 'noPlan']) notes.noteRefused('a1', refusal)

    await notes.flush()
    for (const refusal of ['noPlan', 'tooFast']) notes.noteRefused('a1', refusal)
    await notes.flush()

    expect(sent).toEqual(['1: 2 noPlan', '1: 2 noPlan', '2: 1 noPlan,1 tooFast'])
  })
})
