import { type Archive, StorageAwayError } from '@pairwire/archive'
import { HOUR_FILES, HOUR_MS, hourName, hourStart, type Manifest } from '@pairwire/contract'

/** An archive with manifests only; `isAway` makes every call fail. */
export type ArchiveOfManifests = Readonly<{
  archive: Archive
  /** By the names of their hours. */
  hours: Map<string, Manifest>
  state: { isAway: boolean }
}>

/** Half past the running hour: tests that use it as now see no hour turn. */
export const HALF_PAST = Date.now() - (Date.now() % HOUR_MS) + HOUR_MS / 2

/** The manifest of the hour that begins then, with 60 swaps, 2 pairs, a zip of 1,000 bytes and Parquet of 300. */
export function aManifest(start: number, over: Partial<Manifest> = {}): Manifest {
  const hour = hourName(start)
  const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
  return {
    format: 1,
    hour,
    from: time(start),
    to: time(start + HOUR_MS),
    source: 'simulator',
    made: 'stream',
    revision: 1,
    madeAt: time(start + HOUR_MS),
    complete: true,
    counts: { swaps: 60, pairs: 2, blocks: 9_000, byExchange: { pumpfun: 62 }, nulls: 0 },
    slots: { first: 1, last: 9_000 },
    cursors: { first: '1', last: '9000' },
    chain: null,
    gaps: [],
    files: HOUR_FILES.map((kind) => ({
      name: `${hour}.${kind}`,
      bytes: kind === 'zip' ? 1_000 : 100,
      sha256: '0'.repeat(64),
      rows: 60,
    })),
    ...over,
  }
}

/** Holds the last `count` whole hours before `now`. */
export function anArchive(now: number, count: number): ArchiveOfManifests {
  const last = now - (now % HOUR_MS)
  const starts = Array.from({ length: count }, (_, index) => last - (index + 1) * HOUR_MS)
  const hours = new Map(starts.map((start) => [hourName(start), aManifest(start)]))
  const state = { isAway: false }
  const inOrder = () => {
    if (state.isAway) throw new StorageAwayError(new Error('away'))
    return [...hours.values()].sort((left, right) => (left.hour < right.hour ? -1 : 1))
  }
  const unwanted = async () => {
    throw new Error('is not part of this test')
  }
  const archive: Archive = {
    publish: unwanted,
    find: async (_source, hour) => inOrder().find((manifest) => manifest.hour === hour),
    list: async (source, from, to) =>
      inOrder().filter((manifest) => {
        const start = hourStart(manifest.hour)!
        return manifest.source === source && from <= start && start < to
      }),
    names: unwanted,
    findSample: async () => inOrder().find(({ complete, counts }) => complete && counts.swaps > 0),
    findNewest: async () => inOrder().at(-1),
    open: unwanted,
    localPath: () => undefined,
    signedUrl: unwanted,
    remove: unwanted,
    removeOrphans: unwanted,
  }
  return { archive, hours, state }
}
