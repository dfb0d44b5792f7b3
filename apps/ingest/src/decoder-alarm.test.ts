import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { encodeBase58 } from '@pairwire/contract'
import type { ProgramCalls, Transaction } from '@pairwire/decoders'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIngest } from './create-ingest.ts'
import { createDecoderAlarms, type DecoderAlarm, LOOK_EVERY_MS } from './decoder-alarm.ts'
import { createSimulator, SLOT_MS } from './sources/simulator.ts'
import type { Source } from './sources/source.ts'
import { createListLog } from './testing/live-chain.ts'

const PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
/** Minutes of ordinary trade; an hour with PAIRWIRE_ALARM_MINUTES=60. */
const MINUTES = Number(process.env.PAIRWIRE_ALARM_MINUTES ?? 5)

const MINUTE_LOOKS = 60_000 / LOOK_EVERY_MS

let told: string[]
let alarms: ReturnType<typeof createDecoderAlarms>
let calls: ProgramCalls
beforeEach(() => {
  told = []
  const tell = (what: string) => (alarm: DecoderAlarm) => void told.push(`${what} ${alarm.discriminator}`)
  alarms = createDecoderAlarms({ raised: tell('raised'), ended: tell('ended') })
  calls = { exchange: 'pumpfun', understood: 0, unknown: 0, byDiscriminator: {} }
})

/** Adds calls between two checks. */
function add(understood: number, unknown: number, discriminator = 'aa'): void {
  const known = calls.byDiscriminator[discriminator] ?? { count: 0, example: `of ${discriminator}` }
  calls = {
    exchange: 'pumpfun',
    understood: calls.understood + understood,
    unknown: calls.unknown + unknown,
    byDiscriminator:
      unknown === 0
        ? calls.byDiscriminator
        : { ...calls.byDiscriminator, [discriminator]: { ...known, count: known.count + unknown } },
  }
  alarms.look({ [PROGRAM]: calls })
}

describe('the alarm for unknown instructions', () => {
  it('is raised within a minute of an upgrade that changes half of the calls, and names one', () => {
    for (let look = 0; look < 10 * MINUTE_LOOKS; look++) add(100, look % 3, 'aa')
    expect(told).toEqual([])

    let looks = 0
    for (; looks < MINUTE_LOOKS && told.length === 0; looks++) add(50, 50, 'bb')

    expect(told).toEqual(['raised bb'])
    expect(alarms.standing()).toMatchObject([
      { program: PROGRAM, exchange: 'pumpfun', discriminator: 'bb', share: 0.5, example: 'of bb' },
    ])
  })

  it('is raised for a quiet program too, once it was called often enough', () => {
    for (let look = 0; look < 10 * MINUTE_LOOKS; look++) add(12, 0)
    for (let look = 0; look < 2 * MINUTE_LOOKS && told.length === 0; look++) add(6, 6)
    expect(told).toEqual(['raised aa'])
  })

  it('is raised by the very first calls if a quarter of them are unknown', () => {
    add(45, 15)
    expect(told).toEqual(['raised aa'])
  })

  it('is not raised in an hour with a varying number of unknown calls', () => {
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (const usual of [0, 0.005, 0.03, 0.12, 0.2]) {
      for (let look = 0; look < 60 * MINUTE_LOOKS; look++) {
        const all = 20 + Math.floor(random() * 200)
        const unknown = Array.from({ length: all }, random).filter((each) => each < usual).length
        add(all - unknown, unknown)
      }
      expect(told).toEqual([])
      alarms = createDecoderAlarms({ raised: () => told.push('raised'), ended: () => told.push('ended') })
      calls = { exchange: 'pumpfun', understood: 0, unknown: 0, byDiscriminator: {} }
    }
  })

  it('lasts while the share is high, and ends once it was normal for a minute', () => {
    for (let look = 0; look < 5; look++) add(100, 0)
    add(50, 50)
    for (let look = 0; look < MINUTE_LOOKS - 1; look++) add(100, 1)
    expect(alarms.standing()).toHaveLength(1)
    add(50, 50)
    for (let look = 0; look < MINUTE_LOOKS; look++) add(100, 1)

    expect(told).toEqual(['raised aa', 'ended aa'])
    expect(alarms.standing()).toEqual([])
  })

  it('is raised by unknown calls of more kinds than it distinguishes', () => {
    for (let look = 0; look < 5; look++) add(100, 0)
    calls = { ...calls, understood: calls.understood + 50, unknown: calls.unknown + 50 }
    alarms.look({ [PROGRAM]: calls })
    expect(alarms.standing()).toMatchObject([{ discriminator: null, example: null }])
  })
})

describe('the alarm in the pipeline', () => {
  /** Runs ingest over `slots` of a simulated market with its own clock; `change` may alter the calls. */
  const run = async (
    slots: number,
    swapsPerSecond: number,
    change: (transaction: Transaction, at: number) => Transaction,
  ) => {
    const clock = createJumpingClock()
    const log = createListLog()
    const market = createSimulator({ seed: 3, swapsPerSecond, clock, nextRun: async () => 0 })
    const raisedAt: number[] = []
    let done = 0
    const finished = new AbortController()
    let finish = () => {}
    const ended = new Promise<void>((resolve) => {
      finish = resolve
    })
    const source: Source = {
      simulated: false,
      async *blocks() {
        let at = 0
        for await (const block of market.blocks(finished.signal)) {
          yield { ...block, transactions: block.transactions.map((each) => change(each, at++)) }
          if (log.lines.length > raisedAt.length) raisedAt.push(done * SLOT_MS)
          if (++done === slots) break
        }
        finish()
      },
    }
    const bus = createInProcessBus({ maxBytes: 1e6 })
    const ingest = createIngest({ source, bus, clock, log })
    ingest.start()
    await ended
    await ingest.stop()
    return { raisedAt, alarms: ingest.stats().decoderAlarms, stats: ingest.stats() }
  }

  it('is raised within a minute of an upgrade of pump.fun, and not by ordinary trade', async () => {
    const ordinary = await run((MINUTES * 60_000) / SLOT_MS, 2, (transaction) => transaction)
    expect(ordinary).toMatchObject({ raisedAt: [], alarms: [] })
    expect(ordinary.stats.transactions).toBeGreaterThan(MINUTES * 100)

    const upgraded = await run(60_000 / SLOT_MS, 20, (transaction, at) => {
      const isPump = transaction.keys.some((key) => encodeBase58(key) === PROGRAM)
      return isPump && at % 2 === 0 ? withNewCalls(transaction) : transaction
    })
    expect(upgraded.raisedAt[0]).toBeLessThan(60_000)
    expect(upgraded.alarms).toMatchObject([{ program: PROGRAM, discriminator: 'eeeeeeeeeeeeeeee' }])
  })
})

/** Returns the transaction with calls of pump.fun that no release knows. */
function withNewCalls(transaction: Transaction): Transaction {
  const instructions = transaction.instructions.map((instruction) =>
    encodeBase58(transaction.keys[instruction.programIndex]!) === PROGRAM
      ? { ...instruction, data: new Uint8Array(24).fill(0xee) }
      : instruction,
  )
  return { ...transaction, instructions }
}
