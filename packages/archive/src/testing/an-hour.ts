import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOUR_FILES, HOUR_MS, type HourFileKind, hourStart, type Manifest } from '@pairwire/contract'
import type { HourPaths } from '../archive.ts'
import { hourFileName } from '../hour-names.ts'

/** A temporary folder for a test. */
export function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'pairwire-archive-'))
}

/** An hour of the simulator as an archiver hands it over: four files that hold `content`, and the manifest. */
export function anHour(
  hour: string,
  { content = hour, ...members }: Partial<Manifest> & { content?: string } = {},
): { paths: HourPaths; manifest: Manifest } {
  const folder = aFolder()
  const at = hourStart(hour)!
  const files = HOUR_FILES.map((kind) => {
    const bytes = Buffer.from(`${kind} of ${content}`)
    writeFileSync(join(folder, kind), bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { name: hourFileName(hour, kind, sha256), bytes: bytes.length, sha256, rows: 3 }
  })
  const paths = Object.fromEntries(HOUR_FILES.map((kind) => [kind, join(folder, kind)]))
  return {
    paths: paths as Record<HourFileKind, string>,
    manifest: {
      format: 1,
      hour,
      from: new Date(at).toISOString(),
      to: new Date(at + HOUR_MS).toISOString(),
      source: 'simulator',
      made: 'stream',
      revision: 1,
      madeAt: new Date(at + HOUR_MS + 60_000).toISOString(),
      complete: true,
      counts: { swaps: 2, pairs: 1, blocks: 3, byExchange: { pumpfun: 3 }, nulls: 0 },
      slots: { first: 1, last: 3 },
      cursors: { first: 'a', last: 'b' },
      chain: null,
      gaps: [],
      files,
      ...members,
    },
  }
}
