import { createMetrics } from '@pairwire/process'
import { expect, it } from 'vitest'
import { keptMetrics } from './kept-metrics.ts'

it('reports in metrics what is kept for resuming', async () => {
  const { text } = createMetrics([
    keptMetrics(async () => ({ bytes: 9_000, oldestCursor: '000000001-000398214000-000003-0001' })),
  ])

  const lines = (await text()).split('\n')

  expect(lines).toContain('pairwire_events_kept_bytes 9000')
  expect(lines).toContain('pairwire_events_kept_oldest_info{cursor="000000001-000398214000-000003-0001"} 1')
})
