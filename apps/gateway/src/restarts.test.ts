import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type End, tortureRestarts } from './testing/restart-torture.ts'

// Guards resuming as a whole: `npm run torture -- --restarts` does the same hundreds of times.
it('gives every kind of client all that it asked for, once and in order, across a kill, a clean stop and slow reading', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-test-'))
  const ends: End[] = [
    {
      ...{ lifeMs: 200, slow: 1, cut: (client) => client % 3 === 0 },
      ...{ signal: 'SIGKILL', bytesLost: 900, slotsAway: 0 },
    },
    // Not before clients read again: a stop names each its cursor.
    { lifeMs: 100, slow: 1, cut: () => false, signal: 'SIGTERM', bytesLost: 0, slotsAway: 7 },
  ]

  const { problems, kills, stops, slow, named, events } = await tortureRestarts(folder, ends)
  rmSync(folder, { recursive: true })

  expect(problems).toEqual([])
  expect([kills, stops]).toEqual([1, 1])
  expect(slow).toBeGreaterThanOrEqual(2)
  expect(named).toBeGreaterThanOrEqual(1)
  expect(events).toBeGreaterThan(1_000)
}, 300_000)
