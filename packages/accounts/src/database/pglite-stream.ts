import { Duplex } from 'node:stream'

/**
 * Stands in for node-postgres's socket: bytes written to it go to the embedded database, and the database's
 * answers come in by {@link PgliteStream.receive}.
 */
export class PgliteStream extends Duplex {
  readonly #send: (bytes: Uint8Array) => void
  readonly #gone: () => void

  /** `send` carries bytes to the database; `gone` is called once, when nothing more will come. */
  constructor(send: (bytes: Uint8Array) => void, gone: () => void) {
    super({ allowHalfOpen: false })
    this.#send = send
    this.#gone = gone
  }

  /** Bytes that the database answered. */
  receive(bytes: Uint8Array): void {
    if (!this.destroyed) this.push(bytes)
  }

  /** There is nothing to reach: the database is in this process. */
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

  /** Parse, bind, execute and sync arrive together here and travel as one message. */
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
