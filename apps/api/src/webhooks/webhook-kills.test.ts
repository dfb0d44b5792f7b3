import { inCi } from '@pairwire/basics/testing/in-ci'
import { expect, it } from 'vitest'
import { tortureWebhooks } from '../testing/webhook-torture.ts'

// Outside of this test `npm run torture -- --webhooks` kills more often.
it('endpoints get the filtered chain in order, whatever is killed: what comes twice has the same id and body, and nothing is missing without a gap or a dead letter', async () => {
  const { problems, ...counts } = await tortureWebhooks(inCi(20, 4), 1)

  expect(problems.join('\n')).toBe('')
  expect(counts).toMatchObject({ kills: inCi(20, 4), databaseKills: inCi(5, 1) })
  expect(counts.events).toBeGreaterThan(inCi(1_000, 200))
  expect(counts.repeats).toBeGreaterThan(0)
}, 300_000)
