import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '@pairwire/basics'
import {
  DAY_MS,
  HOUR_FILES,
  type HourFileKind,
  hourName,
  hourStart,
  type Manifest,
  type SourceKind,
} from '@pairwire/contract'
import type { Archive, HourPaths } from './archive.ts'
import { customersFileName, monthFolder } from './hour-names.ts'
import { MonthIndex, manifestObject, readManifest } from './month-index.ts'
import { type ByteRange, type Storage, StorageAwayError } from './storage.ts'

/** Milliseconds after which an object that no manifest names counts as left over from a killed process. */
const ORPHAN_MS = DAY_MS

/** Milliseconds for which an offered manifest counts; it ends well before its files are removed as orphans. */
const OFFER_MS = ORPHAN_MS / 2

/** Attempts to publish or remove an hour, or to settle its manifest, while others keep changing it. */
const ATTEMPTS = 10

/**
 * Opens the archive on a storage.
 *
 * Two writers of one hour need no lock. Each stores its files, offers its manifest under a unique name, and then makes sure
 * that the best offered manifest is in force. A writer that replaced a better manifest finds it among the offers, since
 * every manifest is offered before it comes into force.
 */
export function createArchive(storage: Storage, clock: Pick<Clock, 'now'>): Archive {
  return new Hours(storage, clock)
}

class Hours implements Archive {
  readonly #storage: Storage
  readonly #clock: Pick<Clock, 'now'>
  readonly #index: MonthIndex

  constructor(storage: Storage, clock: Pick<Clock, 'now'>) {
    this.#storage = storage
    this.#clock = clock
    this.#index = new MonthIndex(storage, clock)
  }

  async publish(paths: HourPaths, manifest: Manifest, isForced = false, tries = ATTEMPTS): Promise<Manifest> {
    const { source, hour } = manifest
    const folder = monthFolder(source, hour)
    const standing = await this.find(source, hour)
    if (!standing || isForced || (manifest.complete && !standing.complete)) {
      const text = JSON.stringify({ ...manifest, revision: (standing?.revision ?? 0) + 1 })
      for (const kind of HOUR_FILES) await this.#storage.putFile(objectOf(manifest, kind), paths[kind])
      const id = createHash('sha256').update(text).digest('hex').slice(0, 8)
      await this.#storage.putText(`${offersFolder(source)}/${hour}.${id}.json`, text)
    }
    const current = await this.#settle(source, hour)
    const there = await this.#namesOf(folder, hour)
    await this.#index.compare(folder)
    if (tries === 0 || HOUR_FILES.every((kind) => there.includes(objectOf(current, kind)))) return current
    // A removal of the hour has taken them meanwhile.
    await this.remove(current)
    return this.publish(paths, manifest, isForced, tries - 1)
  }

  async find(source: SourceKind, hour: string): Promise<Manifest | undefined> {
    if (hourStart(hour) === undefined) return undefined
    return readManifest((await this.#storage.readText(manifestObject(source, hour))) ?? '', hour)
  }

  async list(source: SourceKind, from: number, to: number): Promise<readonly Manifest[]> {
    const months = await this.#index.months(source)
    const [first, last] = [hourName(from), hourName(to - 1)]
    const [firstMonth, lastMonth] = [monthFolder(source, first), monthFolder(source, last)]
    const wanted = months.filter((month) => month >= firstMonth && month <= lastMonth)
    const manifests = await Promise.all(wanted.map((month) => this.#index.manifests(month)))
    return manifests.flat().filter(({ hour }) => hour >= first && hour <= last)
  }

  async names(source: SourceKind): Promise<readonly string[]> {
    const names: string[] = []
    for (const month of await this.#index.months(source)) {
      for await (const { name } of this.#storage.list(month)) {
        if (name.endsWith('.json')) names.push(name.slice(month.length + 1, -'.json'.length))
      }
    }
    return names.filter((name) => hourStart(name) !== undefined)
  }

  async findSample(source: SourceKind): Promise<Manifest | undefined> {
    return this.#inNewestMonth(source, (all) => all.find((one) => one.complete && one.counts.swaps > 0))
  }

  async findNewest(source: SourceKind): Promise<Manifest | undefined> {
    return this.#inNewestMonth(source, (manifests) => manifests.at(-1))
  }

  open(manifest: Manifest, kind: HourFileKind, range?: ByteRange): Promise<Readable | undefined> {
    return this.#storage.open(objectOf(manifest, kind), range)
  }

  localPath(manifest: Manifest, kind: HourFileKind): string | undefined {
    return this.#storage.localPath(objectOf(manifest, kind))
  }

  signedUrl(manifest: Manifest, kind: HourFileKind): Promise<string | undefined> {
    return this.#storage.signedUrl(objectOf(manifest, kind), customersFileName(manifest.hour, kind))
  }

  async remove({ source, hour }: Manifest): Promise<void> {
    const folder = monthFolder(source, hour)
    // Offers first, then the manifest, which a listing has last: a writer that settles now must not restore the hour. Again
    // for one that has published it meanwhile.
    for (let names = [hour], left = ATTEMPTS; names.length > 0; left--) {
      if (left === 0) throw new StorageAwayError(new Error('It still lists what was removed.'))
      const offers = await this.#namesOf(offersFolder(source), hour)
      names = [...offers, ...(await this.#namesOf(folder, hour)).reverse()]
      for (const name of names) await this.#storage.remove(name)
    }
    await this.#index.compare(folder)
  }

  async removeOrphans(source: SourceKind): Promise<void> {
    const isOld = (modifiedAt: Date) => this.#clock.now() - modifiedAt.getTime() > ORPHAN_MS
    for await (const { name, modifiedAt } of this.#storage.list(offersFolder(source))) {
      if (isOld(modifiedAt)) await this.#storage.remove(name)
    }
    for (const month of await this.#index.months(source)) {
      for await (const { name, modifiedAt } of this.#storage.list(month)) {
        const [hour = '', ...ending] = name.slice(month.length + 1).split('.')
        if (hourStart(hour) === undefined || ending.length < 2 || !isOld(modifiedAt)) continue
        // Read again for each file: an hour may be published meanwhile.
        const text = await this.#storage.readText(manifestObject(source, hour))
        const manifest = readManifest(text ?? '', hour)
        const isNamed = manifest && HOUR_FILES.some((kind) => objectOf(manifest, kind) === name)
        // A damaged manifest may be restored, and downloads of an older revision may still run.
        const isOrphan = manifest ? !isNamed && isOld(new Date(manifest.madeAt)) : text === undefined
        if (isOrphan) await this.#storage.remove(name)
      }
    }
  }

  /** Makes sure that the best offered manifest of an hour is in force. @returns the manifest in force */
  async #settle(source: SourceKind, hour: string): Promise<Manifest> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const offers = await this.#offers(source, hour)
      const standing = await this.find(source, hour)
      const best = offers.reduce<Manifest | undefined>(
        (one, other) => (isBetter(other, one) ? other : one),
        standing,
      )
      if (best === standing && standing) return standing
      if (best) await this.#storage.putText(manifestObject(source, hour), JSON.stringify(best))
    }
    throw new StorageAwayError(new Error('Others keep replacing the manifest of this hour.'))
  }

  async #offers(source: SourceKind, hour: string): Promise<Manifest[]> {
    const offers: Manifest[] = []
    for await (const { name, modifiedAt } of this.#storage.list(offersFolder(source))) {
      const isOfHour = name.startsWith(`${offersFolder(source)}/${hour}.`)
      if (!isOfHour || this.#clock.now() - modifiedAt.getTime() > OFFER_MS) continue
      const offer = readManifest((await this.#storage.readText(name)) ?? '', hour)
      if (offer) offers.push(offer)
    }
    return offers
  }

  async #inNewestMonth(
    source: SourceKind,
    pick: (manifests: readonly Manifest[]) => Manifest | undefined,
  ): Promise<Manifest | undefined> {
    for (const month of (await this.#index.months(source)).toReversed()) {
      const found = pick(await this.#index.manifests(month))
      if (found) return found
    }
    return undefined
  }

  async #namesOf(folder: string, hour: string): Promise<string[]> {
    const names: string[] = []
    for await (const { name } of this.#storage.list(folder)) {
      if (name.startsWith(`${folder}/${hour}.`)) names.push(name)
    }
    return names
  }
}

/** Whether `one` has the later revision, or the same one and only it is complete. */
function isBetter(one: Manifest, other: Manifest | undefined): boolean {
  if (!other || one.revision !== other.revision) return one.revision > (other?.revision ?? 0)
  return one.complete && !other.complete
}

function objectOf(manifest: Manifest, kind: HourFileKind): string {
  const { source, hour, files } = manifest
  return `${monthFolder(source, hour)}/${files[HOUR_FILES.indexOf(kind)]!.name}`
}

/** The folder of offered manifests, each kept for a day. */
function offersFolder(source: SourceKind): string {
  return `${source}/offered`
}
