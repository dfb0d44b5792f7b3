import { setImmediate } from 'node:timers/promises'
import type { Bus } from '@pairwire/bus'
import {
  type CursorParts,
  cursorBehind,
  formatCursor,
  LAST_PLACE,
  type MetadataState,
  parseCursor,
  type StreamEvent,
} from '@pairwire/contract'
import { createCallTally, decodeTransaction, type ProgramCalls } from '@pairwire/decoders'
import type { Clock, Log } from '@pairwire/process'
import { createBlockEvents } from './block-events.ts'
import { createDecodedCounts, type DecodedFigures } from './decoded-counts.ts'
import { createDecoderAlarms, type DecoderAlarm, LOOK_EVERY_MS } from './decoder-alarm.ts'
import { createEarlyEvents } from './early-events.ts'
import { enrich, learn, type Memory } from './enrich/enrich.ts'
import { learnLater } from './enrich/learn-later.ts'
import { createPrices } from './enrich/prices.ts'
import type { SolPriceState } from './enrich/sol-price.ts'
import { createLateness, type LatenessFigures } from './lateness.ts'
import { createMetadata, type Metadata, type MetadataParts } from './metadata/metadata.ts'
import { createRate } from './rate.ts'
import type { BlockTransaction, Decode } from './slot-keeper/block-transaction.ts'
import {
  type Arrivals,
  type Block,
  type Gap,
  LIVE_RUN,
  type Source,
  type SourceStatus,
} from './sources/source.ts'
import { createTokenMemory, type TokenMemory } from './tokens/token-memory.ts'
import { createUnknownRecords } from './unknown-records.ts'

/** What {@link createIngest} needs. */
export type IngestParts = Readonly<{
  source: Source
  bus: Pick<Bus, 'publish' | 'newestCursor' | 'startAnew' | 'sendControl' | 'publishEarly' | 'wantsEarly'>
  clock: Clock
  log: Log
  /** Where what is known of tokens is kept; blocks wait while it opens. Else it lasts as long as the process. */
  tokens?: TokenMemory | Promise<TokenMemory>
  /** Where transactions with calls that no decoder knows are kept; undefined to keep none. */
  unknownFolder?: string
  /** Where names and pages of tokens are asked for; what transactions do not tell stays unknown without. */
  metadata?: Pick<MetadataParts, 'rpc' | 'fetchPage' | 'own'>
  /** Replaced in tests that need a decoder to fail. */
  decode?: Decode
}>

/** What ingest did since it started, and what it is doing now. */
type IngestStats = LatenessFigures &
  DecodedFigures &
  Readonly<{
    /** Whether blocks are coming; also false once a recording has ended. */
    sourceUp: boolean
    /** Slot of the newest block; null before the first one. */
    latestBlock: number | null
    blocks: number
    transactions: number
    failedTransactions: number
    /** Mean over the last seconds. */
    eventsPerSecond: number
    /** Calls of the programs that are decoded, by address: how many were understood, and which not. */
    programs: Readonly<Record<string, ProgramCalls>>
    /** Programs whose calls began to be unknown more often than they were. */
    decoderAlarms: readonly DecoderAlarm[]
    /** Transactions on which a decoder threw. */
    decoderFaults: number
    /** Times the source broke off. */
    sourceFaults: number
    /** Batches on which a listener of the bus threw. */
    publishFaults: number
    /** Slots of which a gap was said, by its cause. */
    gapSlots: Readonly<{ upstream: number; deploy: number }>
    /** What a SOL is worth, and which pools say so. */
    solPrice: SolPriceState
    /** How many tokens of pairs have a name and a picture; undefined before the source is read. */
    metadata: MetadataState | undefined
    /** How the source of a live chain is; undefined for any other. */
    source: SourceStatus | undefined
  }>

/** The first part of the street: blocks of a source become events on the bus. */
export type Ingest = Readonly<{
  start(): void
  /** Resolves once the block in hand is published and the source let go. */
  stop(): Promise<void>
  /** Has it found out what a token is called of which little is known. */
  lookInto(mint: string): void
  stats(): IngestStats
}>

/** Turns of the loop that a gateway needs for a full block at most; they pass at once when it has nothing to write. */
const TURNS_OF_WRITING = 4

/** Milliseconds before a source that broke off is tried again: doubled each time up to the last. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000

/** Reads the source, decodes and enriches each block and publishes it as one batch, until it is stopped. */
export function createIngest(parts: IngestParts): Ingest {
  const { source, bus, clock, log, decode = decodeTransaction } = parts
  const abort = new AbortController()
  const rate = createRate()
  const lateness = createLateness(clock, log)
  const decodedCounts = createDecodedCounts()
  const calls = createCallTally()
  const { unknownFolder: folder } = parts
  const unknown =
    folder === undefined ? undefined : createUnknownRecords({ tally: calls, folder, clock, log })
  const tally = unknown?.tally ?? calls
  const alarms = createDecoderAlarms({
    raised: ({ program, exchange, share, discriminator, example }) =>
      log.error(
        `${exchange} is called in ways that this release does not know: ${Math.round(share * 100)} % of its calls.`,
        { program, discriminator, example },
      ),
    ended: ({ program, exchange }) => log.info(`${exchange} has only known instructions again.`, { program }),
  })
  /** When the alarms were looked at last, by `elapsed`. */
  let lookedAt = clock.elapsed()
  const prices = createPrices()
  const counts = {
    blocks: 0,
    transactions: 0,
    failedTransactions: 0,
    decoderFaults: 0,
    sourceFaults: 0,
    publishFaults: 0,
  }
  const gapSlots = { upstream: 0, deploy: 0 }
  let sourceUp = false
  let latestBlock: number | null = null
  /** The newest place that an earlier process published and the bus still knows, until this one has published too. */
  let kept: CursorParts | undefined
  /** Cursor of the newest event that was published, by whichever process. */
  let newest: string | undefined
  let running: Promise<void> | undefined
  let metadata: Metadata | undefined

  const blocks = createBlockEvents({ decode, tally, unknown, counts, decodedCounts, rate, clock, log })

  /** The newest place that anything has which came in order of arrival. */
  let arrival = { slot: 0, transactionIndex: 0 }
  const arrive = (slot: number) => {
    arrival =
      slot > arrival.slot
        ? { slot, transactionIndex: 0 }
        : { slot: arrival.slot, transactionIndex: arrival.transactionIndex + 1 }
    return arrival
  }
  const arrivalCursor = (slot: number) => formatCursor({ run: LIVE_RUN, ...arrive(slot), eventIndex: 0 })

  const arrivedOf = (
    { slot, blockTime, arrived, endsSlot }: Arrivals,
    memory: Memory,
  ): readonly StreamEvent[] => {
    const batch: StreamEvent[] = []
    for (const { signature, decoded } of arrived) {
      counts.transactions++
      const place = { run: LIVE_RUN, slot, blockTime, transactionIndex: 0, signature, arrival: arrive(slot) }
      batch.push(...enrich(decoded, place, memory))
      learn(decoded, place, memory)
      decodedCounts.add(decoded)
    }
    rate.add(batch.length, clock.now())

    if (endsSlot) {
      const params = { block: slot, blockTime }
      batch.push({ kind: 'latestBlock', cursor: arrivalCursor(slot), unplaced: true, params })
    }
    return batch
  }

  /** It stands behind all that was published, also where the slots that it names lie further back. */
  const gapOf = ({ run, fromSlot, toSlot }: Gap): StreamEvent => {
    const own = formatCursor({ run, slot: toSlot, ...LAST_PLACE })
    const cursor = source.inOrderOfArrival
      ? arrivalCursor(toSlot)
      : newest === undefined || own > newest
        ? own
        : cursorBehind(newest)
    // Before the first block it is what happened while no process was there.
    const cause = kept ? 'deploy' : 'upstream'
    gapSlots[cause] += toSlot - fromSlot + 1
    return { kind: 'gap', cursor, params: { fromSlot, toSlot, cause, resume_from: null } }
  }

  /**
   * Joins the first block of this process to what an earlier one published. A live chain goes on behind that by itself;
   * of another run, which begins elsewhere, nobody has what the earlier process may still have published.
   */
  const joinTo = async (last: CursorParts, { run, slot }: Block<BlockTransaction>): Promise<void> => {
    if (run < last.run || (run === last.run && slot <= last.slot)) {
      log.warn(
        'The source is at an earlier slot than the stream: the stored events are removed and storing starts over.',
        {
          slot,
          publishedUpTo: last.slot,
        },
      )
      await bus.startAnew()
    } else if (run > last.run) {
      const fromSlot = last.slot + 1
      const toSlot = Math.max(fromSlot, slot - 1)
      const cursor = formatCursor({ run: last.run, slot: toSlot, ...LAST_PLACE })
      gapSlots.deploy += toSlot - fromSlot + 1
      await publish([
        { kind: 'gap', cursor, params: { fromSlot, toSlot, cause: 'deploy', resume_from: null } },
      ])
    }
  }

  /** A listener that throws is no fault of the source: the others have the batch, and the next one comes. */
  const publish = async (batch: readonly StreamEvent[], id?: string): Promise<void> => {
    newest = batch.at(-1)?.cursor ?? newest
    try {
      await bus.publish(batch, id)
    } catch (error) {
      publishFailed(error)
    }
  }

  const publishFailed = (error: unknown) => {
    counts.publishFaults++
    log.error('A listener of the bus failed on a block.', { error: String(error) })
  }

  const tell: MetadataParts['tell'] = (update) => {
    bus.sendControl(update).catch((error: unknown) => {
      log.warn('An update of a new pair could not be sent.', { error: String(error) })
    })
  }

  /** Notes a slot, or more of one, with so many events, which are counted and were published at `at`. */
  const noteSlot = (entry: Block<BlockTransaction> | Arrivals, at: number, events: number) => {
    latestBlock = 'arrived' in entry ? Math.max(entry.slot, latestBlock ?? 0) : entry.slot
    const byExchange = decodedCounts.takeBlock()
    if (clock.elapsed() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = clock.elapsed()
      alarms.look(calls.read())
    }
    if (!source.isRecording) lateness.came(entry.blockTime, at, events, byExchange)
  }

  const readSource = async (memory: Memory): Promise<void> => {
    const early = createEarlyEvents({ bus, clock, memory, failed: publishFailed })
    const keptSlot = kept?.run === LIVE_RUN ? kept.slot : undefined
    let haveLearned = async () => {}
    try {
      for await (const entry of source.blocks(abort.signal, keptSlot, decode, early)) {
        await haveLearned()
        if (abort.signal.aborted) break
        sourceUp = true
        if ('fromSlot' in entry) {
          await publish([gapOf(entry)])
          continue
        }
        if (kept && !('arrived' in entry)) await joinTo(kept, entry)
        kept = undefined
        if ('arrived' in entry) {
          const batch = arrivedOf(entry, memory)
          await publish(batch)
          if (entry.endsSlot) counts.blocks++
          noteSlot(entry, clock.now(), batch.length)
          continue
        }
        const made = await blocks.make(entry, memory)
        await publish(made.batch, entry.id)
        const publishedAt = clock.now()
        // The gateway of the same process writes before anything is counted.
        for (let turn = 0; turn < TURNS_OF_WRITING; turn++) await setImmediate()
        const lessons = blocks.count(made)
        counts.blocks++
        noteSlot(entry, publishedAt, made.batch.length)
        haveLearned = learnLater(lessons, memory, clock)
      }
    } finally {
      await haveLearned()
    }
  }

  const run = async () => {
    const tokens = await (parts.tokens ?? createTokenMemory(log))
    metadata = createMetadata({ ...parts.metadata, tokens, clock, tell })
    const memory = { prices, tokens, metadata }
    newest = await bus.newestCursor()
    kept = newest === undefined ? undefined : parseCursor(newest)
    let retryMs = FIRST_RETRY_MS
    while (!abort.signal.aborted) {
      const blocksBefore = counts.blocks
      try {
        await readSource(memory)
        sourceUp = false
        if (!abort.signal.aborted) log.info('The source has ended.')
        return
      } catch (error) {
        sourceUp = false
        counts.sourceFaults++
        if (counts.blocks > blocksBefore) retryMs = FIRST_RETRY_MS
        log.warn(`The source failed; ingest tries again in ${retryMs} ms.`, { error: String(error) })
        await clock.wait(retryMs, abort.signal)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    stop: async () => {
      abort.abort()
      await running
      await unknown?.settled()
      metadata?.stop()
      sourceUp = false
    },
    lookInto: (mint) => metadata?.sawQuestion(mint),
    stats: () => ({
      sourceUp: source.status?.().up ?? sourceUp,
      source: source.status?.(),
      solPrice: prices.read(),
      metadata: metadata?.stats(),
      gapSlots,
      ...lateness.read(sourceUp),
      latestBlock,
      ...counts,
      ...decodedCounts.read(),
      eventsPerSecond: rate.perSecond(clock.now()),
      programs: calls.read(),
      decoderAlarms: alarms.standing(),
    }),
  }
}
