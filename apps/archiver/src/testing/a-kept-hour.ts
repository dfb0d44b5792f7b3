import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '@pairwire/archive'
import { HOUR_FILES, hourStart, Manifest, type SourceKind, type StreamEvent } from '@pairwire/contract'
import type { Engine } from '../engine/engine.ts'
import { Spooler } from '../spool/spooler.ts'
import { aStreamBlock, ONE_O_CLOCK } from './a-stream.ts'

/**
 * The hour that begins at `start` (Unix seconds, by default 20261123-130000), made of these blocks in a folder, and alone in
 * an archive.
 */
export async function aKeptHour(
  folder: string,
  blocks: readonly (readonly StreamEvent[])[],
  engine: Engine,
  { source = 'chain', start = ONE_O_CLOCK }: { source?: SourceKind; start?: number } = {},
) {
  const ended: string[] = []
  const ending = (spool: string) => void ended.push(spool)
  const spooler = new Spooler({
    folder: join(folder, 'spool'),
    source,
    made: 'stream',
    ended: ending,
  })
  await spooler.open()
  const before = aStreamBlock(0, { blockTime: start - 1 })
  for (const events of [before, ...blocks, aStreamBlock(99_999, { blockTime: start + 3_600 })]) {
    await spooler.append(events)
  }
  await spooler.close()
  const [zip, swaps, pairs, blocksFile] = HOUR_FILES.map((kind) => join(folder, 'files', kind)) as [
    string,
    string,
    string,
    string,
  ]
  const files = { zip, swaps, pairs, blocks: blocksFile }
  await mkdir(join(folder, 'files'))
  const manifest = Manifest.parse(await engine.ask('make', { spool: ended[1]!, files }))
  const opened: string[] = []
  const asked: string[] = []
  const archive: Pick<Archive, 'find' | 'list' | 'open' | 'localPath'> = {
    list: async (of, from, to) => {
      const at = hourStart(manifest.hour)!
      return of === manifest.source && at >= from && at < to ? [manifest] : []
    },
    find: async (of, hour) => {
      asked.push(hour)
      return of === manifest.source && hour === manifest.hour ? manifest : undefined
    },
    open: async (_manifest, kind, range) => {
      opened.push(kind)
      return createReadStream(files[kind], range)
    },
    localPath: (_manifest, kind) => files[kind],
  }
  return {
    ...{ manifest, archive, files },
    /** Kinds of the files that were opened. */
    opened,
    /** Hours whose manifest was read. */
    asked,
  }
}
