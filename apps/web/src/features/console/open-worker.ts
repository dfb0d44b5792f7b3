import type { FeedWorker } from './console-feed.ts'
import workerUrl from './worker/stream.worker.ts?worker&url'
import type { WorkerReport, WorkerRequest } from './worker-messages.ts'

type Hear = (report: WorkerReport) => void

/**
 * The worker that owns the socket. Where something stands in for the page's websocket (a recorder, a proxy, a
 * test), which reaches into no worker, the page runs the worker's script itself, so that it is seen there.
 */
export function openWorker(hear: Hear): FeedWorker {
  return isNative(globalThis.WebSocket) ? openThread(hear) : openInPage(hear)
}

function openThread(hear: Hear): FeedWorker {
  const worker = new Worker(workerUrl, { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => hear(data)
  // A worker whose script does not load never speaks.
  worker.onerror = () => hear({ kind: 'unloaded' })
  return {
    post: (request: WorkerRequest) => worker.postMessage(request),
    terminate: () => worker.terminate(),
  }
}

let runs = 0

function openInPage(hear: Hear): FeedWorker {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<WorkerReport>) => hear(data)
  const script = document.createElement('script')
  script.type = 'module'
  // A script is run once an address.
  script.src = `${workerUrl}?${++runs}`
  script.onerror = () => hear({ kind: 'unloaded' })
  globalThis.pairwireStreamPort = port2
  document.head.append(script)
  return {
    post: (request: WorkerRequest) => port1.postMessage(request),
    terminate() {
      port1.onmessage = null
      port1.postMessage({ kind: 'close' } satisfies WorkerRequest)
      script.remove()
    },
  }
}

/** Whether `made` is the browser's own. */
function isNative(made: unknown): boolean {
  return Function.prototype.toString.call(made).includes('[native code]')
}
