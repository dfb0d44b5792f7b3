import { api } from '../../api/api.ts'
import { serverClock } from '../../api/server-clock.ts'
import { announce } from '../../components/announce.ts'
import { type ConsoleFeed, createConsoleFeed, type FeedWorker } from './console-feed.ts'
import { figures } from './figures.ts'
import { fileName, saveFile } from './save-file.ts'
import { readFaces } from './token-face.ts'
import type { WorkerReport } from './worker-messages.ts'

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
  keep({ file, frames, isFull }) {
    saveFile(file, fileName(new Date(), 'ndjson'))
    const why = isFull ? 'The recording is full. ' : ''
    announce(`${why}${figures.whole(frames)} messages saved`, 'status')
  },
  askNames: async (mints) => readFaces(await api.tokens(mints)),
})

/** The worker that owns the socket. */
function openWorker(hear: (report: WorkerReport) => void): FeedWorker {
  const worker = new Worker(new URL('./worker/stream.worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => hear(data)
  // A worker whose script does not load never speaks.
  worker.onerror = () => hear({ kind: 'unloaded' })
  return { post: (request) => worker.postMessage(request), terminate: () => worker.terminate() }
}
