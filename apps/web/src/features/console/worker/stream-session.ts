import type { Stream } from '@pairwire/client'
import { CLOSE_CODES } from '@pairwire/contract/close-codes'
import type { MessageReading } from '../read-event.ts'
import { CONNECTION_ERROR, WEBSOCKET_CLOSED } from '../words.ts'
import type { WorkerReport, WorkerRequest } from '../worker-messages.ts'
import { createIntake } from './intake.ts'
import { createRecorder } from './recorder.ts'
import { createRecording, type Recording } from './recording.ts'
import { type Asked, resumedRequest } from './resumed-request.ts'
import { createStoppingPlace } from './stopping-place.ts'
import { createSubscriptionBook } from './subscription-book.ts'

/** Answers the page, on behalf of the one socket. */
type StreamSession = Readonly<{
  handle(request: WorkerRequest): void
}>

/** What a session works with. */
type StreamSessionParts = Readonly<{
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
const REFUSALS: ReadonlyMap<number, string> = new Map(
  (['keyUnknown', 'noPlan', 'connectionLimit'] as const).map((name) => [CLOSE_CODES[name], name]),
)

/**
 * Joins the socket to the books. On each connection the subscription to the block feed goes first, then the request
 * as it was typed; or, when the person asks for that, every subscription of the last connection together, each behind
 * the last of its events that was counted. A closed connection stays closed.
 */
export function createStreamSession({ stream, clock, report, nextTurn }: StreamSessionParts): StreamSession {
  const place = createStoppingPlace()
  const subscriptions = createSubscriptionBook()
  const recorder = createRecorder(place, subscriptions)
  let sampledAt = Number.NEGATIVE_INFINITY
  const intake = createIntake({
    clock,
    take(text, countOnly) {
      const now = clock()
      if (countOnly) sampledAt = now
      if (recording && !recording.take(text)) endRecording(true)
      recorder.take(text, now, countOnly)
    },
  })
  let recording: Recording | undefined
  let isTurnAsked = false
  /** Sent when the connection is open. */
  let messages: readonly string[] = []
  /** The subscriptions of the last connection that was open. */
  let standing: readonly Asked[] = []
  let hasOpened = false
  let hasFailed = false
  let hasHeard = false
  /** Whether the person has ended the connection. */
  let isStopped = false

  stream.subscribe({
    opened() {
      hasOpened = true
      recorder.opened(clock())
      send(BLOCK_FEED)
      for (const message of messages) send(message)
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
        return open(asked)
      case 'send':
        return send(asked.text)
      case 'close':
        isStopped = true
        return stream.close()
      case 'pull': {
        const now = clock()
        const snapshot = recorder.snapshot(now, asked)
        const told = {
          ...snapshot,
          isSampling: now - sampledAt < SAMPLE_SHOWN_MS,
          recording: recording?.size,
        }
        return report({ kind: 'snapshot', snapshot: told }, [snapshot.buckets.buffer, snapshot.starts.buffer])
      }
      case 'filter':
        return recorder.filter(asked.filter)
      case 'record':
        if (!asked.on) return endRecording()
        recording ??= createRecording()
        return
      case 'name':
        return recorder.name(asked.faces)
      case 'note':
        return recorder.note(asked.reading, clock())
      case 'clear':
        return recorder.clear(clock())
      case 'undo':
        return recorder.undo(clock())
    }
  }

  function send(text: string) {
    if (stream.send(text)) subscriptions.sent(text)
  }

  function open({ url, key, request: typed, resumes }: Extract<WorkerRequest, { kind: 'open' }>) {
    if (stream.state !== 'idle') return
    if (!resumes || standing.length === 0) {
      standing = []
      place.forget()
    }
    messages = standing.length === 0 ? [typed] : standing.map(resumed)
    hasOpened = hasFailed = hasHeard = isStopped = false
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

  function endRecording(isFull = false) {
    if (!recording) return
    const { frames } = recording.size
    report({ kind: 'recorded', file: recording.finish(), frames, isFull }, [])
    recording = undefined
  }

  function ended(reason: string, code = 0) {
    intake.flush()
    endRecording()
    const failed = hasOpened ? !hasHeard && REFUSALS.has(code) : hasFailed
    const refusal = { errorType: REFUSALS.get(code) ?? '', docs: '', oldest: '' }
    if (failed) note({ tone: 'error', words: CONNECTION_ERROR, detail: reason, refusal })
    note({ tone: 'notice', words: WEBSOCKET_CLOSED, detail: failed ? '' : reason })
    recorder.stopped(clock())
    if (hasOpened) standing = subscriptions.standing(reason)
    subscriptions.forget()
    place.closed(reason)
    const isMeant = isStopped || code === CLOSE_CODES.disconnected
    const isPlaced = standing.some(({ kind }) => place.read(kind) !== undefined)
    const resumable = isMeant || !isPlaced ? [] : standing.map(({ kind }) => kind)
    report({ kind: 'closed', isStopped, reason, resumable }, [])
  }

  function resumed(asked: Asked): string {
    const cursor = place.read(asked.kind)
    // A kind that brings nothing before the next break is resumed from the same place.
    if (cursor !== undefined) place.counted(asked.kind, JSON.stringify({ cursor }))
    return resumedRequest(asked, cursor)
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
