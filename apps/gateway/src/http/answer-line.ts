import type { Socket } from 'node:net'
import type { Line, LineOwner } from '../protocol/line.ts'

/** The body of an answer that goes on until one side ends it; its client only reads. */
export class AnswerLine implements Line {
  readonly #socket: Socket
  #owner: LineOwner | undefined
  #isOpen = true

  constructor(socket: Socket) {
    this.#socket = socket
  }

  attend(owner: LineOwner): void {
    this.#owner = owner
    let how: 'client' | 'lost' = 'lost'
    this.#socket.on('error', () => owner.onBroken())
    this.#socket.once('end', () => {
      how = 'client'
      owner.onGoodbye()
    })
    this.#socket.once('close', () => owner.onGone(how))
  }

  isOpen(): boolean {
    return this.#isOpen && this.#socket.writable
  }

  /** Nobody can be asked, and so counts as alive: a byte that is taken proves the proxy, no more. */
  ping(): void {
    this.#owner?.onPong()
  }

  hangUp(): void {
    this.#isOpen = false
    this.#socket.end()
  }

  terminate(): void {
    this.#socket.destroy()
  }
}
