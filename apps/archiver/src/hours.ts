import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Archive, type HourPaths, StorageAwayError } from '@pairwire/archive'
import { type Clock, type Log, messageOf } from '@pairwire/basics'
import { HOUR_FILES, Manifest, type SourceKind } from '@pairwire/contract'
import type { Engine } from './engine/engine.ts'
import { isWhole, readProof } from './engine/hour-proof.ts'
import { type HourEvent, type HourState, nextHourState } from './hour-states.ts'
import { spoolPaths } from './spool/hour-spool.ts'
import { hiddenPath, renameSafely } from './spool/safe-rename.ts'

export type HoursOptions = Readonly<{
  source: SourceKind
  archive: Pick<Archive, 'publish' | 'find'>
  engine: Pick<Engine, 'ask'>
  clock: Pick<Clock, 'after' | 'elapsed'>
  log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Whether the disk has room for the files of an hour. */
  hasRoom(): boolean
  /** Whether to replace a published hour in any case. */
  isForced?: boolean
  /** Called for an hour once it is published, by us or by another archiver. If it fails, publishing fails. */
  published?(standing: Manifest, paths: HourPaths, own: Manifest): Promise<void>
}>

/** Milliseconds before a failed step, or an unreachable storage, is tried again. */
const RETRY_MS = 30_000

/** Milliseconds before a full disk is checked again. */
const ROOM_RETRY_MS = 10_000

/** Failures after which an hour is left for the next start, so that later ones can continue. */
const MAX_FAILURES = 3

/** A finished hour, by the folder of its spool and later of its files. */
type Hour = {
  readonly folder: string
  readonly name: string
  state: HourState
  failures: number
  dueAt: number
}

/**
 * Makes finished hours into files, one at a time, and publishes them in order. Its state is in their folders, so that a
 * later process continues: spools until files exist, files until they are published.
 */
export class Hours {
  readonly #options: HoursOptions
  /** Oldest first. */
  readonly #hours: Hour[] = []
  readonly #working = new Map<'making' | 'publishing', Promise<void>>()
  #isStopped = false
  #failures = 0
  #isAway = false

  constructor(options: HoursOptions) {
    this.#options = options
  }

  /** Adds an hour whose spool is complete, or that an earlier process began; known hours are ignored. */
  add(folder: string): void {
    if (this.#hours.some((hour) => hour.folder === folder) || !existsSync(folder)) return
    // What an attempt left takes room that the next one waits for.
    rmSync(hiddenPath(filesFolder(folder)), { recursive: true, force: true })
    const name = basename(folder).replace(/^\d+-/, '')
    const state = existsSync(filesFolder(folder)) ? 'made' : nextHourState('running', 'passed')
    this.#hours.push({ folder, name, state, failures: readFailures(folder), dueAt: 0 })
    this.#goOn()
  }

  stats() {
    return {
      /** The hours that are not published, oldest first. */
      waiting: this.#hours.map(({ name }) => name),
      waitingUploads: this.#hours.filter(({ state }) => state === 'made' || state === 'publishing').length,
      stuck: this.#hours.filter(({ state }) => state === 'stuck').map(({ name }) => name),
      failures: this.#failures,
      isAway: this.#isAway,
    }
  }

  /** Resolves once no work is in progress; a running step fails as soon as the engine is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#working.values())
  }

  /** Resolves once nothing more can be done without waiting. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values())
  }

  #goOn(): void {
    this.#work('making', () => this.#hours.find((hour) => hour.state === 'ended' && this.#isDue(hour)))
    this.#work('publishing', () => {
      const first = this.#hours.find(({ state }) => state !== 'stuck')
      return first?.state === 'made' && this.#isDue(first) ? first : undefined
    })
  }

  #isDue({ dueAt }: Hour): boolean {
    return !this.#isStopped && this.#options.clock.elapsed() >= dueAt
  }

  #work(what: 'making' | 'publishing', next: () => Hour | undefined): void {
    if (this.#working.has(what)) return
    const run = async () => {
      for (let hour = next(); hour; hour = next()) await this.#take(hour, what)
    }
    const working = run().finally(() => this.#working.delete(what))
    this.#working.set(what, working)
  }

  async #take(hour: Hour, what: 'making' | 'publishing'): Promise<void> {
    if (!this.#options.hasRoom() && what === 'making') return this.#later(hour, ROOM_RETRY_MS)
    this.#step(hour, 'taken')
    try {
      const event = await (what === 'making' ? this.#make(hour) : this.#publish(hour))
      this.#step(hour, event)
      if (event === 'superseded' || what === 'publishing') await this.#forget(hour)
      if (what === 'publishing') this.#isAway = false
    } catch (error) {
      if (this.#isStopped) return
      await this.#failed(hour, what, error)
    }
    this.#goOn()
  }

  async #make({ folder, name }: Hour): Promise<HourEvent> {
    const { engine, log } = this.#options
    if (await this.#isSuperseded(folder, name)) return 'superseded'
    const made = filesFolder(folder)
    const unfinished = hiddenPath(made)
    await mkdir(unfinished)
    const manifest = await engine.ask('make', { spool: folder, files: pathsIn(unfinished) })
    await writeFile(join(unfinished, MANIFEST), JSON.stringify(manifest), { flush: true })
    await renameSafely(unfinished, made)
    await Promise.all(Object.values(spoolPaths(folder)).map((path) => rm(path)))
    const { swaps, pairs } = manifest.counts
    log.info('An hour of history was made.', { hour: name, complete: manifest.complete, swaps, pairs })
    return 'done'
  }

  /** Whether the archive has the hour already, and ours would not replace it. */
  async #isSuperseded(folder: string, name: string): Promise<boolean> {
    if (this.#options.isForced) return false
    const { archive, source } = this.#options
    // While the storage is away this is unknown; publishing will check again.
    const there = await archive.find(source, name).catch(() => undefined)
    return there !== undefined && (there.complete || !isWhole(await readProof(spoolPaths(folder).blocks)))
  }

  async #publish({ folder }: Hour): Promise<HourEvent> {
    const { archive, isForced, published } = this.#options
    const paths = pathsIn(filesFolder(folder))
    const own = Manifest.parse(JSON.parse(await readFile(join(filesFolder(folder), MANIFEST), 'utf8')))
    const standing = await archive.publish(paths, own, isForced)
    await published?.(standing, paths, own)
    return 'done'
  }

  async #forget(hour: Hour): Promise<void> {
    // A partial folder is not an hour.
    const gone = hiddenPath(hour.folder)
    await rename(hour.folder, gone)
    this.#hours.splice(this.#hours.indexOf(hour), 1)
    await rm(gone, { recursive: true, force: true })
  }

  async #failed(hour: Hour, what: 'making' | 'publishing', error: unknown): Promise<void> {
    const { log } = this.#options
    if (error instanceof StorageAwayError) {
      if (!this.#isAway)
        log.warn('The archive cannot be reached; finished hours wait.', { error: String(error.cause) })
      this.#isAway = true
      this.#step(hour, 'away')
      return this.#later(hour, RETRY_MS)
    }
    this.#failures++
    hour.failures++
    await rm(hiddenPath(filesFolder(hour.folder)), { recursive: true, force: true }).catch(() => undefined)
    await writeFile(join(hour.folder, FAILURES), String(hour.failures)).catch(() => undefined)
    const isLast = hour.failures >= MAX_FAILURES
    this.#step(hour, isLast ? 'failedForGood' : 'failed')
    const sentence = isLast
      ? 'An hour of history could not be archived; it waits for the next start.'
      : 'An hour of history failed; trying again.'
    log.error(sentence, { hour: hour.name, at: what, error: messageOf(error) })
    this.#later(hour, RETRY_MS)
  }

  #later(hour: Hour, waitMs: number): void {
    const { clock } = this.#options
    hour.dueAt = clock.elapsed() + waitMs
    clock.after(waitMs, () => this.#goOn())
  }

  #step(hour: Hour, event: HourEvent): void {
    hour.state = nextHourState(hour.state, event)
  }
}

/** A file beside the files of an hour. */
const MANIFEST = 'manifest.json'

/** A file beside the spool: how often the hour has failed. */
const FAILURES = 'failures'

const filesFolder = (folder: string) => join(folder, 'files')

const pathsIn = (folder: string) =>
  Object.fromEntries(HOUR_FILES.map((kind) => [kind, join(folder, kind)])) as HourPaths // one of each kind

function readFailures(folder: string): number {
  try {
    return Number(readFileSync(join(folder, FAILURES), 'utf8')) || 0
  } catch {
    return 0
  }
}
