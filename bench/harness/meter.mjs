import { watchLoop } from './pauses.mjs'

const SAMPLED_MS = 100

/** Measures this process from one `begin` to `read`: processor time, memory, and on request pauses of its loop. */
export function createMeter({ watchesLoop = false } = {}) {
  let cpu = process.cpuUsage()
  let began = performance.now()
  let rss = []
  setInterval(() => rss.push(process.memoryUsage.rss()), SAMPLED_MS).unref()
  const loop = watchesLoop ? watchLoop() : undefined
  return {
    begin() {
      loop?.begin()
      rss = [process.memoryUsage.rss()]
      cpu = process.cpuUsage()
      began = performance.now()
    },
    read() {
      const { user, system } = process.cpuUsage(cpu)
      const sorted = [...rss, process.memoryUsage.rss()].sort((one, other) => one - other)
      return {
        cores: (user + system) / 1e3 / (performance.now() - began),
        startBytes: rss[0],
        rssBytes: sorted[sorted.length >> 1],
        mostBytes: sorted.at(-1),
        ...loop?.read(),
      }
    },
  }
}
