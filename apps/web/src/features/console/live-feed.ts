import { serverClock } from '../../api/server-clock.ts'
import { type ConsoleFeed, createConsoleFeed } from './console-feed.ts'
import { openWorker } from './open-worker.ts'

/** The one feed of this tab: its rows stay while the visit lasts, its connection as long as the console is shown. */
export const liveFeed: ConsoleFeed = createConsoleFeed({
  createWorker: openWorker,
  clock: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
  nextFrame: (act) => requestAnimationFrame(act),
  isHidden: () => document.hidden,
  clockOffset: serverClock.offset,
})
