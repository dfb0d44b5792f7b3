import { createLine } from '@pairwire/client/line'
import type { WorkerRequest } from '../feed/worker-messages.ts'
import { StreamSession } from './stream-session.ts'

// Owns the console's socket: everything that arrives is read, counted and kept here, and the page requests only what it
// is about to show.

const turn = new MessageChannel()
let act = () => {}
turn.port1.onmessage = () => act()

const session = new StreamSession({
  stream: createLine(),
  clock: () => Date.now(),
  report: (report, transfer) => self.postMessage(report, { transfer }),
  nextTurn(next) {
    act = next
    turn.port2.postMessage(null)
  },
})

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => session.handle(data)
