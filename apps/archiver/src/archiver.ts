import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Archive } from '@pairwire/archive'
import { type Clock, type Log, type Looking, lookAgain, messageOf, systemClock } from '@pairwire/basics'
import { type Bus, CursorTooOldError, gapBetween } from '@pairwire/bus'
import {
  ARCHIVE_ASKS,
  type ArchiveState,
  formatCursor,
  HOUR_MS,
  hourStart,
  LAST_PLACE,
  PageAsk,
  parseCursor,
  type SourceKind,
  type StreamEvent,
  TryAsk,
  timeText,
} from '@pairwire/contract'
import { createEngine, type Engine } from './engine/engine.ts'
import { Hours, type HoursOptions } from './hours.ts'
import { HourPages } from './reading/hour-pages.ts'
import { LocalFiles } from './reading/local-files.ts'
import { tryHour } from './reading/try-hour.ts'
import { Spooler } from './spool/spooler.ts'

export type ArchiverOptions = Readonly<{
  bus: Pick<Bus, 'replay' | 'oldestCursor' | 'newestCursor' | 'answer'>
  archive: Pick<Archive, 'publish' | 'find' | 'list' | 'findSample' | 'open' | 'localPath'>
  source: SourceKind
  /** A folder for the archiver alone, shared by all sources. */
  folder: string
  clock: Clock
  log: Log
  /** Bytes free on the disk of the folder; undefined if unknown. */
  freeBytes(): number | undefined
  engine?: Engine
}> &
  Pick<HoursOptions, 'published'>

/** Creates an archiver from the settings; call `start` to begin. */
export function openArchiver(
  { dataFolder, sourceKind: source }: Readonly<{ dataFolder: string; sourceKind: SourceKind }>,
  parts: Pick<ArchiverOptions, 'bus' | 'archive' | 'log' | 'freeBytes'>,
): Archiver {
  return new Archiver({ ...parts, source, folder: join(dataFolder, 'archiver'), clock: systemClock })
}

/** Milliseconds between two pulls from the bus. */
const PULL_EVERY_MS = 2_000

/** Milliseconds before a disk that refused a write is tried again. */
const DISK_RETRY_MS = 10_000

/** Free bytes below which nothing is spooled or made: the rest is left for parts that need it more. */
const LEAST_FREE_BYTES = 1024 ** 3

/** Seconds per slot, for estimating the lag. */
const SLOT_SECONDS = 0.4

/** Seconds of lag, and waiting hours, beyond which the archiver counts as down. */
const MAX_LAG_SECONDS = 7_200
const MAX_WAITING_HOURS = 2

/** Slots that a restarted source may repeat; a stream that ends earlier than that is another stream. */
const MAX_SLOTS_LOST = 1_000

const NOT_ANSWERED = 'A request to the archive failed.'
const NOT_KEPT = 'The files of an hour are published, but could not be cached on this disk.'

/** Milliseconds for which the sample hour is cached. */
const SAMPLE_MS = 30_000

/**
 * Follows the bus and archives its hours. It pulls, so it is on no event's path, and continues where its spool ends:
 *
 * pull --> spool of the hour that runs -- ended --> files -- made --> published
 */
export class Archiver {
  readonly #options: ArchiverOptions
  readonly #spooler: Spooler
  readonly #hours: Hours
  readonly #engine: Engine
  readonly #pages: HourPages
  readonly #files: LocalFiles
  readonly #looking: Looking
  #looked = Promise.resolve(PULL_EVERY_MS)
  #stopAnswering = () => {}
  #isStopped = false
  #isOpen = false
  #newest: string | undefined
  /** Why spooling is paused; undefined while it runs. */
  #trouble: string | undefined
  /** The error of the last request that failed. */
  #lastFault = ''
  #sample: Readonly<{ at: number; hour: Promise<string | null> }> | undefined

  constructor(options: ArchiverOptions) {
    const { source, folder, clock, engine = createEngine(clock) } = options
    this.#options = options
    this.#engine = engine
    this.#files = new LocalFiles(options.archive, join(folder, 'kept'))
    this.#pages = new HourPages({ archive: options.archive, engine, files: this.#files })
    this.#hours = new Hours({
      ...{ ...options, engine, hasRoom: () => this.#hasRoom() },
      published: async (standing, paths, own) => {
        this.#sample = undefined
        // Files that are not cached here are downloaded on request.
        const warn = (error: unknown) => options.log.warn(NOT_KEPT, { error: messageOf(error) })
        await this.#files.keep(own, paths).catch(warn)
        await options.published?.(standing, paths, own)
      },
    })
    this.#spooler = new Spooler({
      folder: join(folder, source),
      ...{ source, made: 'stream', ended: (spool) => this.#hours.add(spool) },
    })
    this.#looking = lookAgain(clock, () => {
      this.#looked = this.#look()
      return this.#looked
    })
  }

  start(): void {
    const { bus, archive } = this.#options
    const parts = { archive, engine: this.#engine, files: this.#files }
    const answering = [
      bus.answer(ARCHIVE_ASKS.state, () => this.state()),
      this.#answer(ARCHIVE_ASKS.page, (body) => this.#pages.page(PageAsk.parse(body))),
      this.#answer(ARCHIVE_ASKS.try, (body) => tryHour(TryAsk.parse(body), parts)),
    ]
    this.#stopAnswering = () => {
      for (const stop of answering) stop()
    }
    void this.#looking.start()
  }

  /** Answers over the bus. Callers learn only that a request failed; the reason is logged, once while it stays the same. */
  #answer(subject: string, handler: (body: unknown) => Promise<unknown>) {
    return this.#options.bus.answer(subject, async (body) => {
      try {
        return await handler(body)
      } catch (error) {
        const reason = messageOf(error)
        if (reason !== this.#lastFault) this.#options.log.warn(NOT_ANSWERED, { subject, error: reason })
        this.#lastFault = reason
        throw error
      }
    })
  }

  /** Resolves once everything pulled is on disk and no work is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopAnswering()
    await this.#pages.close()
    const ended = Promise.all([this.#hours.stop(), this.#looking.stop()]) // before their engine closes
    this.#engine.close()
    await ended
    await (this.#isOpen ? this.#spooler.close() : this.#spooler.drop())
  }

  /** Resolves once it has read all events of the bus and done all that can be done with them now. */
  async settled(): Promise<void> {
    await this.#looked
    await this.#hours.settled()
  }

  /** Whether it keeps up: false if it is two hours behind, paused or stuck. */
  isUp(): boolean {
    return this.#troubleNow() === null
  }

  /** Figures for metrics. */
  figures(): Pick<ArchiveState, 'lagSeconds' | 'waitingUploads' | 'failures'> {
    const { waitingUploads, failures } = this.#hours.stats()
    return { lagSeconds: this.#lagSeconds(), waitingUploads, failures }
  }

  async state(): Promise<ArchiveState> {
    const first = this.#firstUnwritten()
    return {
      ...{ source: this.#options.source, up: this.isUp(), trouble: this.#troubleNow() },
      completeTo: first === undefined ? null : timeText(first),
      ...{ sample: await this.#findSample(), ...this.figures() },
    }
  }

  async #look(): Promise<number> {
    const { log } = this.#options
    try {
      // On a full disk too: hours that wait there are published, and take no more room.
      await onDisk(async () => {
        if (!this.#isOpen) await this.#spooler.open()
        this.#isOpen = true
      })
      if (!this.#hasRoom()) throw new SpoolError('less than 1 GiB is free')
      await this.#pull()
      if (this.#trouble) log.info('Archiving has resumed.')
      this.#trouble = undefined
      return PULL_EVERY_MS
    } catch (error) {
      return this.#pause(error)
    }
  }

  #pause(error: unknown): number {
    const isDisk = error instanceof SpoolError
    const trouble = isDisk
      ? `DATA_DIR: nothing is archived, because ${error.message}.`
      : `The archive cannot read the stream: ${messageOf(error)}`
    if (this.#trouble === undefined) this.#options.log.warn(trouble)
    this.#trouble = trouble
    // Find out again how much of the spool is complete.
    if (isDisk) this.#isOpen = false
    return isDisk ? DISK_RETRY_MS : PULL_EVERY_MS
  }

  /** Spools all events that the bus has now. */
  async #pull(): Promise<void> {
    const { bus } = this.#options
    const newest = await bus.newestCursor()
    if (newest === undefined) return
    this.#newest = newest
    await this.#leaveOtherStream(newest)
    try {
      // A first start begins after the oldest block, which may be incomplete.
      const from = this.#spooler.cursor ?? endOfBlock((await bus.oldestCursor()) ?? '')
      if (from === '') return
      for await (const events of bus.replay(from)) {
        await this.#spool(events)
        if (this.#isStopped || !this.#hasRoom()) break
        await nextTurn()
      }
    } catch (error) {
      if (!(error instanceof CursorTooOldError)) throw error
      await this.#passOver(error.oldest ?? (await bus.oldestCursor()))
    }
    await onDisk(() => this.#spooler.sync())
  }

  async #spool(events: readonly StreamEvent[]): Promise<void> {
    if (events.some((event) => 'unplaced' in event)) {
      throw new Error('program logs have no position in the chain, so none of them are archived.')
    }
    await onDisk(() => this.#spooler.append(events))
  }

  /** Ends the current hour if the stream ends far before the spooled events: then it is another stream. */
  async #leaveOtherStream(newest: string): Promise<void> {
    const [own, other] = [parseCursor(this.#spooler.cursor ?? ''), parseCursor(newest)]
    if (!own || !other || own.run < other.run) return
    if (own.run === other.run && own.slot - other.slot <= MAX_SLOTS_LOST) return
    this.#options.log.warn('The stream has restarted; the current hour ends here.')
    // What the rest of the hour held is unknown, from the next slot on.
    const next = formatCursor({ ...own, slot: own.slot + 1, ...LAST_PLACE })
    await this.#spool([gapBetween(formatCursor(own), next)])
    await onDisk(() => this.#spooler.end())
  }

  /** Records a gap up to the oldest block of the bus, which has dropped the next events. */
  async #passOver(oldest: string | undefined): Promise<void> {
    const cursor = this.#spooler.cursor
    if (oldest === undefined || cursor === undefined) return
    this.#options.log.warn('The stream no longer has the next events; the archive has a gap.', {
      cursor,
      oldest,
    })
    await this.#spool([gapBetween(cursor, endOfBlock(oldest))])
  }

  #hasRoom(): boolean {
    return (this.#options.freeBytes() ?? Number.POSITIVE_INFINITY) >= LEAST_FREE_BYTES
  }

  #lagSeconds(): number {
    const [own, newest] = [parseCursor(this.#spooler.cursor ?? ''), parseCursor(this.#newest ?? '')]
    return own && newest && own.run === newest.run ? Math.max(0, newest.slot - own.slot) * SLOT_SECONDS : 0
  }

  /** The start of the first hour that is not written, in Unix milliseconds. */
  #firstUnwritten(): number | undefined {
    const [first = this.#spooler.hour] = this.#hours.stats().waiting
    return first === undefined ? undefined : hourStart(first)
  }

  #troubleNow(): string | null {
    const { stuck, isAway } = this.#hours.stats()
    if (this.#trouble) return this.#trouble
    if (stuck.length > 0) return `These hours could not be kept: ${stuck.join(', ')}.`
    const running = hourStart(this.#spooler.hour ?? '') ?? 0
    const waitingHours = (running - (this.#firstUnwritten() ?? running)) / HOUR_MS
    const isBehind = waitingHours > MAX_WAITING_HOURS || this.#lagSeconds() > MAX_LAG_SECONDS
    if (!isBehind) return null
    return isAway
      ? 'ARCHIVE_URL: the archive cannot be reached; finished hours wait.'
      : 'The archive is hours behind.'
  }

  #findSample(): Promise<string | null> {
    const { archive, source, clock } = this.#options
    if (!this.#sample || clock.elapsed() - this.#sample.at > SAMPLE_MS) {
      const hour = archive.findSample(source).then(
        (manifest) => manifest?.hour ?? null,
        () => null,
      )
      this.#sample = { at: clock.elapsed(), hour }
    }
    return this.#sample.hour
  }
}

/** The disk refused a write, or its content cannot be read. */
class SpoolError extends Error {}

async function onDisk(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new SpoolError(messageOf(error))
  }
}

function endOfBlock(cursor: string): string {
  const place = parseCursor(cursor)
  return place ? formatCursor({ ...place, ...LAST_PLACE }) : cursor
}
