import type { Stream } from '@pairwire/client'
import { CLOSE_REASONS } from '@pairwire/contract/close-codes'
import type { MessageReading } from '../read-event.ts'
import { CONNECTION_ERROR, WEBSOCKET_CLOSED } from '../words.ts'
import type { WorkerReport, WorkerRequest } from '../worker-messages.ts'
import { createIntake } from './intake.ts'
import { createRecorder } from './recorder.ts'

/** Answers the page, on behalf of the one socket. */
export type StreamSession = Readonly<{
  handle(request: WorkerRequest): void
}>

/** What a session works with. */
export type StreamSessionParts = Readonly<{
  stream: Stream
  /** Unix milliseconds. */
  clock: () => number
  /** Tells the page; the buffers of a snapshot's chart may be handed over. */
  report: (report: WorkerReport, transfer: ArrayBuffer[]) => void
  /** Calls back in a turn of its own, after what is waiting already. */
  nextTurn: (act: () => void) => void
}>

/** Sent first on every connection. */
const BLOCK_FEED = '{"method":"latestBlockSubscribe"}'

/** Milliseconds for which the page is told of rows that were left out: long enough to be read. */
const SAMPLE_SHOWN_MS = 2_000

/** Closes that mean a refused connection when nothing came before them. */
const REFUSALS: ReadonlySet<number> = new Set([
  CLOSE_REASONS.keyUnknown.code,
  CLOSE_REASONS.noPlan.code,
  CLOSE_REASONS.connectionLimit.code,
])

/**
 * Joins the socket to the books. On each connection the subscription to the block feed goes first, then the request
 * as it was typed. A closed connection stays closed.
 */
export function createStreamSession({ stream, clock, report, nextTurn }: StreamSessionParts): StreamSession {
  const recorder = createRecorder()
  let sampledAt = Number.NEGATIVE_INFINITY
  const intake = createIntake({
    clock,
    take(text, countOnly) {
      const now = clock()
      if (countOnly) sampledAt = now
      recorder.take(text, now, countOnly)
    },
  })
  let isTurnAsked = false
  let request = ''
  let hasOpened = false
  let hasFailed = false
  let hasHeard = false

  stream.subscribe({
    opened() {
      hasOpened = true
      stream.send(BLOCK_FEED)
      stream.send(request)
      report({ kind: 'open' }, [])
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

  return { handle }

  function handle(asked: WorkerRequest) {
    switch (asked.kind) {
      case 'open':
        return open(asked.url, asked.key, asked.request)
      case 'send':
        return void stream.send(asked.text)
      case 'close':
        return stream.close()
      case 'pull': {
        const now = clock()
        const snapshot = recorder.snapshot(now, asked)
        const told = { ...snapshot, isSampling: now - sampledAt < SAMPLE_SHOWN_MS }
        return report({ kind: 'snapshot', snapshot: told }, [snapshot.buckets.buffer])
      }
      case 'filter':
        return recorder.filter(asked.filter)
      case 'note':
        return recorder.note(asked.reading, clock())
      case 'clear':
        return recorder.clear(clock())
      case 'undo':
        return recorder.undo(clock())
    }
  }

  function open(url: string, key: string, text: string) {
    if (stream.state !== 'idle') return
    request = text
    hasOpened = hasFailed = hasHeard = false
    recorder.started(clock())
    report({ kind: 'connecting' }, [])
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
    recorder.stopped(clock())
    report({ kind: 'closed', failed, reason }, [])
  }

  function askTurn() {
    if (isTurnAsked) return
    isTurnAsked = true
    nextTurn(() => {
      isTurnAsked = false
      if (intake.drain()) askTurn()
    })
  }

  function note(reading: Omit<MessageReading, 'kind'>) {
    recorder.note({ kind: 'message', ...reading }, clock())
  }
}
