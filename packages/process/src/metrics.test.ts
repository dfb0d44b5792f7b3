import { expect, it } from 'vitest'
import { createMetrics, metricTable } from './metrics.ts'

const tableOf = (name: `pairwire_${string}`, read: () => Promise<number>) =>
  metricTable([{ name, help: 'A figure.', read: (figure: number) => figure }], read)

it('metrics are written in time with the last values of a part that does not answer', async () => {
  const answers = [Promise.resolve(1), new Promise<number>(() => {})]
  const stuck = tableOf('pairwire_stuck', () => answers.shift()!)
  const metrics = createMetrics([stuck, tableOf('pairwire_known', async () => 7)], 50)
  await metrics.text()

  expect(await metrics.text()).toMatch(/^pairwire_stuck 1$.*^pairwire_known 7$/ms)
})
