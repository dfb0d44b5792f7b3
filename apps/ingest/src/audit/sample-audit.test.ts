import { systemClock } from '@pairwire/basics'
import { createInProcessBus } from '@pairwire/bus'
import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { FeedError } from '../sources/chain/feed.ts'
import { LIVE_RUN } from '../sources/source.ts'
import { createListLog } from '../testing/live-chain.ts'
import type { ChainReader } from './chain-reader.ts'
import { createSampleAudit } from './sample-audit.ts'

const FIRST = 1_000
const LAST = 1_400

/** The end of a chain block without any of our transactions. */
const blockEnd = (slot: number): StreamEvent => ({
  kind: 'latestBlock',
  cursor: formatCursor({ run: LIVE_RUN, slot, ...LAST_PLACE }),
  params: { block: slot, blockTime: slot },
})

/** A sample over slots of which all but `lost` were published, with a manual clock. */
async function setUp(lost: readonly number[] = []) {
  const bus = createInProcessBus({ maxBytes: 1e7 })
  for (let slot = FIRST; slot <= LAST; slot++) if (!lost.includes(slot)) await bus.publish([blockEnd(slot)])

  const asked: number[] = []
  const chain: Pick<ChainReader, 'host' | 'blocks'> & { fail: Error | 'silent' | undefined } = {
    host: 'rpc.example',
    fail: undefined,
    async *blocks(fromSlot, _toSlot, signal) {
      asked.push(fromSlot)
      if (chain.fail === 'silent') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      if (chain.fail) throw chain.fail
      const block: ChainBlock = {
        slot: fromSlot,
        parentSlot: fromSlot - 1,
        ...{ blockhash: '', parentBlockhash: '', blockTime: fromSlot, transactions: [] },
      }
      yield block
    },
  }
  const waits: { milliseconds: number; go: () => void }[] = []
  const clock = {
    ...systemClock,
    now: () => 5_000,
    elapsed: () => 0,
    wait: (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const go = () => {
          signal.removeEventListener('abort', go)
          resolve()
        }
        waits.push({ milliseconds, go })
        signal.addEventListener('abort', go)
      }),
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Lets every wait of this length end. */
  const pass = async (milliseconds: number) => {
    for (const wait of waits.splice(0)) {
      if (wait.milliseconds === milliseconds) wait.go()
      else waits.push(wait)
    }
    await settle()
  }
  const log = createListLog()
  const sample = createSampleAudit({ chain, bus, clock, log, random: () => 0.5 })
  sample.start()
  await settle()
  return { sample, chain, asked, log, minute: () => pass(60_000), pass }
}

const CHOSEN = LAST - 112

describe('the running sample', () => {
  it('compares one slot a minute, old enough to be final', async () => {
    const { sample, asked, minute } = await setUp()
    expect(asked).toEqual([])

    await minute()
    await minute()

    expect(asked).toEqual([CHOSEN, CHOSEN])
    expect(sample.read()).toMatchObject({ slots: 2, events: 2, missing: 0, faults: [], trouble: null })
    expect(sample.read().newest).toEqual({ slot: CHOSEN, at: 5_000 })
    await sample.stop()
  })

  it('counts and remembers what was not published, and logs it', async () => {
    const { sample, minute, log } = await setUp([CHOSEN])
    for (let time = 0; time < 12; time++) await minute()

    expect(sample.read()).toMatchObject({ slots: 12, events: 12, missing: 12 })
    expect(sample.read().faults).toHaveLength(10)
    expect(sample.read().faults[0]).toMatchObject({ kind: 'missing', slot: CHOSEN })
    expect(log.lines[0]).toBe('The service published something that differs from the chain.')
    await sample.stop()
  })

  it('also totals the last sixty slots', async () => {
    const { sample, minute } = await setUp([CHOSEN])
    for (let time = 0; time < 70; time++) await minute()

    expect(sample.read()).toMatchObject({ slots: 70, recent: { slots: 60, events: 60, faults: 60 } })
    await sample.stop()
  })

  it('reports why a slot could not be compared, counts nothing for it, and continues', async () => {
    const { sample, chain, minute, pass } = await setUp()
    chain.fail = new FeedError('broken', 'The endpoint cannot give blocks.')
    await minute()
    expect(sample.read()).toMatchObject({ slots: 0, trouble: 'The endpoint cannot give blocks.' })

    chain.fail = 'silent'
    await minute()
    await pass(30_000)
    expect(sample.read().trouble).toBe('rpc.example did not give a block within 30 seconds.')

    chain.fail = undefined
    await minute()
    expect(sample.read()).toMatchObject({ slots: 1, trouble: null })
    await sample.stop()
  })

  it('stops at once while an endpoint does not answer', async () => {
    const { sample, chain, minute } = await setUp()
    chain.fail = 'silent'
    await minute()
    await sample.stop()
    expect(sample.read().slots).toBe(0)
  })
})
