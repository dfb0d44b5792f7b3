import { Duplex } from 'node:stream'

/**
 * Replaces node-postgres's socket: bytes written to it go to the embedded database, and the answers arrive through {@link
 * PgliteStream.receive}.
 */
export class PgliteStream extends Duplex {
  readonly #send: (bytes: Uint8Array) => void
  readonly #gone: () => void

  /** `send` carries bytes to the database; `gone` is called once, when no more will come. */
  constructor(send: (bytes: Uint8Array) => void, gone: () => void) {
    super({ allowHalfOpen: false })
    this.#send = send
    this.#gone = gone
  }

  /** Takes bytes that the database answered. */
  receive(bytes: Uint8Array): void {
    if (!this.destroyed) this.push(bytes)
  }

  /** Connects at once: the database is in this process. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(new Uint8Array(chunk))
    done()
  }

  /** Sends parse, bind, execute and sync, which arrive together, as one message. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(new Uint8Array(Buffer.concat(chunks.map(({ chunk }) => chunk))))
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#gone()
    done(error)
  }
}
