import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type ProcessState, plansText } from '@pairwire/contract'
import { askParts, type HealthParts } from './health.ts'
import { type Metrics, partMetrics, readFigures } from './metrics.ts'

/** Version of this release: that of the `package.json` at the top, from the sources and from the bundle alike. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version

/** Milliseconds between two wake-ups of the timer whose delay is measured. */
const RESOLUTION_MS = 20

/** Milliseconds over which load is taken at least, and delays at most. */
const LOAD_MS = 1_000
const DELAYS_MS = 60_000

/** Watches this process. @returns a function that reads how it and its `parts` are doing, once for all who ask meanwhile */
export function watchProcess(
  part: ProcessState['part'],
  port: number,
  parts: Pick<HealthParts, 'health'> & Readonly<{ metrics: readonly Metrics[] }>,
): () => Promise<ProcessState> {
  const figures = readFigures([partMetrics(() => askParts(parts)), ...parts.metrics])
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const startedAt = Math.round(performance.timeOrigin)
  let looked = { atMs: 0, usage: process.cpuUsage({ user: 0, system: 0 }), cores: 0 }
  let cleared = { atMs: performance.now(), earlier: 0 }
  const look = async () => {
    const atMs = performance.now()
    if (atMs - looked.atMs >= LOAD_MS) {
      const { user, system } = process.cpuUsage(looked.usage)
      looked = { atMs, usage: process.cpuUsage(), cores: (user + system) / 1_000 / (atMs - looked.atMs) }
    }
    const longest = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    const loopDelayMs = Math.max(longest, cleared.earlier)
    if (atMs - cleared.atMs >= DELAYS_MS) {
      cleared = { atMs, earlier: longest }
      delays.reset()
    }
    return {
      ...{ part, name: `${hostname()}:${port}`, version: VERSION, startedAt },
      cores: Math.round(looked.cores * 1_000) / 1_000,
      memoryBytes: process.memoryUsage.rss(),
      loopDelayMs: Math.round(loopDelayMs * 10) / 10,
      plans: plansText(),
      figures: await figures(),
    }
  }
  let looking: Promise<ProcessState> | undefined
  return () => (looking ??= look().finally(() => (looking = undefined)))
}
