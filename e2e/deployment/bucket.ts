import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { aKeptHour } from '../../apps/archiver/src/testing/a-kept-hour.ts'
import { aStreamBlock } from '../../apps/archiver/src/testing/a-stream.ts'
import { anEngine } from '../../apps/archiver/src/testing/an-engine.ts'
import { type BucketPlace, openArchive } from '../../packages/archive/src/index.ts'
import { systemClock } from '../../packages/basics/src/index.ts'
import { HOUR_MS, type Manifest } from '../../packages/contract/src/index.ts'

/** Seconds at the end of the hour in which it has blocks, one per second. */
const SECONDS = 20

/** A bucket on this machine that holds an hour of the simulator. */
export type BucketOfAnHour = Readonly<{
  manifest: Manifest
  /** The archive's settings, for every part that needs them. */
  settings: Readonly<Record<'ARCHIVE_URL' | 'ARCHIVE_ACCESS_KEY' | 'ARCHIVE_SECRET_KEY', string>>
  stop(): Promise<void>
}>

/** Starts an S3-compatible server with a bucket, and stores the hour that ends at `to` (Unix milliseconds). */
export async function startBucketOfAnHour(to: number): Promise<BucketOfAnHour> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-bucket-'))
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: join(folder, 'buckets') },
    configureBuckets: [{ name: 'hours', configs: [] }],
  })
  const { port } = await server.run()
  const place: BucketPlace = {
    ...{ kind: 'bucket', endpoint: `http://127.0.0.1:${port}`, bucket: 'hours', prefix: 'kept' },
    ...{ accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1', publicUrl: undefined },
  }
  const engine = anEngine(systemClock)
  const blocks = Array.from({ length: SECONDS }, (_, at) =>
    aStreamBlock(at + 1, { blockTime: to / 1_000 - SECONDS + at, pairs: at % 5 === 0 ? [`Pair ${at}`] : [] }),
  )
  const start = (to - HOUR_MS) / 1_000
  const { manifest, files } = await aKeptHour(folder, blocks, engine, { source: 'simulator', start })
  engine.close()
  const log = { info() {}, warn() {}, error() {} }
  const archive = await openArchive(place, { clock: systemClock, log })
  await archive!.publish(files, manifest)
  return {
    manifest,
    settings: {
      ARCHIVE_URL: `s3+http://127.0.0.1:${port}/${place.bucket}/${place.prefix}`,
      ...{ ARCHIVE_ACCESS_KEY: place.accessKey, ARCHIVE_SECRET_KEY: place.secretKey },
    },
    async stop() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
