import type { Clock, Log } from '@pairwire/basics'
import { createCallTally } from '@pairwire/decoders'
import { createDecodedCounts } from './decoded-counts.ts'
import { createDecoderAlarms, LOOK_EVERY_MS } from './decoder-alarm.ts'
import { createLateness } from './lateness.ts'
import { createRate } from './rate.ts'
import type { Source } from './sources/source.ts'

/** Counts an ingest's work, its lag, and what its decoders do not know. */
export class IngestFigures {
  readonly counts = {
    blocks: 0,
    transactions: 0,
    failedTransactions: 0,
    /** Transactions that made a decoder throw. */
    decoderFaults: 0,
    /** Times the source broke. */
    sourceFaults: 0,
    /** Batches that made a listener of the bus throw. */
    publishFaults: 0,
  }
  /** Slots covered by gaps, by cause. */
  readonly gapSlots = { upstream: 0, deploy: 0 }
  /** When the newest gap was announced, in Unix milliseconds. */
  gapAt: number | undefined
  /** Calls of decoded programs: how many were understood, and which not. */
  readonly calls = createCallTally()
  readonly decoded = createDecodedCounts()
  readonly #rate = createRate()
  readonly #clock: Clock
  readonly #lateness: ReturnType<typeof createLateness>
  readonly #alarms: ReturnType<typeof createDecoderAlarms>
  /** When the alarms were last checked, in `elapsed` time. */
  #lookedAt: number
  readonly #isRecording: boolean
  readonly #isOrdered: boolean
  #latestBlock: number | null = null

  constructor(
    { isRecording = false, inOrderOfArrival = false }: Pick<Source, 'isRecording' | 'inOrderOfArrival'>,
    clock: Clock,
    log: Log,
  ) {
    this.#isRecording = isRecording
    this.#isOrdered = !inOrderOfArrival
    this.#clock = clock
    this.#lateness = createLateness(clock, log)
    this.#lookedAt = clock.elapsed()
    this.#alarms = createDecoderAlarms({
      raised: ({ program, exchange, share, discriminator, example }) =>
        log.error(
          `${exchange} gets calls that this release does not know: ${Math.round(share * 100)} % of its calls.`,
          { program, discriminator, example },
        ),
      ended: ({ program, exchange }) =>
        log.info(`${exchange} has only known instructions again.`, { program }),
    })
  }

  /** Notes part of a slot, or all of it, with its number of events, published at `at`. */
  cameSlot(
    { slot, blockTime }: Readonly<{ slot: number; blockTime: number }>,
    at: number,
    events: number,
  ): void {
    // In order of arrival, more of an earlier slot may follow.
    this.#latestBlock = this.#isOrdered ? slot : Math.max(slot, this.#latestBlock ?? 0)
    const byExchange = this.decoded.takeBlock()
    for (const count of byExchange.values()) this.#rate.add(count, at)
    if (this.#clock.elapsed() - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = this.#clock.elapsed()
      this.#alarms.look(this.calls.read())
    }
    if (!this.#isRecording) this.#lateness.came(blockTime, at, events, byExchange)
  }

  read(isUp: boolean) {
    return {
      ...this.counts,
      ...this.decoded.read(),
      ...this.#lateness.read(isUp),
      ...{ gapSlots: this.gapSlots, gapAt: this.gapAt },
      latestBlock: this.#latestBlock,
      eventsPerSecond: this.#rate.perSecond(this.#clock.now()),
      programs: this.calls.read(),
      decoderAlarms: this.#alarms.standing(),
    }
  }
}
