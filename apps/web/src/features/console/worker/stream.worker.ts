import { createStream } from '@pairwire/client'
import { CLOSE_REASONS } from '@pairwire/contract/close-codes'
import type { MessageReading } from '../read-event.ts'
import { CONNECTION_ERROR, WEBSOCKET_CLOSED } from '../words.ts'
import type { WorkerReport, WorkerRequest } from '../worker-messages.ts'
import { createIntake } from './intake.ts'
import { createRecorder } from './recorder.ts'

// Owns the console's socket: everything that comes in is read, counted and kept here, and the page only asks for
// what it is about to show.

/** Sent first on every connection. */
const BLOCK_FEED = '{"method":"latestBlockSubscribe"}'

/** Closes that mean the same as a refused connection when nothing came before them. */
const REFUSALS: ReadonlySet<number> = new Set([
  CLOSE_REASONS.keyUnknown.code,
  CLOSE_REASONS.noPlan.code,
  CLOSE_REASONS.connectionLimit.code,
])

const recorder = createRecorder()
const intake = createIntake({
  clock: () => performance.now(),
  take: (text, countOnly) => recorder.take(text, Date.now(), countOnly),
})
const stream = createStream()
const turn = new MessageChannel()
let isTurnAsked = false
let request = ''
let hasOpened = false
let hasFailed = false
let hasHeard = false

turn.port1.onmessage = () => {
  isTurnAsked = false
  if (intake.drain()) askTurn()
}

stream.subscribe({
  opened() {
    hasOpened = true
    stream.send(BLOCK_FEED)
    stream.send(request)
    report({ kind: 'open' })
  },
  text(text) {
    hasHeard = true
    intake.push(text)
    askTurn()
  },
  failed() {
    hasFailed = true
  },
  closed: ({ code, reason }) => ended(reason, code),
})

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  switch (data.kind) {
    case 'open':
      if (stream.state !== 'idle') return
      request = data.request
      hasOpened = hasFailed = hasHeard = false
      recorder.started(Date.now())
      report({ kind: 'connecting' })
      return open(data.url, data.key)
    case 'send':
      return void stream.send(data.text)
    case 'close':
      return stream.close()
    case 'pull': {
      const snapshot = recorder.snapshot(Date.now(), data)
      const told: WorkerReport = {
        kind: 'snapshot',
        snapshot: { ...snapshot, isSampling: intake.isSampling },
      }
      return self.postMessage(told, [snapshot.buckets.buffer])
    }
    case 'filter':
      return recorder.filter(data.filter)
    case 'note':
      return recorder.note(data.reading, Date.now())
    case 'clear':
      return recorder.clear(Date.now())
    case 'undo':
      return recorder.undo(Date.now())
  }
}

function open(url: string, key: string) {
  try {
    stream.open(url, key)
  } catch (error) {
    // Only an address that is none ends here.
    hasFailed = true
    ended(error instanceof Error ? error.message : '')
  }
}

function ended(reason: string, code = 0) {
  intake.flush()
  const failed = hasOpened ? !hasHeard && REFUSALS.has(code) : hasFailed
  if (failed) note({ tone: 'error', words: CONNECTION_ERROR, detail: reason })
  note({ tone: 'notice', words: WEBSOCKET_CLOSED, detail: failed ? '' : reason })
  recorder.stopped(Date.now())
  report({ kind: 'closed', failed, reason })
}

function askTurn() {
  if (isTurnAsked) return
  isTurnAsked = true
  turn.port2.postMessage(null)
}

function note(reading: Omit<MessageReading, 'kind'>) {
  recorder.note({ kind: 'message', ...reading }, Date.now())
}

function report(message: WorkerReport) {
  self.postMessage(message)
}
