import { serverClock } from '../../api/server-clock.ts'
import { type ConsoleFeed, createConsoleFeed } from './console-feed.ts'
import type { WorkerReport, WorkerRequest } from './worker-messages.ts'

/** The one feed of this tab: its rows stay while the visit lasts, its connection as long as the console is shown. */
export const liveFeed: ConsoleFeed = createConsoleFeed({
  createWorker(hear) {
    const worker = new Worker(new URL('./worker/stream.worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => hear(data)
    // A worker whose script does not load never speaks.
    worker.onerror = () => hear({ kind: 'closed', failed: true, reason: '' })
    return {
      post: (request: WorkerRequest) => worker.postMessage(request),
      terminate: () => worker.terminate(),
    }
  },
  clock: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
  nextFrame: (act) => requestAnimationFrame(act),
  isHidden: () => document.hidden,
  clockOffset: serverClock.offset,
})
