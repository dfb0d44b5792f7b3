import { expect, it } from 'vitest'
import { tortureStreams } from './testing/stream-torture.ts'

// Guards resuming by Last-Event-ID: `npm run torture -- --streams` does it a thousand times at the pace of real time.
it('gives clients that come back as browsers do all that they asked for, once and in order, however they are cut', async () => {
  const { problems, cuts, events, gaps, gaveWay } = await tortureStreams(60, 7, 10)

  expect(problems).toEqual([])
  expect(Math.min(cuts.fin, cuts.rst, cuts.silence)).toBeGreaterThan(5)
  // A silent end is none to the service: its client takes its own place.
  expect(gaveWay).toBeGreaterThanOrEqual(cuts.silence)
  expect(gaps).toBeGreaterThanOrEqual(0)
  expect(events).toBeGreaterThan(100)
}, 300_000)
