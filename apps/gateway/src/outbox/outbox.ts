import type { Duplex } from 'node:stream'
import type { Clock } from '@pairwire/basics'
import { WebSocket } from 'ws'
import { Frames, type Held } from '../protocol/frames.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import { FrameQueue } from './frame-queue.ts'
import type { Debtor, OutboxBudget } from './outbox-budget.ts'

/** Makes the last frames of a connection; `lost` is the cursor of the first event that was queued and will not come. */
type LastFrames = (lost: string | undefined) => Buffer

/** Who owns an outbox: its connection. */
export type OutboxOwner = Readonly<{
  /** Bytes of a backlog were taken, which only a client that reads makes room for. */
  moved(): void
  /** All outboxes together hold too much, and this one the most: its queue has to go. */
  overBudget(): void
  /** Even without its queue it holds too much. */
  cut(): void
}>

/** What an outbox needs. */
type OutboxParts = Readonly<{
  ws: WebSocket
  socket: Duplex
  budget: OutboxBudget
  owner: OutboxOwner
  clock: Clock
  maxBytes: number
}>

/** Bytes that a socket is handed at a time from the queue; they are beyond recall. */
const HANDED_BYTES = 64 * 1024

/**
 * A ping without a payload. One follows what is handed over from a queue: its answer tells that the client has read so
 * far, where the system may take megabytes in one go and then nothing for many seconds.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.5.2
 */
const PING = Buffer.of(0x89, 0)
const PINGS_PER_SECOND = 10
const PINGS_BURST = 100

const NOTHING = Buffer.alloc(0)

/**
 * A client's way out: whole frames, written straight to its socket beside `ws`, which is safe while no compression is
 * agreed. Who keeps up has an empty queue: what is written goes to the system at once. Who falls behind has a queue
 * here, bounded in bytes and counted in the budget of all, and the socket is handed a little at a time: so the queue
 * can be given up between two frames.
 *
 * A class, since `write` is called for every client and window: its fields are one look away, a closure's are three.
 */
export class Outbox implements Debtor {
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #budget: OutboxBudget
  readonly #owner: OutboxOwner
  readonly #clock: Clock
  readonly #maxBytes: number
  /** Present while the client is behind. */
  #queue: FrameQueue | undefined
  /** What the socket has in hand while the client is behind. */
  #inHand: Held[] = []
  #pings: Rate | undefined
  #isFinishing = false
  #lastFrames: LastFrames | undefined
  #whenTaken: (() => void) | undefined
  #whenDrained: (() => void)[] = []
  /** Cursor of the first event that was given up. */
  #lost: string | undefined

  /** The outbox of one open websocket over `socket`. */
  constructor({ ws, socket, budget, owner, clock, maxBytes }: OutboxParts) {
    this.#ws = ws
    this.#socket = socket
    this.#budget = budget
    this.#owner = owner
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  /** Queues `frames`; false, and nothing queued, when the client has left too much unread or is closing. */
  write(frames: Frames): boolean {
    if (this.#isFinishing || this.#ws.readyState !== WebSocket.OPEN) return false
    if (this.#queue && this.queuedBytes() > this.#maxBytes) return false
    this.#put(frames)
    return true
  }

  /**
   * Queues the last frames, whatever is unread already, and takes no more by `write`. Calls `taken` once the system
   * has taken everything; at once when nothing is queued. They are made anew when the queue before them is given up.
   */
  finish(lastFrames: LastFrames, taken: () => void): void {
    this.#isFinishing = true
    this.#lastFrames = lastFrames
    this.writeAnyhow(lastFrames(this.#lost))
    if (this.#queue) this.#whenTaken = taken
    else taken()
  }

  /** Queues frames whatever is unread already, before and after `finish`. */
  writeAnyhow(bytes: Buffer): void {
    // After the close frame any byte is a protocol fault (RFC 6455 section 5.5.1).
    if (bytes.length > 0 && this.#ws.readyState === WebSocket.OPEN) this.#put(new Frames(bytes))
  }

  /**
   * Gives the queue up, but for what the socket has in hand and the last frames.
   *
   * @returns the cursor of the first event that is lost by it, if one is
   */
  giveUp(): string | undefined {
    this.#lost ??= this.#queue?.firstCursor()
    this.#queue?.clear()
    if (this.#lastFrames) this.writeAnyhow(this.#lastFrames(this.#lost))
    return this.#lost
  }

  /** Calls back once nothing is queued, or nothing ever will be: at once, where that is so. */
  whenDrained(callback: () => void): void {
    if (this.#queue) this.#whenDrained.push(callback)
    else callback()
  }

  /** The socket is gone: nothing more is held. */
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
    this.#owner.cut()
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

  /** The system has taken what the socket had in hand, or the socket broke. */
  readonly #onTaken = (error?: Error | null) => {
    this.#release()
    const queue = this.#queue
    if (!queue) return
    if (error || this.#ws.readyState !== WebSocket.OPEN) {
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
    const last = this.#pings.take() ? PING : NOTHING
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
