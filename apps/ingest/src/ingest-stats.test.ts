import { encodeBase58 } from '@pairwire/contract'
import { readRpcTransaction } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { aRecord, signatureOf } from './testing/a-record.ts'
import { aBlock, aTransaction, ended, setUp, sourceOf } from './testing/ingest-under-test.ts'

describe('what ingest counts', () => {
  it('counts events by exchange, refusals by reason, and the lag', async () => {
    const { ingest, logged, clock } = setUp(
      sourceOf(aBlock(7, { ...aTransaction(1), failed: true }, aTransaction(2))),
      {
        decode: () => ({ events: [], refusals: [{ exchange: 'raydium', path: '0', reason: 'truncated' }] }),
      },
    )
    clock.advance(1_500)

    ingest.start()
    await ended(logged)

    expect(ingest.stats()).toMatchObject({
      sourceUp: false,
      lagMs: 1_500,
      latestBlock: 7,
      failedTransactions: 1,
      refusals: { 'raydium truncated': 2 },
    })
  })

  it('counts the calls of decoded programs, and those that no decoder knows', async () => {
    const program = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
    const unknown = { program, data: encodeBase58(new Uint8Array(12).fill(171)) }
    const { ingest, logged } = setUp(
      sourceOf(aBlock(7, readRpcTransaction(aRecord(9, { calls: [unknown] }))!)),
    )

    ingest.start()
    await ended(logged)

    expect(ingest.stats().programs).toEqual({
      [program]: {
        exchange: 'raydium',
        understood: 0,
        unknown: 1,
        byDiscriminator: { abababababababab: { count: 1, example: signatureOf(9) } },
      },
    })
  })

  it('lets the lag of a silent source grow', async () => {
    let speak = () => {}
    const silence = new Promise<void>((resolve) => {
      speak = resolve
    })
    const { ingest, logged, clock } = setUp({
      simulated: true,
      blocks: async function* () {
        yield aBlock(7)
        await silence
      },
    })
    clock.advance(800)
    ingest.start()
    while (ingest.stats().blocks === 0) await new Promise((resolve) => setImmediate(resolve))

    clock.advance(2_000)
    expect(ingest.stats()).toMatchObject({ sourceUp: true, lagMs: 800 })
    clock.step(-3_600_000) // setting the clock back hides no silence
    clock.advance(8_000)
    expect(ingest.stats()).toMatchObject({ sourceUp: true, lagMs: 10_800 })

    speak()
    await ended(logged)
    await ingest.stop()
  })

  it('counts how late each event was', async () => {
    const { ingest, logged, clock } = setUp(sourceOf(aBlock(7), aBlock(8)))
    clock.advance(750)
    ingest.start()
    await ended(logged)

    const { bounds, counts, sum } = ingest.stats().lags
    expect(counts).toHaveLength(bounds.length + 1)
    expect(counts[bounds.indexOf(800)]).toBe(2)
    expect(sum).toBe(1_500)
  })
})
