import { inCi } from '@pairwire/basics/testing/in-ci'
import { expect, it } from 'vitest'
import { tortureArchiver } from './testing/archiver-torture.ts'

const KILLS = inCi(30, 12)

/** Numbers from 0 to 1, the same on every run of the test. */
function numbers(): () => number {
  let last = 12_345
  return () => {
    last = (last * 1_103_515_245 + 12_345) % 2 ** 31
    return last / 2 ** 31
  }
}

// Guards hours that people have paid for.
it('makes every hour byte for byte as without kills, and never shows a partial file, whenever a kill strikes', async () => {
  const { kills, hits, problems } = await tortureArchiver(KILLS, numbers())

  expect(problems).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(KILLS)
  expect(Math.min(...Object.values(hits))).toBeGreaterThan(KILLS / 15)
}, 300_000)
