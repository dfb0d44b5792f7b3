import { fileOf, HOUR_FILES, type Manifest } from '@pairwire/contract'

/** Sums over hours: events, and bytes of their files. */
export function sizesOf(manifests: readonly Manifest[]) {
  const sum = (read: (manifest: Manifest) => number) =>
    manifests.reduce((total, manifest) => total + read(manifest), 0)
  const parquet = HOUR_FILES.filter((kind) => kind !== 'zip')
  return {
    swaps: sum(({ counts }) => counts.swaps),
    pairs: sum(({ counts }) => counts.pairs),
    zipBytes: sum((manifest) => fileOf(manifest, 'zip').bytes),
    parquetBytes: parquet.reduce((total, kind) => total + sum((manifest) => fileOf(manifest, kind).bytes), 0),
  }
}
