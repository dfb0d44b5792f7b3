import type { Duplex } from 'node:stream'
import type { Clock } from '@pairwire/basics'
import type { WebSocket } from 'ws'
import type { Hub } from '../fanout/hub.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Rate } from '../rates/rate.ts'
import { FrameCutter } from './frame-cutter.ts'
import { Turns } from './turns.ts'

type PausableReader = Pick<WebSocket, 'pause' | 'resume'>
type IntakeLimits = Pick<GatewayLimits, 'turnBytes' | 'frameReadingBytes' | 'readingAfterRest'>

/**
 * Schedules the reading of all clients. All sockets share one thread, so a frame is passed to `ws` only when its
 * account may have it read and the current turn of the loop has room for it. Until then the socket is not read: what
 * the client sends stays in its own queue.
 */
export class Intake {
  readonly #shared: Shared

  /** @param atEdge runs its callback once requests are executed: no more is read before than fits in one turn */
  constructor(clock: Clock, limits: IntakeLimits, atEdge: Hub['atEdge']) {
    this.#shared = { clock, limits, turns: new Turns(limits.turnBytes, atEdge) }
  }

  /**
   * Takes over the reading of a socket from `ws`; call it before any byte arrives.
   *
   * @param reading bytes that may be read of its account
   */
  open(ws: PausableReader, socket: Duplex, reading: Rate): Inlet {
    return new Inlet(ws, socket, reading, this.#shared)
  }
}

/** The parts that the inlets of all sockets share. */
type Shared = Readonly<{ clock: Clock; limits: IntakeLimits; turns: Turns }>

/**
 * The inlet of one socket.
 *
 *                  others wait, or the turn is full
 *     chunk -> reading -----------------------> queued ---- its turn: one frame ---+
 *                ^ |                             ^  ^                              |
 *                | +--> resting ---- refilled ---+  +------ more has come ---------+
 *                |      the account has spent its reading                          |
 *                +---------------------- all is read ------------------------------+
 *
 * Each state leads to `stopped`. The socket is read only in `reading`.
 */
export class Inlet {
  readonly #ws: PausableReader
  readonly #socket: Duplex
  readonly #reading: Rate
  readonly #shared: Shared
  readonly #frames: FrameCutter
  /** Passes bytes to `ws`. */
  readonly #pass: (piece: Buffer) => void
  #state: 'reading' | 'queued' | 'resting' | 'stopped' = 'reading'
  #isDiscarding = false
  #cancelWait = () => {}
  /** Received and unread bytes; the piece from `at` to `end` is next. */
  #rest: Buffer | undefined
  #at = 0
  #end = 0
  #cost = 0

  constructor(ws: PausableReader, socket: Duplex, reading: Rate, shared: Shared) {
    const [pass] = socket.listeners('data')
    if (!pass) throw new Error('The websocket does not read its socket.')
    this.#ws = ws
    this.#socket = socket
    this.#reading = reading
    this.#shared = shared
    this.#frames = new FrameCutter(shared.limits.frameReadingBytes)
    this.#pass = (piece) => pass.call(socket, piece)
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.once('close', () => this.stop())
  }

  /** Discards what has arrived and will arrive: the socket's frames can no longer be read. */
  discard(): void {
    if (this.#isDiscarding) return
    this.#isDiscarding = true
    if (this.#rest) this.#findPiece(this.#rest)
  }

  /** Stops reading: what arrives stays with the sender. */
  stop(): void {
    this.#state = 'stopped'
    this.#rest = undefined
    this.#cancelWait()
    this.#ws.pause()
  }

  /** Whether something has arrived that was not passed on yet. */
  holdsUnread(): boolean {
    return this.#rest !== undefined
  }

  #take(chunk: Buffer): void {
    if (this.#state === 'reading') {
      this.#rest = chunk
      this.#at = 0
      this.#findPiece(chunk)
      this.#goOn()
      return
    }
    // `ws` resumes a socket once it is done with it.
    this.#socket.pause()
  }

  #findPiece(rest: Buffer): void {
    this.#end = this.#isDiscarding ? rest.length : this.#frames.advance(rest, this.#at)
    this.#cost = this.#isDiscarding ? rest.length - this.#at : this.#frames.cost
  }

  /** Reads what has arrived, until it has to wait or nothing is left. */
  #goOn(): void {
    while (this.#rest) {
      const cause = this.#cost > 0 ? this.#causeToWait() : undefined
      if (cause) {
        this.#wait(cause)
        return
      }
      this.#readPiece(this.#rest)
    }
    if (this.#state === 'reading' || this.#state === 'stopped') return
    this.#state = 'reading'
    this.#ws.resume()
    // `ws` waits for a reader that has ended.
    if (this.#isDiscarding) this.#socket.resume()
  }

  #causeToWait(): 'resting' | 'queued' | undefined {
    if (!this.#reading.has(0)) return 'resting'
    return this.#shared.turns.isFree() ? undefined : 'queued'
  }

  #wait(state: 'queued' | 'resting'): void {
    const { clock, limits, turns } = this.#shared
    this.#ws.pause()
    this.#state = state
    if (state === 'queued') {
      const spent = this.#reading.spent() + this.#cost
      this.#cancelWait = turns.wait(spent, () => this.#serve())
    } else {
      const ms = this.#reading.msUntil(limits.readingAfterRest)
      this.#cancelWait = clock.after(ms, () => this.#wait('queued'))
    }
  }

  #serve(): void {
    if (this.#rest) this.#readPiece(this.#rest)
    this.#goOn()
  }

  #readPiece(rest: Buffer): void {
    const piece = rest.subarray(this.#at, this.#end)
    const isWanted = !this.#isDiscarding
    if (this.#cost > 0) {
      this.#reading.draw(this.#cost)
      this.#shared.turns.spend(this.#cost)
    }
    if (this.#frames.isClosed) this.#isDiscarding = true
    this.#at = this.#end
    this.#rest = this.#at === rest.length ? undefined : rest
    if (this.#rest) this.#findPiece(this.#rest)
    if (isWanted) this.#pass(piece)
  }
}
