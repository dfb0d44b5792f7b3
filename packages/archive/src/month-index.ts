import type { Clock } from '@pairwire/basics'
import { hourStart, Manifest, type SourceKind } from '@pairwire/contract'
import * as z from 'zod'
import { monthFolder } from './hour-names.ts'
import type { Storage, StoredObject } from './storage.ts'

/** Milliseconds for which a month is trusted after it was compared with its listing. */
const FRESH_MS = 60_000

/** Manifests that are missing from the index and read at the same time. */
const READS_AT_ONCE = 8

/** An hour in the index, with the version of the manifest object that it was read from. */
const Entry = z.object({ version: z.string(), manifest: Manifest })
type Entry = z.infer<typeof Entry>

type Month = {
  comparedAt: number
  /** By hour, in order. */
  entries: ReadonlyMap<string, Entry>
  manifests: readonly Manifest[]
  /** The version of `hours.json` that matches `entries`; undefined until one was seen. */
  indexVersion: string | undefined
  comparing: Promise<void> | undefined
}

/**
 * The manifests of a month, cached in memory and in the month's `hours.json`. Both are compared with a listing of the month
 * once a minute and read again where they differ, since two writers may overwrite each other's index.
 */
export class MonthIndex {
  readonly #storage: Storage
  readonly #clock: Pick<Clock, 'now'>
  readonly #months = new Map<string, Month>()
  readonly #folders = new Map<string, { at: number; names: readonly string[] }>()

  constructor(storage: Storage, clock: Pick<Clock, 'now'>) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Folders of a source's months, oldest first. */
  async months(source: SourceKind): Promise<readonly string[]> {
    const known = this.#folders.get(source)
    // An empty list is not cached, so that the very first hour shows at once.
    if (known && known.names.length > 0 && this.#isFresh(known.at)) return known.names
    const names = (await this.#storage.folders(source)).filter((name) => /^\d{4}-\d\d$/.test(name))
    const found = { at: this.#clock.now(), names: names.map((name) => `${source}/${name}`) }
    this.#folders.set(source, found)
    return found.names
  }

  /** Manifests of a month, oldest first, at most a minute old; a month without any is compared at each call. */
  async manifests(folder: string): Promise<readonly Manifest[]> {
    const month = this.#month(folder)
    if (month.entries.size === 0 || !this.#isFresh(month.comparedAt))
      await (month.comparing ?? this.compare(folder))
    return month.manifests
  }

  /** Compares a month with its listing. Calls during a comparison wait for one that starts after it. */
  compare(folder: string): Promise<void> {
    const month = this.#month(folder)
    const comparing = (month.comparing ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#compare(folder, month))
      .finally(() => {
        if (month.comparing === comparing) month.comparing = undefined
      })
    month.comparing = comparing
    return comparing
  }

  async #compare(folder: string, month: Month): Promise<void> {
    const now = this.#clock.now()
    const listed: StoredObject[] = []
    for await (const object of this.#storage.list(folder)) {
      if (object.name.endsWith('.json')) listed.push(object)
    }
    const index = listed.find(({ name }) => name === indexObject(folder))
    const isIndexNew = !index || index.version !== month.indexVersion
    const kept = isIndexNew && index ? await this.#readIndex(folder) : undefined

    const entries = await this.#entriesOf(folder, listed, [month.entries, kept ?? new Map()])
    const isChanged = !isSame(entries, month.entries)
    if (isChanged) month.manifests = [...entries.values()].map(({ manifest }) => manifest)
    Object.assign(month, { entries, comparedAt: now })
    if (isChanged || isIndexNew) {
      const isRight = kept !== undefined && isSame(entries, kept)
      if (!isRight && (index || entries.size > 0))
        await this.#storage.putText(indexObject(folder), JSON.stringify([...entries.values()]))
      month.indexVersion = isRight ? index?.version : undefined
    }
    if (isChanged) this.#folders.clear()
  }

  /** The hours of a listing, in order: cached entries where the version matches, else read again. */
  async #entriesOf(
    folder: string,
    listed: readonly StoredObject[],
    known: readonly ReadonlyMap<string, Entry>[],
  ): Promise<ReadonlyMap<string, Entry>> {
    const manifests = listed
      .map((object) => ({ ...object, hour: object.name.slice(folder.length + 1, -'.json'.length) }))
      .filter(({ hour }) => hourStart(hour) !== undefined)
    const entries = new Map<string, Entry>()
    for (let at = 0; at < manifests.length; at += READS_AT_ONCE) {
      const found = manifests.slice(at, at + READS_AT_ONCE).map(async ({ name, hour, version }) => {
        const entry = known.map((one) => one.get(hour)).find((one) => one?.version === version)
        const manifest = entry?.manifest ?? readManifest((await this.#storage.readText(name)) ?? '', hour)
        return manifest && ([hour, { version, manifest }] as const)
      })
      for (const one of await Promise.all(found)) if (one) entries.set(...one)
    }
    return entries
  }

  /** Entries by hour; undefined if the index is damaged. */
  async #readIndex(folder: string): Promise<ReadonlyMap<string, Entry> | undefined> {
    try {
      const entries = z
        .array(Entry)
        .parse(JSON.parse((await this.#storage.readText(indexObject(folder))) ?? ''))
      return new Map(entries.map((entry) => [entry.manifest.hour, entry]))
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined
      throw error
    }
  }

  #month(folder: string): Month {
    const known = this.#months.get(folder)
    if (known) return known
    const month: Month = {
      comparedAt: Number.NEGATIVE_INFINITY,
      entries: new Map(),
      manifests: [],
      indexVersion: undefined,
      comparing: undefined,
    }
    this.#months.set(folder, month)
    return month
  }

  #isFresh(at: number): boolean {
    return Math.abs(this.#clock.now() - at) < FRESH_MS
  }
}

/** Reads the manifest of an hour; undefined if the text is not one, as on a damaged disk. */
export function readManifest(text: string, hour: string): Manifest | undefined {
  try {
    const manifest = Manifest.parse(JSON.parse(text))
    return manifest.hour === hour ? manifest : undefined
  } catch {
    return undefined
  }
}

/** The name of an hour's manifest object. */
export function manifestObject(source: SourceKind, hour: string): string {
  return `${monthFolder(source, hour)}/${hour}.json`
}

function indexObject(folder: string): string {
  return `${folder}/hours.json`
}

/** Whether both hold the same versions of the same hours. */
function isSame(one: ReadonlyMap<string, Entry>, other: ReadonlyMap<string, Entry>): boolean {
  return (
    one.size === other.size && [...one].every(([hour, { version }]) => other.get(hour)?.version === version)
  )
}
