import { useSyncExternalStore } from 'react'
import { api } from '../../../api/api.ts'
import { announce } from '../../../components/announce.ts'
import { keep } from '../../../components/kept.ts'
import { formatCount } from '../../../locale/locale.ts'
import { serverClock } from '../../../session/server-clock.ts'
import { readKeptList } from '../kept-list.ts'
import { ConsoleFeed, type FeedWorker } from './console-feed.ts'
import type { FeedView } from './feed-view.ts'
import { fileName, saveFile } from './save-file.ts'
import { isFace, readFaces } from './token-face.ts'
import type { WorkerReport } from './worker-messages.ts'

/** Storage key of the tokens' names for the next visit. */
const NAMES_KEY = 'console.names'

/** The only feed of this tab: its rows stay for the visit, its connection while the console is shown. */
export const feed = new ConsoleFeed({
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
    announce(`${why}${formatCount(frames, 'message')} saved`, 'status')
  },
  askNames: async (mints) => readFaces(await api.tokens(mints)),
  rememberedNames: readKeptList(NAMES_KEY, isFace),
})

addEventListener('pagehide', () => keep(NAMES_KEY, JSON.stringify(feed.names.newest())))

/** Returns a part of the console's contents, and redraws when it changes. */
export function useFeed<Name extends keyof FeedView>(name: Name): FeedView[Name] {
  return useSyncExternalStore(feed.subscribe, () => feed.read()[name])
}

/** Starts the worker that owns the socket. */
function openWorker(hear: (report: WorkerReport) => void): FeedWorker {
  const worker = new Worker(new URL('../worker/stream.worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => hear(data)
  // A worker whose script does not load never sends a message.
  worker.onerror = () => hear({ kind: 'unloaded' })
  return { post: (request) => worker.postMessage(request), terminate: () => worker.terminate() }
}
