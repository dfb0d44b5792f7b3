import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cursorBefore,
  HOUR_MS,
  hourName,
  hourStart,
  type Manifest,
  type SourceKind,
  type StreamEvent,
  slotOf,
} from '@pairwire/contract'
import { HourSpool } from './hour-spool.ts'
import type { SpoolBegin, SpoolGap } from './spool-line.ts'

/** What {@link Spooler} needs. */
type SpoolerOptions = Readonly<{
  /** A folder of its own; of each source one. */
  folder: string
  source: SourceKind
  made: Manifest['made']
  /** Told of the folder of each hour whose spool is whole, oldest first. */
  ended(folder: string): void
}>

/** Hours in which a chain may have stood still; more is another chain. */
const MAX_STILL_HOURS = 48

/** Digits of the number that the folder of an hour begins with, so that they sort by age. */
const NUMBER_DIGITS = 9

/** Characters of a cursor that name its run. */
const RUN_LENGTH = 9

/**
 * Cuts a stream into hours by block time, each spooled in a folder of its own:
 *
 *     000000041-20261123-120000/   ended
 *     000000042-20261123-130000/   runs
 *
 * An hour ends before the first block that reaches a later one, so that a slot is never split. A block whose time steps back
 * stays in the hour that runs, unless the source begins again.
 */
export class Spooler {
  readonly #options: SpoolerOptions
  #spool: HourSpool | undefined
  #number = 0
  /** The slot that is being added. */
  #slot = ''

  constructor(options: SpoolerOptions) {
    this.#options = options
  }

  /** Takes up what an earlier process left, or what is there after a write that failed. */
  async open(): Promise<void> {
    const { folder, ended } = this.#options
    await this.#spool?.close().catch(() => undefined)
    this.#spool = undefined
    this.#slot = ''
    await mkdir(folder, { recursive: true })
    const names = (await readdir(folder)).sort()
    for (const name of names.filter((each) => each.startsWith('.'))) {
      await rm(join(folder, name), { recursive: true, force: true })
    }
    const hours = names.filter((name) => /^\d+-/.test(name))
    const last = hours.pop()
    for (const name of hours) ended(join(folder, name))
    if (last === undefined) return
    this.#number = Number.parseInt(last, 10)
    this.#spool = await HourSpool.reopen(join(folder, last))
  }

  /** Up to where everything is spooled; undefined before the first hour. */
  get cursor(): string | undefined {
    return this.#spool?.cursor
  }

  /** The hour that runs; undefined before the first. */
  get hour(): string | undefined {
    return this.#spool?.begin.hour
  }

  /** Adds what comes next; events that it has are passed over. Once it rejects, it has to be opened anew. */
  async append(events: readonly StreamEvent[]): Promise<void> {
    for (const event of events) {
      const last = this.cursor
      if (last !== undefined && event.cursor <= last) continue
      const hour = this.#reachedHour(event)
      if (hour !== undefined) await this.#begin(hour, event.cursor)
      // What comes before the first block of all belongs to no hour.
      this.#spool?.add(event)
    }
    await this.#spool?.flush()
  }

  /** Sends what was added through to the disk. */
  async sync(): Promise<void> {
    await this.#spool?.sync()
  }

  /** Ends the hour that runs, whatever its time. What comes next is not joined to it. */
  async end(): Promise<void> {
    if (this.#spool) await this.#finish(this.#spool)
    this.#spool = undefined
    this.#slot = ''
  }

  async close(): Promise<void> {
    await this.#spool?.flush()
    await this.#spool?.sync()
    await this.#spool?.close()
    this.#spool = undefined
  }

  /** The start of the hour that begins with this event, Unix milliseconds; undefined where none does. */
  #reachedHour(event: StreamEvent): number | undefined {
    if (event.kind === 'gap' || slotOf(event.cursor) === this.#slot) return undefined
    this.#slot = slotOf(event.cursor)
    const { blockTime } = event.params
    const hour = blockTime * 1000 - ((blockTime * 1000) % HOUR_MS)
    const spool = this.#spool
    if (!spool) return hour
    const running = hourStart(spool.begin.hour)!
    const isNewRun = runOf(event.cursor) !== runOf(spool.cursor)
    const stepsBack = spool.lastBlock !== undefined && blockTime < spool.lastBlock.blockTime
    return hour > running || (isNewRun && (stepsBack || hour !== running)) ? hour : undefined
  }

  /** Ends the hour that runs, and begins another one with the event of `cursor`. The new one is there before the old one goes. */
  async #begin(hour: number, cursor: string): Promise<void> {
    const before = this.#spool
    if (!before) {
      this.#spool = await this.#create(hour, { cursor: cursorBefore(cursor), isJoined: false })
      return
    }
    await before.seal()
    const running = hourStart(before.begin.hour)!
    const { blockhash } = before.lastBlock ?? before.begin
    const isSeen = before.lastBlock !== undefined || before.begin.isJoined
    const isSameRun = runOf(cursor) === runOf(before.cursor)
    // A chain goes on without a gap: no block is missing where it stood still.
    const hours = (hour - running) / HOUR_MS
    const isStill = this.#options.source === 'chain' && before.gaps.length === 0 && hours <= MAX_STILL_HOURS
    for (let at = isStill ? running + HOUR_MS : hour; at <= hour; at += HOUR_MS) {
      const isJoined = isSeen && isSameRun && (isStill || hours === 1)
      const begun = await this.#create(at, { cursor: before.cursor, isJoined, blockhash }, before.gaps)
      await this.#finish(this.#spool!)
      this.#spool = begun
    }
  }

  async #create(
    at: number,
    place: Pick<SpoolBegin, 'cursor' | 'isJoined' | 'blockhash'>,
    gaps: readonly SpoolGap[] = [],
  ): Promise<HourSpool> {
    const { folder, source, made } = this.#options
    const hour = hourName(at)
    const name = `${String(++this.#number).padStart(NUMBER_DIGITS, '0')}-${hour}`
    return HourSpool.create(join(folder, name), { kind: 'begin', hour, source, made, ...place }, gaps)
  }

  async #finish(spool: HourSpool): Promise<void> {
    await spool.seal()
    await spool.close()
    this.#options.ended(spool.folder)
  }
}

function runOf(cursor: string): string {
  return cursor.slice(0, RUN_LENGTH)
}
