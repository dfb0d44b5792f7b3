import { isDeepStrictEqual } from 'node:util'
import type { Archive } from '@pairwire/archive'
import { type Engine, type LocalFiles, readHourLines } from '@pairwire/archiver'
import { messageOf } from '@pairwire/basics'
import { fileOf, HOUR_FILES, type Manifest } from '@pairwire/contract'
import { readChecked } from './read-checked.ts'

/** Dependencies of {@link checkHour}. */
type CheckParts = Readonly<{
  archive: Pick<Archive, 'open'>
  engine: Pick<Engine, 'ask'>
  files: Pick<LocalFiles, 'use'>
}>

/** Compares the files of an hour with its manifest, and the manifest with itself. @returns the faults, a sentence each */
export async function checkHour(manifest: Manifest, parts: CheckParts): Promise<string[]> {
  const { hour, counts, gaps, chain, complete } = manifest
  const faults: string[] = []
  const hold = (isRight: boolean, fault: string) => {
    if (!isRight) faults.push(`${hour}: ${fault}.`)
  }
  hold(
    !complete || (gaps.length === 0 && chain?.linked !== false),
    'it says that it is complete, and has gaps',
  )
  for (const kind of HOUR_FILES) {
    try {
      for await (const _piece of readChecked(parts.archive, manifest, kind));
    } catch (error) {
      faults.push(messageOf(error))
    }
  }
  // If the bytes differ from the manifest, nothing more needs to be said.
  if (faults.length > 0) return faults

  const pathOf = (kind: 'swaps' | 'pairs' | 'blocks') => parts.files.use(manifest, kind, async (path) => path)
  const found = await parts.engine.ask('prove', {
    ...{ swaps: await pathOf('swaps'), pairs: await pathOf('pairs'), blocks: await pathOf('blocks') },
  })
  const { swaps, pairs } = counts
  const lines = await linesOf(parts.archive, manifest)
  hold(isDeepStrictEqual(found.rows, { swaps, pairs, blocks: counts.blocks }), 'its Parquet has other counts')
  hold(isDeepStrictEqual(found.inBlocks, { swaps, pairs }), 'its blocks count other events')
  hold(
    HOUR_FILES.every((kind) => fileOf(manifest, kind).rows === { ...found.rows, zip: swaps + pairs }[kind]),
    'its files have other rows',
  )
  hold(lines.count === swaps + pairs, `its zip has ${lines.count} lines instead of ${swaps + pairs}`)
  hold(lines.outOfOrder + found.outOfOrder === 0, 'its cursors do not rise')
  hold(isDeepStrictEqual(found.slots, manifest.slots), 'its blocks are of other slots')
  hold(isDeepStrictEqual(found.cursors, manifest.cursors), 'its blocks have other cursors')
  hold(isDeepStrictEqual(found.chain, chain), 'its blocks have other hashes, or do not link to each other')
  return faults
}

/** Compares an hour with the one before it. @returns the faults, a sentence each */
export function checkLink(before: Manifest, { hour, complete, chain, cursors }: Manifest): string[] {
  if (!complete) return []
  const isLinked = !chain || !before.chain || chain.parentBlockhash === before.chain.blockhash
  const isBehind = !cursors || !before.cursors || cursors.first > before.cursors.last
  return [
    ...(isLinked ? [] : [`${hour}: its first block does not follow the last one of ${before.hour}.`]),
    ...(isBehind ? [] : [`${hour}: its cursors do not come after those of ${before.hour}.`]),
  ]
}

async function linesOf(archive: Pick<Archive, 'open'>, manifest: Manifest) {
  let [count, outOfOrder, last] = [0, 0, '']
  for await (const lines of readHourLines(archive, manifest, '')) {
    count += lines.length
    for (const { cursor } of lines) {
      if (cursor <= last) outOfOrder++
      last = cursor
    }
  }
  return { count, outOfOrder }
}
