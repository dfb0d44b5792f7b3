import { describe, expect, it } from 'vitest'
import { createRandom } from './faults.ts'

describe('random numbers of faults', () => {
  it('are the same for the same seed', () => {
    const [one, other] = [createRandom(7), createRandom(7)]

    expect([one(), one(), one()]).toEqual([other(), other(), other()])
  })

  // Tortures draw from one seed after the other: all their schedules once began with the same choice.
  it('are spread evenly from the first on for a thousand seeds in a row', () => {
    for (const draws of [1, 2, 3]) {
      const tenths = Array.from({ length: 10 }, () => 0)
      for (let seed = 20_261_126; seed < 20_262_126; seed++) {
        const random = createRandom(seed)
        for (let draw = 1; draw < draws; draw++) random()
        tenths[Math.floor(random() * 10)]!++
      }

      for (const count of tenths) expect(Math.abs(count - 100)).toBeLessThan(20)
    }
  })
})
