import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createFilterTrials } from '../apps/api/src/history/filter-trial.ts'
import { Archiver } from '../apps/archiver/src/index.ts'
import { aStreamBlock, ONE_O_CLOCK } from '../apps/archiver/src/testing/a-stream.ts'
import { anEngine } from '../apps/archiver/src/testing/an-engine.ts'
import { filtersToTry, randomSwaps, withNumbers } from '../apps/archiver/src/testing/random-filters.ts'
import type { Frame } from '../apps/gateway/src/testing/test-client.ts'
import { openGateway, type TestGateway } from '../apps/gateway/src/testing/test-gateway.ts'
import { type ArchivePlace, openArchive } from '../packages/archive/src/index.ts'
import { inCi } from '../packages/basics/src/testing/in-ci.ts'
import { createManualClock } from '../packages/basics/src/testing/manual-clock.ts'
import { STORY_MS } from './story-time.ts'

const FILTERS = inCi(100, 20)
const HOURS = ['20261123-140000', '20261123-130000']
/** So that 90 blocks make an hour. */
const SECONDS_PER_BLOCK = 40
const BLOCKS = 7_200 / SECONDS_PER_BLOCK

type Asked = Readonly<{
  filter: typeof filtersToTry extends fc.Arbitrary<infer Filter> ? Filter : never
  /** The sentence with which the stream refused it. */
  refusal: string | undefined
  /** Events that its client received from both hours. */
  frames: readonly Frame[]
}>

const folder = mkdtempSync(join(tmpdir(), 'pairwire-filter-trial-'))
let stream: TestGateway
let asked: readonly Asked[]
let server: S3rver
let bucketPort: number

beforeAll(async () => {
  stream = await openGateway({
    busMaxBytes: 20_000_000,
    limits: { connectsPerSecondPerAddress: FILTERS },
  })
  const directory = join(folder, 'buckets')
  server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory },
    configureBuckets: [{ name: 'hours', configs: [] }],
  })
  bucketPort = (await server.run()).port

  const clients = await Promise.all(
    fc.sample(filtersToTry, { numRuns: FILTERS, seed: 9 }).map(async (filter, at) => {
      const client = await stream.connect(at + 1)
      const { error } = await client.ask({ id: 1, method: `${filter.kind}Subscribe`, params: filter.params })
      return { client, filter, refusal: error?.message as string | undefined }
    }),
  )
  const at = (slot: number, seconds: number, change = {}) =>
    aStreamBlock(slot, { blockTime: ONE_O_CLOCK + seconds, ...change })
  await stream.publish(...at(1, -2), ...at(2, -1))
  for (let block = 0; block < BLOCKS; block++) {
    const seconds = block * SECONDS_PER_BLOCK
    // Only the first hour has pairs, which have an amount beyond 64 bits.
    const pairs = seconds < 3_600 ? [`Token ${block}`] : []
    await stream.publish(...at(3 + block, seconds, { swaps: randomSwaps(block), pairs }))
    // All clients share one event loop with the gateway: none may count as slow.
    if (block % 50 === 0) await Promise.all(clients.map(({ client }) => client.untilPong()))
  }
  await stream.publish(...at(3 + BLOCKS, 7_200))
  asked = await Promise.all(
    clients.map(async ({ client, ...rest }) => {
      await client.untilPong()
      const frames = client.texts.map((text): Frame => JSON.parse(text))
      return { ...rest, frames: frames.filter(({ params }) => params && hourOf(params.blockTime)) }
    }),
  )
}, STORY_MS)
afterAll(async () => {
  await stream.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const hourOf = (blockTime: number) => HOURS[1 - Math.floor((blockTime - ONE_O_CLOCK) / 3_600)]

const places: Readonly<Record<'folder' | 'bucket', () => ArchivePlace>> = {
  folder: () => ({ kind: 'folder', folder: join(folder, 'archive') }),
  bucket: () => ({
    ...{ kind: 'bucket', endpoint: `http://127.0.0.1:${bucketPort}`, bucket: 'hours', prefix: 'kept' },
    ...{ accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1', publicUrl: undefined },
  }),
}

// Guards the promise on which a plan is chosen: a filter matches in the past what it would have matched live.
it.each(['folder', 'bucket'] as const)(
  'a trial of 100 filters finds what live clients with them received over the hours, from a %s, and refuses like the stream',
  async (kind) => {
    const clock = createManualClock()
    const told: unknown[] = []
    const tell = (...line: unknown[]) => void told.push(line)
    const log = { info() {}, warn: tell, error: tell }
    const archive = (await openArchive(places[kind](), { clock, log }))!
    const archiver = new Archiver({
      ...{ bus: stream.bus, archive, source: 'chain', folder: join(folder, `archiver-${kind}`) },
      ...{ clock, log, freeBytes: () => undefined, engine: anEngine(clock) },
    })
    onTestFinished(() => archiver.stop())
    archiver.start()
    await archiver.settled()
    expect(told).toEqual([])
    const trials = createFilterTrials({
      ...{ archive, archiver: stream.bus, sourceKind: 'chain', elapsed: () => 0, log },
    })

    let met = 0
    for (const { filter, refusal, frames } of asked) {
      const trial = trials.try('a1', { ...JSON.parse(JSON.stringify(filter)), hours: 2 })
      if (refusal !== undefined) {
        await expect(trial).rejects.toThrow(refusal)
        continue
      }
      const { from, to, matched, total, byHour, sample } = await trial
      met += matched
      expect({ from, to, matched, byHour: byHour.map(({ hour, ...of }) => [hour, of.matched]) }).toEqual({
        ...{ from: '2026-11-23T13:00:00Z', to: '2026-11-23T15:00:00Z', matched: frames.length },
        byHour: HOURS.map((hour) => [
          hour,
          frames.filter(({ params }) => hourOf(params.blockTime) === hour).length,
        ]),
      })
      expect(total).toBe(filter.kind === 'swap' ? BLOCKS * 5 : BLOCKS / 2)
      // Events with an amount beyond 64 bits are counted but not shown.
      const shown = filter.kind === 'swap' ? frames.slice(-20).reverse() : []
      expect(withNumbers(sample)).toEqual(withNumbers(shown))
    }
    expect(told).toEqual([])
    expect(met).toBeGreaterThan(10 * FILTERS)
    expect(asked.filter(({ refusal }) => refusal !== undefined).length).toBeLessThan(FILTERS / 2)
  },
  STORY_MS,
)
