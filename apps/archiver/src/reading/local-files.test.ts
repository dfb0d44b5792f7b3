import { randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Archive, openArchive } from '@pairwire/archive'
import { anHour } from '@pairwire/archive/testing/an-hour'
import { fileOf, HOUR_MS, hourName } from '@pairwire/contract'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aFolder } from '../testing/a-folder.ts'
import { LocalFiles } from './local-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'pairwire-bucket-'))
let server: S3rver
let archive: Archive
/** Kinds of the files that were opened in the bucket. */
const opened: string[] = []

beforeAll(async () => {
  const configureBuckets = [{ name: 'hours', configs: [] }]
  server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets })
  const { port } = await server.run()
  const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1', publicUrl: undefined }
  const place = { endpoint: `http://127.0.0.1:${port}`, bucket: 'hours', prefix: '', ...keys }
  const log = { info() {}, warn() {}, error() {} }
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const bucket = (await openArchive({ kind: 'bucket', ...place }, { clock, log }))!
  archive = {
    publish: (...args) => bucket.publish(...args),
    localPath: (...args) => bucket.localPath(...args),
    async open(...args) {
      opened.push(args[1])
      return bucket.open(...args)
    },
  } as Archive
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})

let hours = 0
/** A separate hour, in the bucket. */
async function aPublishedHour(content: string = randomBytes(8).toString('hex')) {
  const hour = anHour(hourName(1_700_000_000_000 + hours++ * HOUR_MS), { content })
  await archive.publish(hour.paths, hour.manifest)
  opened.length = 0
  return hour
}

const readText = async (path: string) => readFileSync(path, 'utf8')

/** A sparse file, last used so many minutes ago. */
function leaveFile(
  folder: string,
  name: string,
  { minutes, bytes = 1 }: { minutes: number; bytes?: number },
) {
  const path = join(folder, name)
  const at = new Date(Date.now() - minutes * 60_000)
  writeFileSync(path, '')
  truncateSync(path, bytes)
  utimesSync(path, at, at)
}

describe('local copies of files in a bucket', () => {
  it('are downloaded once, however many callers ask', async () => {
    const files = new LocalFiles(archive, aFolder())
    const { manifest } = await aPublishedHour('an hour')

    const read = () => files.use(manifest, 'swaps', readText)
    const texts = [...(await Promise.all([read(), read(), read()])), await read()]

    expect(texts).toEqual(Array.from({ length: 4 }, () => 'swaps of an hour'))
    expect(opened).toEqual(['swaps'])
  })

  it('need no bucket once they were cached, except for the zip', async () => {
    const folder = aFolder()
    const files = new LocalFiles(archive, folder)
    const { manifest, paths } = await aPublishedHour('an hour')

    await files.keep(manifest, paths)

    expect(await files.use(manifest, 'pairs', readText)).toBe('pairs of an hour')
    expect(opened).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(
      (['blocks', 'pairs', 'swaps'] as const).map((kind) => fileOf(manifest, kind).name).sort(),
    )
  })

  it('are downloaded again if a power cut took their bytes', async () => {
    const folder = aFolder()
    const files = new LocalFiles(archive, folder)
    const { manifest, paths } = await aPublishedHour('an hour')
    await files.keep(manifest, paths)

    truncateSync(join(folder, fileOf(manifest, 'swaps').name))

    expect(await files.use(manifest, 'swaps', readText)).toBe('swaps of an hour')
    expect(opened).toEqual(['swaps'])
  })

  it('are never those of another archiver under the same name, nor seen partial while being written', async () => {
    const files = new LocalFiles(archive, aFolder())
    const other = await aPublishedHour('the hour in force')
    const own = anHour(other.manifest.hour, { content: 'our hour, which came second' })

    const [text] = await Promise.all([
      files.use(other.manifest, 'swaps', readText),
      files.keep(own.manifest, own.paths),
      files.keep(other.manifest, other.paths),
    ])

    expect(text).toBe('swaps of the hour in force')
    expect(await files.use(other.manifest, 'swaps', readText)).toBe('swaps of the hour in force')
  })

  it('are removed beyond 24 hours, least recently used first', async () => {
    const folder = aFolder()
    const files = new LocalFiles(archive, folder)
    for (let at = 0; at < 72; at++) leaveFile(folder, `file-${at}`, { minutes: 1 + at })
    const { manifest, paths } = await aPublishedHour()

    await files.keep(manifest, paths)

    const names = readdirSync(folder)
    expect(names).toHaveLength(72)
    expect(names).toContain('file-68')
    expect(names).not.toContain('file-69')
  })

  it('are removed beyond 20 GB, except one that is being read', async () => {
    const folder = aFolder()
    const files = new LocalFiles(archive, folder)
    const [used, { manifest, paths }] = [await aPublishedHour(), await aPublishedHour()]
    const { name } = Object.assign(fileOf(used.manifest, 'swaps'), { bytes: 9e9 })
    leaveFile(folder, name, { minutes: 5, bytes: 9e9 })
    leaveFile(folder, 'newer', { minutes: 3, bytes: 8e9 })
    leaveFile(folder, 'newest', { minutes: 1, bytes: 7e9 })

    const left = await files.use(used.manifest, 'swaps', async () => {
      await files.keep(manifest, paths)
      return readdirSync(folder)
    })

    expect(left).toContain(name)
    expect(left).toContain('newest')
    expect(left).not.toContain('newer')
  })

  it('make room while another archiver removes files too', async () => {
    const folder = aFolder()
    const [one, other] = [new LocalFiles(archive, folder), new LocalFiles(archive, folder)]
    for (let at = 0; at < 200; at++) leaveFile(folder, `file-${at}`, { minutes: 1 + at })
    const { manifest } = await aPublishedHour()

    const kinds = ['swaps', 'pairs', 'blocks'] as const
    await Promise.all(
      kinds.flatMap((kind) => [one, other].map((files) => files.use(manifest, kind, readText))),
    )

    const left = readdirSync(folder)
    expect(left).toEqual(expect.arrayContaining(kinds.map((kind) => fileOf(manifest, kind).name)))
    expect(left.length).toBeGreaterThan(60)
    expect(left.length).toBeLessThanOrEqual(72)
  })

  it('are refused if the bucket no longer has them, and leave nothing partial', async () => {
    const folder = aFolder()
    const { manifest, paths } = await aPublishedHour()
    const gone = new LocalFiles({ ...archive, open: async () => undefined }, folder)
    const files = new LocalFiles(archive, folder)
    rmSync(paths.blocks)

    await expect(gone.use(manifest, 'swaps', readText)).rejects.toThrow('no longer has its swaps')
    await expect(files.keep(manifest, paths)).rejects.toThrow('ENOENT')

    expect(readdirSync(folder).sort()).toEqual(
      (['pairs', 'swaps'] as const).map((kind) => fileOf(manifest, kind).name).sort(),
    )
    expect(await files.use(manifest, 'blocks', readText)).toMatch('blocks of')
  })
})
