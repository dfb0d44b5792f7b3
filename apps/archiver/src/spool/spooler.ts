import { existsSync } from 'node:fs'
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

type SpoolerOptions = Readonly<{
  /** A folder for this spooler and its source alone. */
  folder: string
  source: SourceKind
  made: Manifest['made']
  /** Called with the folder of each hour whose spool is complete, oldest first. */
  ended(folder: string): void
}>

/** Hours in which a chain may have stood still; a longer jump is another chain. */
const MAX_STILL_HOURS = 48

/** Digits of the number at the front of an hour's folder name, so that names sort by age. */
const NUMBER_DIGITS = 9

/**
 * Splits a stream into hours by block time, each spooled in its own folder:
 *
 *     000000041-20261123-120000/   ended
 *     000000042-20261123-130000/   runs
 *
 * An hour ends before the first block that reaches a later one, so a slot is never split. A block whose time steps back
 * stays in the current hour, unless the source starts over.
 */
export class Spooler {
  readonly #options: SpoolerOptions
  #spool: HourSpool | undefined
  #number = 0
  /** The slot being added. */
  #slot = ''

  constructor(options: SpoolerOptions) {
    this.#options = options
  }

  /** Restores the state that an earlier process, or a failed write, left on disk. */
  async open(): Promise<void> {
    const { folder, ended } = this.#options
    await this.drop()
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
    const path = join(folder, last)
    // Files were made of an hour that `end` ended.
    if (existsSync(join(path, 'files'))) return ended(path)
    this.#spool = await HourSpool.reopen(path)
  }

  /** The cursor up to which everything is spooled; undefined before the first hour. */
  get cursor(): string | undefined {
    return this.#spool?.cursor
  }

  /** The current hour; undefined before the first. */
  get hour(): string | undefined {
    return this.#spool?.begin.hour
  }

  /** Adds the next events; known ones are ignored. Once it rejects, call `open` again. */
  async append(events: readonly StreamEvent[]): Promise<void> {
    for (const event of events) {
      if (event.cursor <= (this.cursor ?? '')) continue
      const hour = this.#reachedHour(event)
      if (hour !== undefined) await this.#begin(hour, event.cursor)
      // Events before the very first block belong to no hour.
      this.#spool?.add(event)
    }
    await this.#spool?.flush()
  }

  /** Syncs added events to disk. */
  async sync(): Promise<void> {
    await this.#spool?.sync()
  }

  /** Ends the current hour, whatever its time. The next one is not joined to it. */
  async end(): Promise<void> {
    if (this.#spool) await this.#finish(this.#spool)
    await this.drop()
  }

  async close(): Promise<void> {
    try {
      await this.#spool?.flush()
      await this.#spool?.sync()
    } finally {
      await this.drop()
    }
  }

  /** Closes the files of a failed write without another one. */
  async drop(): Promise<void> {
    await this.#spool?.close().catch(() => undefined)
    this.#spool = undefined
    this.#slot = ''
  }

  /** The start of the hour that begins with this event, in Unix milliseconds; undefined if none does. */
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

  /** Ends the current hour and begins the next with the event of `cursor`. The new folder exists before the old is closed. */
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
    // A chain that stood still continues without a gap: no block is missing.
    const hours = (hour - running) / HOUR_MS
    const isStill = this.#options.source === 'chain' && before.gaps.length === 0 && hours <= MAX_STILL_HOURS
    for (let at = isStill ? running + HOUR_MS : hour; at <= hour; at += HOUR_MS) {
      const isJoined = isSeen && isSameRun && (isStill || hours === 1)
      const ended = this.#spool!
      this.#spool = await this.#create(at, { cursor: before.cursor, isJoined, blockhash }, before.gaps)
      await this.#finish(ended)
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
    await spool.seal().finally(() => spool.close())
    this.#options.ended(spool.folder)
  }
}

/** The run of a cursor: its first nine characters. */
const runOf = (cursor: string): string => cursor.slice(0, 9)
