import { randomBytes } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ByteRange } from '@pairwire/archive'
import { formatCursor, type Manifest } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeZip } from '../engine/write-zip.ts'
import { aManifest } from '../testing/a-manifest.ts'
import { readHourLines } from './hour-lines.ts'

const HOUR = '20261123-130000'
const folder = mkdtempSync(join(tmpdir(), 'pairwire-lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** 16 MB that deflate to some 12, as signatures do. */
const LINES = Array.from({ length: 12_000 }, (_, at) => {
  const cursor = formatCursor({ run: 0, slot: 400_000_000 + 2 * at, transactionIndex: 0, eventIndex: 0 })
  return { cursor, text: `{"signature":"${randomBytes(1_000).toString('base64')}","cursor":"${cursor}"}` }
})

type Zip = Readonly<{ manifest: Manifest; archive: Parameters<typeof readHourLines>[0]; ranges: ByteRange[] }>

async function aZip(name: string, bounds?: Parameters<typeof writeZip>[3]): Promise<Zip> {
  const [lines, zip] = [join(folder, 'events'), join(folder, name)]
  writeFileSync(lines, LINES.map(({ text }) => `${text}\n`).join(''))
  const sha256 = await writeZip(lines, zip, HOUR, bounds)
  const made = aManifest({ hour: HOUR })
  const [file, ...others] = made.files
  const ranges: ByteRange[] = []
  return {
    manifest: { ...made, files: [{ ...file!, bytes: statSync(zip).size, sha256 }, ...others] },
    archive: {
      async open(_manifest, _kind, range) {
        if (range) ranges.push(range)
        return createReadStream(zip, range)
      },
    },
    ranges,
  }
}

async function linesBehind({ archive, manifest }: Zip, after: string, most = LINES.length) {
  const lines = []
  for await (const some of readHourLines(archive, manifest, after)) {
    lines.push(...some)
    if (lines.length >= most) break
  }
  return lines
}

describe('the lines of an hour', () => {
  let zip: Zip
  beforeAll(async () => {
    zip = await aZip('pieces')
  })

  it('are those after a cursor, wherever it is', async () => {
    for (const at of [0, 1, 800, 6_000, 11_990, 11_999]) {
      const place = LINES[at]!.cursor
      expect(await linesBehind(zip, place)).toEqual(LINES.slice(at + 1))
      const between = formatCursor({ run: 0, slot: 400_000_001 + 2 * at, transactionIndex: 0, eventIndex: 0 })
      expect((await linesBehind(zip, between, 1))[0]).toEqual(LINES[at + 1])
    }
    expect(await linesBehind(zip, '')).toEqual(LINES)
  })

  // Guards playbacks that begin at once: each of them once inflated everything before its cursor.
  it('are read from a piece shortly before the cursor', async () => {
    const at = 9_000
    zip.ranges.length = 0

    await linesBehind(zip, LINES[at]!.cursor, 1)

    const { start } = zip.ranges.at(-1)!
    const place = (at / LINES.length) * zip.manifest.files[0]!.bytes
    expect(start).toBeLessThan(place)
    expect(place - start).toBeLessThan(2.5e6)
  })

  it('are read from the beginning in a zip without pieces', async () => {
    const old = await aZip('old', { pieceBytes: 64e6, largeBytes: 4e9 })

    expect(await linesBehind(old, LINES[9_000]!.cursor)).toEqual(LINES.slice(9_001))
    expect(old.ranges.at(-1)!.start).toBeLessThan(100)
  })

  it('are read from a zip whose sizes take 64 bits', async () => {
    const large = await aZip('large', { pieceBytes: 1e6, largeBytes: 0 })

    expect(await linesBehind(large, LINES[6_000]!.cursor)).toEqual(LINES.slice(6_001))
  })
})
