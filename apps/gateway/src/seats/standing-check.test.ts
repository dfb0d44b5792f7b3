import type { AccountStanding } from '@pairwire/accounts'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { expect, it } from 'vitest'
import { StandingCheck } from './standing-check.ts'

it('reports once per outage that keys cannot be checked again', async () => {
  const clock = createManualClock()
  const sentences: string[] = []
  let isAway = true
  const check = new StandingCheck({
    seats: () => [{ accountId: 'a1', standing: undefined }] as never,
    accounts: {
      async readStandings() {
        if (isAway) throw new Error('away')
        return new Map<string, AccountStanding>()
      },
    },
    found() {},
    clock,
    limits: { authorizeTimeoutMs: 1_000, standingsEveryMs: 4_000 },
    log: { info() {}, warn: (sentence) => sentences.push(sentence), error() {} },
  })
  check.wake()

  for (const away of [true, false, true]) {
    isAway = away
    for (let checks = 0; checks < 3; checks++) await clock.pass(4_000)
  }

  expect(sentences).toEqual(
    Array(2).fill('Keys and plans of the connected accounts could not be checked again.'),
  )
  check.close()
})
