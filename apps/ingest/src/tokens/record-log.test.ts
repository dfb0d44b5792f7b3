import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inCi } from '@pairwire/basics/testing/in-ci'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aFolder } from '../testing/temporary-folder.ts'
import { RecordLog } from './record-log.ts'

const HEAD = 'test records 1'
/** About three records. */
const SEGMENT_BYTES = 100

type Opened = Readonly<{
  log: RecordLog
  /** Keys of the valid records, oldest first, with their places. */
  found: Map<string, number>
  warnings: string[]
}>

async function openLog(
  folder: string | undefined,
  options: { head?: string; segmentBytes?: number } = {},
): Promise<Opened> {
  const found = new Map<string, number>()
  const warnings: string[] = []
  const log = new RecordLog({
    folder,
    head: HEAD,
    segmentBytes: SEGMENT_BYTES,
    log: {
      info() {},
      warn: (sentence) => warnings.push(sentence),
      error: (sentence) => warnings.push(sentence),
    },
    ...options,
  })
  onTestFinished(() => log.close())
  await log.load({ take: (key, place) => found.set(key, place), forgetAll: () => found.clear() })
  return { log, found, warnings }
}

const keys = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `key${from + at}`)
const bodyOf = (key: string) => `what is known of ${key}`

/** Makes a folder to which a log wrote these records before it was closed. */
async function aLogOf(written: readonly string[]): Promise<string> {
  const folder = aFolder({})
  const { log } = await openLog(folder)
  for (const key of written) {
    log.append({ key, body: bodyOf(key) })
    await log.flush()
  }
  await log.close()
  return folder
}

function contentOf({ log, found }: Opened): (string | undefined)[] {
  return Array.from(found, ([key, place]) =>
    log.read(place)?.key === key ? log.read(place)?.body : undefined,
  )
}

const filesOf = (folder: string) => readdirSync(folder).sort()

describe('RecordLog', () => {
  it('returns every record, before it is written, after, and in the next process', async () => {
    const folder = aFolder({})
    const first = await openLog(folder)
    for (const key of keys(20)) {
      first.found.set(key, first.log.append({ key, body: bodyOf(key) })!)
      expect(contentOf(first)).toEqual([...first.found.keys()].map(bodyOf))
      await first.log.flush()
      expect(contentOf(first)).toEqual([...first.found.keys()].map(bodyOf))
    }
    await first.log.close()

    const second = await openLog(folder)
    expect(contentOf(second)).toEqual(keys(20).map(bodyOf))
    expect(filesOf(folder).length).toBeGreaterThan(5)
    second.found.set('next', second.log.append({ key: 'next', body: bodyOf('next') })!)
    await second.log.close()
    expect([...(await openLog(folder)).found.keys()]).toEqual([...keys(20), 'next'])
  })

  it('keeps everything in memory without a folder', async () => {
    const { log, found } = await openLog(undefined)
    for (const key of keys(20)) found.set(key, log.append({ key, body: bodyOf(key) })!)

    await log.flush()

    expect(contentOf({ log, found, warnings: [] })).toEqual(keys(20).map(bodyOf))
  })

  it('drops the oldest file first, and reports its contents before', async () => {
    const opened = await openLog(await aLogOf(keys(9)))
    const before = opened.log.size()
    const oldest: string[] = []

    await opened.log.readOldest((key) => oldest.push(key))
    await opened.log.dropOldest()

    expect(oldest.length).toBeGreaterThan(0)
    expect(keys(9).slice(0, oldest.length)).toEqual(oldest)
    expect(opened.log.size()).toBeLessThan(before)
    expect(contentOf(opened)).toEqual(keys(9).map((key) => (oldest.includes(key) ? undefined : bodyOf(key))))
  })

  it('never drops the newest file', async () => {
    const opened = await openLog(await aLogOf(keys(1)))

    await opened.log.dropOldest()

    expect(contentOf(opened)).toEqual(keys(1).map(bodyOf))
  })

  // Guards against a kill at any moment: it cuts off the end of what was being written.
  it('omits the record that a kill cut off, at whichever byte, and continues after the previous one', async () => {
    const lastLine = `01234567 key1\t${bodyOf('key1')}\n`

    for (let cut = 1; cut <= lastLine.length; cut++) {
      const folder = await aLogOf(keys(2))
      const path = join(folder, '000001.log')
      truncateSync(path, statSync(path).size - cut)

      const { log, found, warnings } = await openLog(folder)
      expect([...found.keys()]).toEqual(keys(1))
      expect(warnings).toEqual([])
      log.append({ key: 'after', body: 'the cut' })
      await log.close()
      expect([...(await openLog(folder)).found.keys()]).toEqual([...keys(1), 'after'])
    }
  })

  it('ignores an empty new file', async () => {
    const folder = await aLogOf(keys(3))
    writeFileSync(join(folder, '000002.log'), '')

    const { found, warnings } = await openLog(folder, { segmentBytes: 1_000 })

    expect([...found.keys()]).toEqual(keys(3))
    expect(warnings).toEqual([])
  })

  it('sets a damaged file aside with a log line, and keeps only what follows it', async () => {
    const folder = await aLogOf(keys(12))
    const path = join(folder, '000002.log')
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)

    const opened = await openLog(folder)

    // The damaged file may have had a newer record of a key, so the older one would be out of date.
    expect(opened.found.size).toBeGreaterThan(3)
    expect([...opened.found.keys()]).toEqual(keys(12).slice(-opened.found.size))
    expect(opened.found.has('key0')).toBe(false)
    expect(opened.warnings).toEqual([expect.stringMatching(/damaged file was set aside/)])
    expect(filesOf(folder).filter((name) => name < '000003')).toEqual(['000002.damaged'])
    expect((await openLog(folder)).warnings).toEqual([])
  })

  it('keeps only one damaged file, however often that happens', async () => {
    const folder = await aLogOf(keys(12))
    for (const number of [2, 4]) {
      writeFileSync(join(folder, `00000${number}.log`), 'no record\n')
      await (await openLog(folder)).log.close()
    }

    expect(filesOf(folder).filter((name) => name.endsWith('.damaged'))).toEqual(['000004.damaged'])
  })

  it('keeps nothing from before a missing file', async () => {
    const folder = await aLogOf(keys(12))
    rmSync(join(folder, '000002.log'))

    const { found } = await openLog(folder)

    expect(found.has('key0')).toBe(false)
    expect(found.has('key11')).toBe(true)
  })

  it('drops what was written under another head', async () => {
    const folder = await aLogOf(keys(5))

    const { found, warnings } = await openLog(folder, { head: 'test records 2' })

    expect(found.size).toBe(0)
    expect(warnings).toEqual([])
    expect(filesOf(folder)).toEqual([])
  })

  // Guards the start: whatever is in the folder, it opens, and returns nothing that was not written.
  it('opens whatever was done to its files, and returns only what was written', async () => {
    const harm = fc.oneof(
      fc.record({ kind: fc.constant('flip'), file: fc.nat(), at: fc.nat(), bit: fc.nat({ max: 7 }) }),
      fc.record({ kind: fc.constant('cut'), file: fc.nat(), at: fc.nat() }),
      fc.record({
        kind: fc.constant('overwrite'),
        file: fc.nat(),
        at: fc.nat(),
        bytes: fc.uint8Array({ maxLength: 200 }),
      }),
      fc.record({ kind: fc.constant('replace'), file: fc.nat(), bytes: fc.uint8Array({ maxLength: 300 }) }),
      fc.record({ kind: fc.constant('remove'), file: fc.nat() }),
      fc.record({ kind: fc.constant('swap'), file: fc.nat(), at: fc.nat() }),
    )
    const written = await aLogOf(keys(12))
    const names = filesOf(written)

    await fc.assert(
      fc.asyncProperty(fc.array(harm, { minLength: 1, maxLength: 4 }), async (harms) => {
        const folder = aFolder(
          Object.fromEntries(names.map((name) => [name, readFileSync(join(written, name))])),
        )
        for (const each of harms) damage(folder, each)

        const opened = await openLog(folder)
        for (const [key, place] of opened.found) {
          expect(opened.log.read(place)).toEqual({ key, body: bodyOf(key) })
        }
        opened.log.append({ key: 'after', body: 'the harm' })
        await opened.log.close()
        expect((await openLog(folder)).found.has('after')).toBe(true)
        rmSync(folder, { recursive: true, force: true })
      }),
      { numRuns: inCi(150, 50) },
    )
  })

  it('logs once that the disk refuses writes, keeps what it can in memory, and writes it once the disk is back', async () => {
    const folder = join(aFolder({}), 'records')
    const opened = await openLog(folder)
    opened.found.set('key0', opened.log.append({ key: 'key0', body: bodyOf('key0') })!)
    renameSync(folder, `${folder}.away`)

    await opened.log.flush()
    const places: (number | undefined)[] = []
    for (const key of keys(40, 1)) places.push(opened.log.append({ key, body: bodyOf(key) }))
    await opened.log.flush()

    const kept = places.filter((place) => place !== undefined)
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.length).toBeLessThan(40)
    expect(kept.map((place) => opened.log.read(place)?.key)).toEqual(keys(kept.length, 1))
    expect(opened.warnings).toEqual([expect.stringMatching(/cannot be written/)])

    renameSync(`${folder}.away`, folder)
    await opened.log.flush()
    expect(opened.log.append({ key: 'again', body: '' })).toBeDefined()
    await opened.log.close()
    expect([...(await openLog(folder)).found.keys()]).toEqual(['key0', ...keys(kept.length, 1), 'again'])
  })

  it('refuses a record that is longer than a line may be', async () => {
    const { log } = await openLog(aFolder({}))

    expect(() => log.append({ key: 'long', body: 'x'.repeat(100_000) })).toThrow(RangeError)
  })

  it('is readable only by its owner', async () => {
    const folder = await aLogOf(keys(1))

    expect(statSync(join(folder, '000001.log')).mode & 0o077).toBe(0)
  })
})

type Harm = { kind: string; file: number; at?: number; bit?: number; bytes?: Uint8Array }

function damage(folder: string, { kind, file, at = 0, bit = 0, bytes = new Uint8Array(0) }: Harm): void {
  const names = filesOf(folder)
  if (names.length === 0) return
  const path = join(folder, names[file % names.length]!)
  const content = readFileSync(path)
  const place = content.length === 0 ? 0 : at % content.length
  if (kind === 'flip' && content.length > 0) {
    content[place]! ^= 1 << bit
    writeFileSync(path, content)
  } else if (kind === 'cut') truncateSync(path, place)
  else if (kind === 'overwrite') {
    writeFileSync(
      path,
      Buffer.concat([content.subarray(0, place), bytes, content.subarray(place + bytes.length)]),
    )
  } else if (kind === 'replace') writeFileSync(path, bytes)
  else if (kind === 'remove') rmSync(path)
  else if (kind === 'swap') writeFileSync(path, readFileSync(join(folder, names[at % names.length]!)))
  else mkdirSync(folder, { recursive: true })
}
