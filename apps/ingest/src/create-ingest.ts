import { setImmediate } from 'node:timers/promises'
import type { Clock, Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import {
  type CursorParts,
  cursorBehind,
  formatCursor,
  type GapEvent,
  LAST_PLACE,
  parseCursor,
  type StreamEvent,
} from '@pairwire/contract'
import { decodeTransaction } from '@pairwire/decoders'
import { ArrivalEvents } from './arrival-events.ts'
import { createBlockEvents } from './block-events.ts'
import { createEarlyEvents } from './early-events.ts'
import { learnLater, type Memory } from './enrich/enrich.ts'
import { createPrices } from './enrich/prices.ts'
import { IngestFigures } from './ingest-figures.ts'
import { Metadata, type MetadataParts } from './metadata/metadata.ts'
import type { BlockTransaction, Decode } from './slot-keeper/block-transaction.ts'
import { type Arrivals, type Block, type Gap, LIVE_RUN, type Source } from './sources/source.ts'
import { createTokenMemory, type TokenMemory } from './tokens/token-memory.ts'
import { createUnknownRecords } from './unknown-records.ts'

/** What {@link createIngest} needs. */
export type IngestParts = Readonly<{
  source: Source
  bus: Pick<Bus, 'publish' | 'newestCursor' | 'startOver' | 'sendControl' | 'publishEarly' | 'wantsEarly'>
  clock: Clock
  log: Log
  /** The memory of tokens; blocks wait while it opens. Without it, tokens are remembered until the process ends. */
  tokens?: TokenMemory | Promise<TokenMemory>
  /** Folder for transactions with calls that no decoder knows; undefined to keep none. */
  unknownFolder?: string
  /** Endpoints for token names and pages; without them, what transactions do not contain stays unknown. */
  metadata?: Pick<MetadataParts, 'rpc' | 'fetchPage' | 'own'>
  /** Replaced in tests that need a failing decoder. */
  decode?: Decode
}>

/** Most turns of the loop that a gateway needs for a full block; they pass at once when it has nothing to write. */
const TURNS_OF_WRITING = 4

/** Milliseconds before a broken source is retried: doubled each time up to the maximum. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000

/** Creates an ingest, which reads nothing before it is started. */
export function createIngest(parts: IngestParts): Ingest {
  return new Ingest(parts)
}

/**
 * The first part of the pipeline: reads the source, decodes and enriches each block and publishes it as one batch,
 * until it is stopped.
 */
export class Ingest {
  readonly #parts: IngestParts
  readonly #decode: Decode
  readonly #abort = new AbortController()
  readonly #prices = createPrices()
  readonly #figures: IngestFigures
  readonly #unknown: ReturnType<typeof createUnknownRecords> | undefined
  readonly #blocks: ReturnType<typeof createBlockEvents>
  readonly #arrivals: ArrivalEvents
  #metadata: Metadata | undefined
  #running: Promise<void> | undefined
  #sourceUp = false
  /** The newest cursor of an earlier process that the bus still knows, until this one has published too. */
  #kept: CursorParts | undefined
  /** Cursor of the newest event published by any process. */
  #newest: string | undefined

  constructor(parts: IngestParts) {
    const { source, clock, log, unknownFolder: folder, decode = decodeTransaction } = parts
    const figures = new IngestFigures(source, clock, log)
    this.#parts = parts
    this.#decode = decode
    this.#figures = figures
    this.#unknown = folder ? createUnknownRecords({ folder, clock, log }) : undefined
    this.#blocks = createBlockEvents({ decode, unknown: this.#unknown, figures, clock, log })
    this.#arrivals = new ArrivalEvents(figures)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves once the current block is published and the source is closed. */
  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#running
    await this.#unknown?.settled()
    this.#metadata?.stop()
    this.#sourceUp = false
  }

  /** Looks up a token of which little is known. */
  lookInto(mint: string): void {
    this.#metadata?.sawQuestion(mint)
  }

  /** Counts since the start, and the current state. */
  stats() {
    const source = this.#parts.source.status?.()
    return {
      /** Whether blocks are arriving; also false once a recording has ended. */
      sourceUp: source?.up ?? this.#sourceUp,
      /** The state of a live chain's source; undefined for any other. */
      source,
      solPrice: this.#prices.read(),
      /** Undefined before the source is read. */
      metadata: this.#metadata?.stats(),
      ...this.#figures.read(this.#sourceUp),
    }
  }

  async #run(): Promise<void> {
    const { bus, clock, log } = this.#parts
    const tokens = await (this.#parts.tokens ?? createTokenMemory(log))
    const metadata = new Metadata({ ...this.#parts.metadata, tokens, clock, tell: this.#tell })
    this.#metadata = metadata
    this.#newest = await bus.newestCursor()
    this.#kept = this.#newest === undefined ? undefined : parseCursor(this.#newest)
    this.#arrivals.newest = this.#kept ?? this.#arrivals.newest
    const { counts } = this.#figures
    const { signal } = this.#abort
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const blocksBefore = counts.blocks
      try {
        await this.#readSource({ prices: this.#prices, tokens, metadata })
        this.#sourceUp = false
        if (!signal.aborted) log.info('The source has ended.')
        return
      } catch (error) {
        this.#sourceUp = false
        counts.sourceFaults++
        if (counts.blocks > blocksBefore) retryMs = FIRST_RETRY_MS
        log.warn(`The source failed; ingest tries again in ${retryMs} ms.`, { error: String(error) })
        await clock.wait(retryMs, signal)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  async #readSource(memory: Memory): Promise<void> {
    const { source, bus, clock } = this.#parts
    const { signal } = this.#abort
    const early = createEarlyEvents({ bus, clock, memory, failed: this.#publishFailed })
    const keptSlot = this.#kept?.run === LIVE_RUN ? this.#kept.slot : undefined
    let haveLearned = async () => {}
    try {
      for await (const entry of source.blocks(signal, keptSlot, this.#decode, early)) {
        await haveLearned()
        if (signal.aborted) break
        this.#sourceUp = true
        if ('fromSlot' in entry) await this.#publish([this.#gapOf(entry)])
        else if ('arrived' in entry) await this.#publishArrivals(entry, memory)
        else haveLearned = await this.#publishBlock(entry, memory)
      }
    } finally {
      await haveLearned()
    }
  }

  async #publishArrivals(entry: Arrivals, memory: Memory): Promise<void> {
    this.#kept = undefined
    const batch = this.#arrivals.make(entry, memory)
    await this.#publish(batch)
    if (entry.endsSlot) this.#figures.counts.blocks++
    this.#figures.cameSlot(entry, this.#parts.clock.now(), batch.length)
  }

  /** @returns a function that learns from the block what the next one needs to know */
  async #publishBlock(block: Block<BlockTransaction>, memory: Memory): Promise<() => Promise<void>> {
    const { clock } = this.#parts
    if (this.#kept) await this.#joinTo(this.#kept, block)
    this.#kept = undefined
    const made = await this.#blocks.make(block, memory)
    await this.#publish(made.batch, block.id)
    const publishedAt = clock.now()
    // The gateway of the same process writes before anything is counted.
    for (let turn = 0; turn < TURNS_OF_WRITING; turn++) await setImmediate()
    const lessons = this.#blocks.count(made)
    this.#figures.counts.blocks++
    this.#figures.cameSlot(block, publishedAt, made.batch.length)
    return learnLater(lessons, memory, clock)
  }

  /**
   * Joins the first block of this process to what an earlier one published. A live chain continues there by itself; of
   * another run, which begins elsewhere, the last events of the earlier process are unknown.
   */
  async #joinTo(last: CursorParts, { run, slot }: Block<BlockTransaction>): Promise<void> {
    if (run < last.run || (run === last.run && slot <= last.slot)) {
      this.#parts.log.warn(
        'The source is at an earlier slot than the stream: the stored events are removed and storing starts over.',
        { slot, publishedUpTo: last.slot },
      )
      await this.#parts.bus.startOver()
    } else if (run > last.run) {
      const fromSlot = last.slot + 1
      const toSlot = Math.max(fromSlot, slot - 1)
      const cursor = formatCursor({ run: last.run, slot: toSlot, ...LAST_PLACE })
      // Not counted: only recordings and the simulator have runs, and nobody missed slots of a chain.
      const params = { fromSlot, toSlot, cause: 'deploy', resume_from: null } as const
      await this.#publish([{ kind: 'gap', cursor, params }])
    }
  }

  /** Makes a gap with a cursor after everything published, even if the slots that it names are older. */
  #gapOf({ run, fromSlot, toSlot }: Gap): GapEvent {
    const own = formatCursor({ run, slot: toSlot, ...LAST_PLACE })
    const isBehind = this.#newest === undefined || own > this.#newest
    const cursor = this.#parts.source.inOrderOfArrival
      ? this.#arrivals.cursor(toSlot)
      : isBehind
        ? own
        : cursorBehind(this.#newest!)
    // Before the first block, it covers what happened while no process was running.
    const cause = this.#kept ? 'deploy' : 'upstream'
    this.#figures.gapSlots[cause] += toSlot - fromSlot + 1
    this.#figures.gapAt = this.#parts.clock.now()
    return { kind: 'gap', cursor, params: { fromSlot, toSlot, cause, resume_from: null } }
  }

  /** A failing listener is not the source's fault: the others get the batch, and the next one follows. */
  async #publish(batch: readonly StreamEvent[], id?: string): Promise<void> {
    this.#newest = batch.at(-1)?.cursor ?? this.#newest
    try {
      await this.#parts.bus.publish(batch, id)
    } catch (error) {
      this.#publishFailed(error)
    }
  }

  readonly #publishFailed = (error: unknown): void => {
    this.#figures.counts.publishFaults++
    this.#parts.log.error('A listener of the bus failed on a block.', { error: String(error) })
  }

  readonly #tell: MetadataParts['tell'] = (update) => {
    this.#parts.bus.sendControl(update).catch((error: unknown) => {
      this.#parts.log.warn('An update of a new pair could not be sent.', { error: String(error) })
    })
  }
}
