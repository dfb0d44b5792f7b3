import type { Line } from '@pairwire/client/line'
import { CLOSE_CODES } from '@pairwire/contract/close-codes'
import type { MessageReading } from '../feed/read-event.ts'
import { type Asked, resumedRequest } from '../feed/resumed-request.ts'
import type { WorkerReport, WorkerRequest } from '../feed/worker-messages.ts'
import { CONNECTION_ERROR, WEBSOCKET_CLOSED } from '../words.ts'
import { createIntake, type Intake } from './intake.ts'
import { Recorder } from './recorder.ts'
import { createRecording, type Recording } from './recording.ts'
import { createStoppingPlace } from './stopping-place.ts'
import { createSubscriptionBook } from './subscription-book.ts'

/** What a session needs. */
type StreamSessionParts = Readonly<{
  stream: Line
  /** Unix milliseconds. */
  clock: () => number
  /** Reports to the page; the buffers of a snapshot's chart may be transferred. */
  report: (report: WorkerReport, transfer: ArrayBuffer[]) => void
  /** Calls back in a separate turn, after waiting messages. */
  nextTurn: (act: () => void) => void
}>

/** Sent first on every connection. */
const BLOCK_FEED = '{"method":"latestBlockSubscribe"}'

/** Milliseconds for which the page reports skipped rows: long enough to read. */
const SAMPLE_SHOWN_MS = 2_000

/** Closes that mean a refused connection when nothing came before them. */
const REFUSALS: ReadonlyMap<number, string> = new Map(
  (['keyUnknown', 'noPlan', 'connectionLimit'] as const).map((name) => [CLOSE_CODES[name], name]),
)

/**
 * Connects the socket with the recorder. On each connection the subscription to the block feed goes first, then the
 * request as typed; or, when the person requests that, every subscription of the last connection together, each after
 * its last counted event. A closed connection stays closed.
 */
export class StreamSession {
  readonly #parts: StreamSessionParts
  readonly #place = createStoppingPlace()
  readonly #subscriptions = createSubscriptionBook()
  readonly #recorder = new Recorder(this.#place, this.#subscriptions)
  readonly #intake: Intake
  #sampledAt = Number.NEGATIVE_INFINITY
  #recording: Recording | undefined
  #isTurnAsked = false
  /** Sent when the connection is open. */
  #messages: readonly string[] = []
  /** The subscriptions of the last open connection. */
  #standing: readonly Asked[] = []
  #hasOpened = false
  #hasFailed = false
  #hasHeard = false
  /** Whether the person has ended the connection. */
  #isStopped = false

  constructor(parts: StreamSessionParts) {
    this.#parts = parts
    this.#intake = createIntake({
      clock: parts.clock,
      take: (text, countOnly) => this.#take(text, countOnly),
    })
    parts.stream.subscribe({
      opened: () => this.#opened(),
      text: (text) => {
        this.#hasHeard = true
        this.#intake.push(text)
        this.#askTurn()
      },
      failed: () => {
        this.#hasFailed = true
      },
      closed: ({ code, reason }) => this.#ended(reason, code),
    })
  }

  handle(asked: WorkerRequest) {
    switch (asked.kind) {
      case 'open':
        return this.#open(asked)
      case 'send':
        return this.#send(asked.text)
      case 'close':
        this.#isStopped = true
        return this.#parts.stream.close()
      case 'pull': {
        const now = this.#parts.clock()
        const snapshot = this.#recorder.snapshot(now, asked)
        const told = {
          ...snapshot,
          isSampling: now - this.#sampledAt < SAMPLE_SHOWN_MS,
          recording: this.#recording?.size,
        }
        return this.#parts.report({ kind: 'snapshot', snapshot: told }, [
          snapshot.buckets.buffer,
          snapshot.starts.buffer,
        ])
      }
      case 'filter':
        return this.#recorder.filter(asked.filter)
      case 'record':
        if (!asked.on) return this.#endRecording()
        this.#recording ??= createRecording()
        return
      case 'name':
        return this.#recorder.name(asked.faces)
      case 'note':
        return this.#recorder.note(asked.reading, this.#parts.clock())
      case 'clear':
        return this.#recorder.clear(this.#parts.clock())
      case 'undo':
        return this.#recorder.undo(this.#parts.clock())
    }
  }

  #take(text: string, countOnly: boolean) {
    const now = this.#parts.clock()
    if (countOnly) this.#sampledAt = now
    if (this.#recording && !this.#recording.take(text)) this.#endRecording(true)
    this.#recorder.take(text, now, countOnly)
  }

  #opened() {
    this.#hasOpened = true
    this.#recorder.opened(this.#parts.clock())
    this.#send(BLOCK_FEED)
    for (const message of this.#messages) this.#send(message)
    this.#parts.report({ kind: 'open' }, [])
  }

  #send(text: string) {
    if (this.#parts.stream.send(text)) this.#subscriptions.sent(text)
  }

  #open({ url, key, request: typed, resumes }: Extract<WorkerRequest, { kind: 'open' }>) {
    if (this.#parts.stream.state !== 'idle') return
    if (!resumes || this.#standing.length === 0) {
      this.#standing = []
      this.#place.forget()
    }
    this.#messages =
      this.#standing.length === 0 ? [typed] : this.#standing.map((asked) => this.#resumed(asked))
    this.#hasOpened = this.#hasFailed = this.#hasHeard = this.#isStopped = false
    this.#recorder.started(this.#parts.clock())
    this.#parts.report({ kind: 'connecting' }, [])
    try {
      this.#parts.stream.open(url, key)
    } catch (error) {
      // Only an invalid address ends here.
      this.#hasFailed = true
      this.#ended(error instanceof Error ? error.message : '')
    }
  }

  #endRecording(isFull = false) {
    if (!this.#recording) return
    const { frames } = this.#recording.size
    this.#parts.report({ kind: 'recorded', file: this.#recording.finish(), frames, isFull }, [])
    this.#recording = undefined
  }

  #ended(reason: string, code = 0) {
    this.#intake.flush()
    this.#endRecording()
    const failed = this.#hasOpened ? !this.#hasHeard && REFUSALS.has(code) : this.#hasFailed
    // Its code is that of a missing plan.
    const isSuspended = reason.includes('suspended')
    const refusal = { errorType: (!isSuspended && REFUSALS.get(code)) || '', docs: '', oldest: '' }
    if (failed) this.#note({ tone: 'error', words: CONNECTION_ERROR, detail: reason, refusal })
    this.#note({ tone: 'notice', words: WEBSOCKET_CLOSED, detail: failed ? '' : reason })
    this.#recorder.stopped(this.#parts.clock())
    if (this.#hasOpened) this.#standing = this.#subscriptions.standing(reason)
    this.#subscriptions.forget()
    this.#place.closed(reason)
    const isOver = this.#isStopped || code === CLOSE_CODES.disconnected || code === CLOSE_CODES.noPlan
    const isPlaced = this.#standing.some(({ kind }) => this.#place.read(kind) !== undefined)
    const resumable = isOver || !isPlaced ? [] : this.#standing.map(({ kind }) => kind)
    this.#parts.report({ kind: 'closed', isStopped: this.#isStopped, reason, resumable }, [])
  }

  #resumed(asked: Asked): string {
    const cursor = this.#place.read(asked.kind)
    // A kind without events before the next break is resumed from the same cursor.
    if (cursor !== undefined) this.#place.counted(asked.kind, JSON.stringify({ cursor }))
    return resumedRequest(asked, cursor)
  }

  #askTurn() {
    if (this.#isTurnAsked) return
    this.#isTurnAsked = true
    this.#parts.nextTurn(() => {
      this.#isTurnAsked = false
      if (this.#intake.drain()) this.#askTurn()
    })
  }

  #note(reading: Omit<MessageReading, 'kind'>) {
    this.#recorder.note({ kind: 'message', ...reading }, this.#parts.clock())
  }
}
