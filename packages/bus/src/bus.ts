import type { ControlMessage, EarlyMessage, StreamEvent } from '@pairwire/contract'

/**
 * Events and control messages between the parts. Events keep the order in which they were published, which is
 * the order of their cursors.
 */
export type Bus = Readonly<{
  /**
   * Publishes a batch; resolves when the bus has taken it. Listeners get it in one call or in several. `id` names the block
   * that it is of, the same in every process that reads it: `slot:blockhash`.
   */
  publish(events: readonly StreamEvent[], id?: string): Promise<void>
  /** Hands every later batch to `listener` until the returned function is called. */
  subscribe(listener: (events: readonly StreamEvent[]) => void): () => void
  /**
   * Events after `cursor` (exclusive) that the bus still holds, oldest first, in batches of some hundred; ends at the
   * newest one at the time of the last pull. What was published but could not be kept is a gap among them. However
   * slowly it is pulled, nothing is held for it. What has to be parsed for it is parsed `inTurn`, or at once.
   * @throws CursorTooOldError when events after it were dropped already.
   */
  replay(cursor: string, inTurn?: InTurn): AsyncIterable<readonly StreamEvent[]>
  /** Whether {@link Bus.replay} has all that follows `cursor`, or says a gap for it. Nothing is read for it but heads. */
  holds(cursor: string): Promise<boolean>
  /** Cursor of the oldest event held; undefined while there is none. */
  oldestCursor(): Promise<string | undefined>
  /** Cursor of the newest event that was published, by any process; undefined while none is known. */
  newestCursor(): Promise<string | undefined>
  /** Forgets every event, so that any cursor may come next. */
  startAnew(): Promise<void>
  /**
   * Hands on what was executed and is not confirmed yet, to present listeners: it is neither kept nor sent again, and
   * has no order with the batches. @throws what a listener in this process throws
   */
  publishEarly(message: EarlyMessage): void
  /** Whether anybody listens to that, in any process as far as is known; if nobody does, it need not be made. */
  wantsEarly(): boolean
  /** Hands every early message to `listener` until the returned function is called. */
  onEarly(listener: (message: EarlyMessage) => void): () => void
  /** Sends a control message to every listener, on every process of the deployment. */
  sendControl(message: ControlMessage): Promise<void>
  onControl(listener: (message: ControlMessage) => void): () => void
  /**
   * Asks the process that answers `subject` (words of letters, digits, `-` and `_`, with dots between), in any process. Body and
   * answer are JSON; with several who answer the first answer counts. @throws NoAnswerError
   */
  request(subject: string, body: unknown, timeoutMs: number): Promise<unknown>
  /** Answers requests, until the returned function is called. What the handler throws is told in no detail. */
  answer(subject: string, handler: RequestHandler): () => void
  /** Ends every subscription; publishing afterwards throws. */
  close(): Promise<void>
}>

/** Has work on so many bytes of text, which holds the thread, done when the thread has time for it. */
export type InTurn = <Value>(bytes: number, work: () => Value) => Promise<Value>

/** Makes the answer to a request of which nothing is known but that its body is JSON. */
export type RequestHandler = (body: unknown) => unknown

/** A request was not answered: nobody answers its subject, or not in time, or the handler failed. */
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

/** The bus no longer holds what follows the cursor. */
export class CursorTooOldError extends Error {
  readonly oldest: string | undefined

  constructor(oldest: string | undefined) {
    super('The cursor is older than the oldest event held.')
    this.name = 'CursorTooOldError'
    this.oldest = oldest
  }
}
