import { setTimeout as realWait, setImmediate as turn } from 'node:timers/promises'
import { createPairwire, type StreamEvent } from '@pairwire/client'
import { describe, expect, it } from 'vitest'
import { startSdkService } from './testing/sdk-service.ts'

/** Schedules of one run, and their steps; `SDK_SCHEDULES` asks for more. */
const SCHEDULES = Number(process.env.SDK_SCHEDULES ?? 30)
const STEPS = 40

/** Filters that are changed between, the usdValue from which each wants swaps. */
const FILTERS = [10, 20] as const

// Guards what the SDK is for: that a program gets what was published, whatever happens to its line.
describe('the SDK over random schedules of events, cuts, pauses and updates', {
  timeout: SCHEDULES * 5_000,
}, () => {
  it('hands out what was published and wanted, in order, each once, and tells no gap', async () => {
    const seen = { cuts: 0, updates: 0, updatesOverCuts: 0, full: 0, connects: 0 }
    for (let seed = 1; seed <= SCHEDULES; seed++) await runSchedule(seed, seen)

    // A run without one of these tries nothing.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  })
})

async function runSchedule(seed: number, seen: Record<string, number>): Promise<void> {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const service = await startSdkService()
  const pairwire = createPairwire({ ...service, retryFirstMs: 1, onState() {}, onWarning() {} })
  const options = { maxUnread: [1, 3, 10_000][below(3)]! }
  const swaps = pairwire.swaps({ include: { usdValue: FILTERS[0] } }, options)
  const pairs = pairwire.newPairs({ include_launchpad_tokens: true }, options)
  const read = { swaps: [] as (string | null)[], pairs: [] as (string | null)[] }
  let isPaused = false
  const reading = [
    [swaps, read.swaps],
    [pairs, read.pairs],
  ].map(async ([stream, into]) => {
    for await (const { cursor } of stream as AsyncIterable<StreamEvent>) {
      ;(into as (string | null)[]).push(cursor)
      while (isPaused) await realWait(1)
    }
  })
  const published = { swaps: [] as (string | null)[], pairs: [] as (string | null)[] }
  let filter = 0
  let updating: Promise<void> | undefined
  const caughtUp = async () => {
    isPaused = false
    while (read.swaps.length < published.swaps.length || read.pairs.length < published.pairs.length)
      await realWait(1)
  }

  while (swaps.stats().connects === 0 || pairs.stats().connects === 0) await realWait(1)
  // From their first block on they have a place.
  while (swaps.cursor === null || pairs.cursor === null) {
    service.block()
    await realWait(1)
  }
  for (let step = 0; step < STEPS; step++) {
    const dice = below(20)
    if (dice < 12) {
      // While an update is on its way, only what both filters judge alike can be told.
      const usdValue = updating ? [5, 30][below(2)]! : [5, 15, 30][below(3)]!
      const cursor = service.push({ swap: { usdValue } })
      if (usdValue >= FILTERS[filter]!) published.swaps.push(cursor)
      if (below(3) === 0) published.pairs.push(service.push({ pair: {} }))
    } else if (dice < 14) service.block()
    else if (dice < 16) {
      service.cut()
      seen.cuts!++
      if (updating) seen.updatesOverCuts!++
    } else if (dice < 17) isPaused = !isPaused
    else if (dice < 18 && !updating) {
      await caughtUp()
      // What is replayed during an update is judged by the new filter: nothing is to be replayed.
      const place = service.block()
      while ((swaps.cursor ?? '') < place) await realWait(1)
      filter = 1 - filter
      seen.updates!++
      updating = swaps.update({ include: { usdValue: FILTERS[filter]! } }).then(() => {
        updating = undefined
      })
    } else await (below(2) ? turn() : realWait(below(30)))
  }
  isPaused = false
  await updating
  await caughtUp()

  expect({ seed, ...read }).toEqual({ seed, ...published })
  expect([swaps.stats(), pairs.stats()]).toMatchObject([
    { duplicates: 0, gaps: 0 },
    { duplicates: 0, gaps: 0 },
  ])
  seen.full! += swaps.stats().slowedDown
  seen.connects! += swaps.stats().connects - 1
  await pairwire.close()
  await Promise.all(reading)
  await service.stop()
}

/** Numbers from 0 below 1, the same for the same seed. @see https://en.wikipedia.org/wiki/Linear_congruential_generator */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
