import type { Duplex } from 'node:stream'
import type { Clock } from '@pairwire/basics'
import { Frames, type Held } from '../protocol/frames.ts'
import type { Line } from '../protocol/line.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import { FrameQueue } from './frame-queue.ts'
import type { Debtor, OutboxBudget } from './outbox-budget.ts'

/** Makes the last frames of a connection; `lost` is the cursor of the first queued event that will not be sent. */
type LastFrames = (lost: string | undefined) => Buffer

/** The owner of an outbox: its connection. */
export type OutboxOwner = Readonly<{
  /** Bytes of a backlog were taken, which means that the client is reading. */
  moved(): void
  /** All outboxes together hold too much, and this one the most: it drops its queue. */
  overBudget(): void
  /** Even without its queue it holds too much: cuts it. */
  terminate(): void
}>

/** What an outbox needs. */
type OutboxParts = Readonly<{
  line: Pick<Line, 'isOpen'>
  socket: Duplex
  /** Follows each batch from a queue. */
  ping: Buffer
  budget: OutboxBudget
  owner: OutboxOwner
  clock: Clock
  maxBytes: number
}>

/** Bytes handed to a socket from the queue at a time; they cannot be recalled. */
const HANDED_BYTES = 64 * 1024

/**
 * A ping follows each batch from a queue: its pong shows that the client has read that far, while the system may take
 * megabytes at once and then nothing for many seconds.
 */
const PINGS_PER_SECOND = 10
const PINGS_BURST = 100

const NOTHING = Buffer.alloc(0)

/**
 * A client's outbox: writes whole frames straight to its socket, bypassing `ws`, which is safe without compression. A
 * client that keeps up has no queue: its frames go to the system at once. One that falls behind has a queue here,
 * limited in bytes and counted in the shared budget, and its socket gets a little at a time, so that the queue can be
 * dropped between two frames.
 *
 * A class, since `write` is called for every client and window: reading its fields takes one step, a closure's three.
 */
export class Outbox implements Debtor {
  readonly #line: OutboxParts['line']
  readonly #socket: Duplex
  readonly #ping: Buffer
  readonly #budget: OutboxBudget
  readonly #owner: OutboxOwner
  readonly #clock: Clock
  readonly #maxBytes: number
  /** Exists while the client is behind. */
  #queue: FrameQueue | undefined
  /** What the socket has been handed while the client is behind. */
  #inHand: Held[] = []
  #pings: Rate | undefined
  #isFinishing = false
  #lastFrames: LastFrames | undefined
  #whenTaken: (() => void) | undefined
  #whenDrained: (() => void)[] = []
  /** Cursor of the first event that was dropped. */
  #lost: string | undefined

  /** Creates the outbox of an open line over `socket`. */
  constructor({ line, socket, ping, budget, owner, clock, maxBytes }: OutboxParts) {
    this.#line = line
    this.#socket = socket
    this.#ping = ping
    this.#budget = budget
    this.#owner = owner
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  /** Queues `frames`; queues nothing and returns false when the client has left too much unread or is closing. */
  write(frames: Frames): boolean {
    if (this.#isFinishing || !this.#line.isOpen()) return false
    if (this.#queue && this.queuedBytes() > this.#maxBytes) return false
    this.#put(frames)
    return true
  }

  /**
   * Queues the last frames, however much is unread, and accepts no more by `write`. Calls `taken` once the system has
   * taken everything, or at once when nothing is queued. If the queue before them is dropped, they are made again.
   */
  finish(lastFrames: LastFrames, taken: () => void): void {
    this.#isFinishing = true
    this.#lastFrames = lastFrames
    this.writeAnyhow(lastFrames(this.#lost))
    if (this.#queue) this.#whenTaken = taken
    else taken()
  }

  /** Queues frames however much is unread, before and after `finish`. */
  writeAnyhow(bytes: Buffer): void {
    // After the close frame any byte is a protocol error (RFC 6455 section 5.5.1).
    if (bytes.length > 0 && this.#line.isOpen()) this.#put(new Frames(bytes))
  }

  /** Drops the queue, except what the socket has been handed and the last frames. */
  giveUp(): void {
    // The socket may have the last frames too.
    if (!this.#queue || this.#queue.isEmpty) return
    this.#lost ??= this.#queue.firstCursor()
    this.#queue.clear()
    if (this.#lastFrames) this.writeAnyhow(this.#lastFrames(this.#lost))
  }

  /** Calls back once nothing is queued, or never will be; at once if that is so now. */
  whenDrained(callback: () => void): void {
    if (this.#queue) this.#whenDrained.push(callback)
    else callback()
  }

  /** The socket is closed: holds nothing more. */
  close(): void {
    this.#release()
    this.#queue?.clear()
    this.#queue = undefined
    this.#whenTaken = undefined
    this.#budget.leave(this)
    this.#tellDrained()
  }

  /** Bytes that the system has not taken yet. */
  queuedBytes(): number {
    return this.#socket.writableLength + (this.#queue?.bytes ?? 0)
  }

  get ownBytes(): number {
    return this.#queue?.ownBytes ?? 0
  }

  overBudget(): void {
    this.#owner.overBudget()
  }

  cut(): void {
    this.close()
    this.#owner.terminate()
  }

  #put(frames: Frames): void {
    if (this.#queue) this.#queue.push(frames)
    else {
      this.#socket.write(frames.bytes)
      if (this.#socket.writableLength > 0) this.#fallBehind(frames)
    }
  }

  #fallBehind(frames: Frames): void {
    this.#queue = new FrameQueue(this.#budget)
    this.#budget.enter(this)
    this.#inHand = [frames]
    this.#socket.write(NOTHING, this.#onTaken)
    this.#budget.hold(frames)
  }

  /** The system has taken what the socket was handed, or the socket broke. */
  readonly #onTaken = (error?: Error | null) => {
    this.#release()
    const queue = this.#queue
    if (!queue) return
    if (error || !this.#line.isOpen()) {
      this.close()
      return
    }
    this.#owner.moved()
    if (!queue.isEmpty) {
      this.#handOver(queue)
      return
    }
    this.#queue = undefined
    this.#budget.leave(this)
    const taken = this.#whenTaken
    this.#whenTaken = undefined
    taken?.()
    this.#tellDrained()
  }

  #tellDrained(): void {
    const callbacks = this.#whenDrained
    if (callbacks.length === 0) return
    this.#whenDrained = []
    for (const callback of callbacks) callback()
  }

  #handOver(queue: FrameQueue): void {
    this.#inHand = queue.take(HANDED_BYTES)
    this.#pings ??= createRate(this.#clock, PINGS_PER_SECOND, PINGS_BURST)
    const last = this.#pings.take() ? this.#ping : NOTHING
    this.#socket.cork()
    for (const { bytes } of this.#inHand) this.#socket.write(bytes)
    this.#socket.write(last, this.#onTaken)
    this.#socket.uncork()
  }

  #release(): void {
    const inHand = this.#inHand
    this.#inHand = []
    for (const held of inHand) this.#budget.release(held)
  }
}
