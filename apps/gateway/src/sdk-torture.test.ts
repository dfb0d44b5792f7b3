import { inCi } from '@pairwire/basics/testing/in-ci'
import { describe, expect, it } from 'vitest'
import { tortureSdkRestarts } from './testing/sdk-restarts.ts'
import { tortureSdk } from './testing/sdk-torture.ts'

// Guards the purpose of the SDK: a program gets what was published, whatever happens to its connection. `npm run
// torture -- --sdk` runs twenty times as many.
describe('a program using the SDK gets what was published, in order and once, or a gap that names what is missing', () => {
  it('over random schedules of cuts, pauses and updates', async () => {
    const { problems, ...counts } = await tortureSdk(inCi(150, 40), 1)

    expect(problems).toEqual([])
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(0)
  }, 180_000)

  it('over 5 schedules with kills of the service', async () => {
    // So few kills may show no gap; the schedules above have hundreds.
    const { problems, gaps: _, ...counts } = await tortureSdkRestarts(5, 1)

    expect(problems).toEqual([])
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(0)
  }, 180_000)
})
