import { createCoreWait, noteLongPauses } from './pauses.mjs'

const SAMPLED_MS = 100

/** What this process costs from one `begin` to `read`: processor time, memory, and pauses of its loop where asked for. */
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

/** Each look at the loop tells what passed since the last, and how long of it this thread waited for a core. */
function watchLoop() {
  const pauses = noteLongPauses()
  const waited = createCoreWait()
  let ownMs = 0
  let lookedAt = performance.now()
  let waitedMs = waited()
  setInterval(() => {
    const [now, waitedNow] = [performance.now(), waited()]
    ownMs = Math.max(ownMs, now - lookedAt - (waitedNow - waitedMs))
    lookedAt = now
    waitedMs = waitedNow
  }, 1)
  return {
    begin() {
      pauses.length = 0
      ownMs = 0
    },
    read: () => ({ pauses: [...pauses], ownMs }),
  }
}
