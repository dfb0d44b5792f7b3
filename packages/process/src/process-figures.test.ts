import { expect, it } from 'vitest'
import { createMetrics, diskMetrics, metricTable, readFigures } from './metrics.ts'
import { VERSION, watchProcess } from './process-figures.ts'

it('a process reports its version, when it began, its processor time, its memory and how late its timers are', async () => {
  const look = watchProcess('gateway', 8001, { health: () => ({}), metrics: [] })
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await pause(60) // its timer has to run before one can be late
  const before = await look()
  const until = performance.now() + 1_100
  while (performance.now() < until); // blocks the loop
  await pause(60)

  const { name, startedAt, cores, memoryBytes, loopDelayMs } = await look()

  expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/)
  expect(name).toMatch(/:8001$/)
  expect(startedAt).toBe(before.startedAt)
  expect(Math.abs(startedAt + performance.now() - Date.now())).toBeLessThan(1_000)
  expect(cores).toBeGreaterThan(0.02) // a busy machine gives little of a core
  expect(memoryBytes).toBeGreaterThan(10_000_000)
  expect(loopDelayMs).toBeGreaterThan(800)
})

it('a process reports its figures by series, as /metrics writes them', async () => {
  const table = metricTable(
    [{ name: 'pairwire_disk_free_bytes', help: 'Free.', read: ({ free }: { free: number }) => free }],
    () => ({ free: 7 }),
  )

  const { figures } = await watchProcess('api', 3_000, { health: () => ({ bus: true }), metrics: [table] })()

  expect(figures).toEqual({ pairwire_disk_free_bytes: 7, 'pairwire_part_up{part="bus"}': 1 })
})

it('a process is looked at once for all who ask meanwhile', async () => {
  let looks = 0
  const health = () => ({ looked: ++looks > 0 })
  const look = watchProcess('api', 3_000, { health, metrics: [] })

  await Promise.all([look(), look()])
  expect(looks).toBe(1)
  await look()
  expect(looks).toBe(2)
})

it('leave out a figure that has not been read yet, such as the room on a disk', async () => {
  let free: number | undefined
  const metrics = diskMetrics(() => free)
  const [figures, page] = [readFigures([metrics]), createMetrics([metrics])]

  expect([await figures(), await page.text()]).toEqual([{}, expect.not.stringContaining('disk_free_bytes 0')])

  free = 7
  expect(await figures()).toEqual({ pairwire_disk_free_bytes: 7 })
})
