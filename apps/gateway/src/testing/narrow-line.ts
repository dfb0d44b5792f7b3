import { Duplex } from 'node:stream'

/** Header by which a test client asks for a narrow connection. */
export const NARROW_HEADER = 'x-narrow-line'

/**
 * A narrow connection to a client: it takes bytes only while it has room, until it is widened. On one machine a slow
 * reader goes unnoticed for long, since the system buffers megabytes for it.
 */
export class NarrowLine extends Duplex {
  readonly #socket: Duplex
  readonly #mostRoom: number
  #room: number
  #waiting: { bytes: Buffer; taken: () => void } | undefined

  /** A connection over `socket` that never has more room than `mostRoom`, which it starts with. */
  constructor(socket: Duplex, mostRoom: number) {
    super()
    this.#socket = socket
    this.#mostRoom = mostRoom
    this.#room = mostRoom
    socket.on('data', (bytes) => {
      if (!this.push(bytes)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** Adds room for that many bytes. */
  widen(bytes: number): void {
    this.#room = Math.min(this.#room + bytes, Math.max(bytes, this.#mostRoom))
    this.#pass()
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(bytes: Buffer, _encoding: string, taken: () => void): void {
    this.#waiting = { bytes, taken }
    this.#pass()
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #pass(): void {
    const waiting = this.#waiting
    if (!waiting || this.#room <= 0) return
    this.#waiting = undefined
    // A started write is completed, and its excess is owed.
    this.#room -= waiting.bytes.length
    this.#socket.write(waiting.bytes)
    waiting.taken()
  }
}
