import type { ControlMessage, EarlyMessage, StreamEvent } from '@pairwire/contract'

/**
 * Carries events and control messages between the parts. Events keep the order of publishing, which is the order of
 * their cursors.
 */
export type Bus = Readonly<{
  /**
   * Publishes a batch; resolves when the bus has taken it. Listeners get it in one call or in several. `id` is that of
   * its block, the same in every process that reads it: `slot:blockhash`.
   */
  publish(events: readonly StreamEvent[], id?: string): Promise<void>
  /** Passes every later batch to `listener` until the returned function is called. */
  subscribe(listener: (events: readonly StreamEvent[]) => void): () => void
  /**
   * Replays the events after `cursor` (exclusive) that the bus still holds, oldest first, in batches of some hundred;
   * ends at the event that is newest at the last pull. Events that were published but could not be kept appear as a
   * gap. However slowly it is pulled, it holds nothing. Parsing runs `inTurn`, or at once. @throws CursorTooOldError
   * when events after it were already dropped.
   */
  replay(cursor: string, inTurn?: InTurn): AsyncIterable<readonly StreamEvent[]>
  /** Whether {@link Bus.replay} has everything after `cursor`, or a gap for it. Reads only heads. */
  holds(cursor: string): Promise<boolean>
  /** Cursor of the oldest event held; undefined if there is none. */
  oldestCursor(): Promise<string | undefined>
  /** Cursor of the newest event published by any process; undefined if unknown. */
  newestCursor(): Promise<string | undefined>
  /** Forgets every event, so that any cursor may come next. */
  startOver(): Promise<void>
  /**
   * Sends an unconfirmed event to current listeners: it is neither kept nor repeated, and has no order relative to the
   * batches. @throws the error of a listener in this process
   */
  publishEarly(message: EarlyMessage): void
  /** Whether any process is known to listen to early events; if not, they need not be made. */
  wantsEarly(): boolean
  /** Passes every early message to `listener` until the returned function is called. */
  onEarly(listener: (message: EarlyMessage) => void): () => void
  /** Sends a control message to every listener, in every process of the deployment. */
  sendControl(message: ControlMessage): Promise<void>
  onControl(listener: (message: ControlMessage) => void): () => void
  /**
   * Sends a request to whichever process answers `subject` (words of letters, digits, `-` and `_`, separated by dots).
   * Body and answer are JSON; of several answers the first counts. @throws NoAnswerError
   */
  request(subject: string, body: unknown, timeoutMs: number): Promise<unknown>
  /** Sends a request to every process that answers `subject`; returns the answers that come in time, failed ones left out. */
  requestAll(subject: string, body: unknown, withinMs: number): Promise<readonly unknown[]>
  /** Answers requests until the returned function is called. Errors of the handler are reported without details. */
  answer(subject: string, handler: RequestHandler): () => void
  /** Ends every subscription; publishing afterwards throws. */
  close(): Promise<void>
}>

/** Runs work on that many bytes of text, which blocks the thread, when the thread has time for it. */
export type InTurn = <Value>(bytes: number, work: () => Value) => Promise<Value>

/** Answers a request, whose body is any JSON. */
export type RequestHandler = (body: unknown) => unknown

/** A request was not answered: nothing answers its subject, or not in time, or the handler failed. */
export class NoAnswerError extends Error {
  readonly reason: 'nobody' | 'timeout' | 'failed'

  constructor(subject: string, reason: NoAnswerError['reason']) {
    super(`${subject}: ${NO_ANSWER[reason]}`)
    this.name = 'NoAnswerError'
    this.reason = reason
  }
}

const NO_ANSWER = {
  nobody: 'nobody answers.',
  timeout: 'no answer came in time.',
  failed: 'the answer could not be made.',
}

/** The bus no longer holds the events after the cursor. */
export class CursorTooOldError extends Error {
  readonly oldest: string | undefined

  constructor(oldest: string | undefined) {
    super('The cursor is older than the oldest event held.')
    this.name = 'CursorTooOldError'
    this.oldest = oldest
  }
}
