import { Duplex } from 'node:stream'

/** The header by which a client of a test asks for a narrow line. */
export const NARROW_HEADER = 'x-narrow-line'

/**
 * A thin line to a client: it takes bytes as far as there is room, and then none until it is widened. A slow reader on
 * one machine shows nothing for a long time, since the system keeps megabytes for it.
 */
export class NarrowLine extends Duplex {
  readonly #socket: Duplex
  readonly #mostRoom: number
  #room: number
  #waiting: { bytes: Buffer; taken: () => void } | undefined

  /** A line over `socket` that never has more room than `mostRoom`, and begins with that. */
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

  /** Makes room for so many bytes more. */
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
    // What has begun is written to its end, and owed.
    this.#room -= waiting.bytes.length
    this.#socket.write(waiting.bytes)
    waiting.taken()
  }
}
