import { randomUUID } from 'node:crypto'
import type { Clock } from '@pairwire/basics'
import type { SlotStream, Tip } from './slot-stream.ts'

/** What a {@link StreamView} needs. */
type StreamViewParts = Readonly<{
  stream: Pick<SlotStream, 'look' | 'lastSequence' | 'clear'>
  /** The kind of source whose events are published. */
  source: string
  tip: Tip
  clock: Pick<Clock, 'elapsed'>
}>

/** The stream as a publisher last saw it. */
export class StreamView {
  readonly #parts: StreamViewParts
  /** The newest message. */
  tip: Tip
  /** Identifies the stream's events since they were last removed. */
  epoch: string
  /** Whether to remove the stream's messages before appending. */
  isToClear: boolean
  /** The epoch of those messages. */
  #obsolete: string
  /** When the stream was last seen to grow, in milliseconds of the clock. */
  grewAt: number
  /** Whether `tip` has the newest message's cursor, and not only its sequence. */
  #isTipKnown = true

  /** Creates the view from the state at opening. */
  constructor(parts: StreamViewParts) {
    const { source, tip, clock } = parts
    this.#parts = parts
    this.tip = tip
    this.#obsolete = tip.epoch
    this.isToClear = tip.last !== '' && tip.source !== source
    this.epoch = (!this.isToClear && tip.epoch) || randomUUID()
    this.grewAt = clock.elapsed()
  }

  /** Cursor of the newest event that stays in the stream; empty if there is none. */
  newestCursor(): string {
    return this.isToClear ? '' : this.tip.last
  }

  /** Records a message as the newest. */
  see(tip: Tip): void {
    if (tip.sequence !== this.tip.sequence) this.heard()
    this.tip = tip
    // Another publisher has removed them.
    if (tip.source === this.#parts.source && tip.epoch !== this.#obsolete) this.isToClear = false
    if (!this.isToClear && tip.epoch !== '') this.epoch = tip.epoch
  }

  /** Reads the newest message. */
  async look(): Promise<Tip> {
    this.see(await this.#parts.stream.look())
    return this.tip
  }

  /** Reads the newest sequence. @returns milliseconds for which the stream has not grown */
  async silentMs(): Promise<number> {
    const sequence = await this.#parts.stream.lastSequence()
    if (sequence !== this.tip.sequence) {
      this.see({ ...this.tip, sequence })
      this.#isTipKnown = false
    }
    return this.#parts.clock.elapsed() - this.grewAt
  }

  /** Reads the newest message if only its sequence is known. @returns whether the stream has not grown meanwhile */
  async readTip(): Promise<boolean> {
    if (this.#isTipKnown) return true
    const { sequence } = this.tip
    await this.look()
    this.#isTipKnown = true
    return this.tip.sequence === sequence
  }

  /** Removes the messages; one that another publisher has appended since stays, and makes it a rival. */
  async clear(): Promise<void> {
    const { sequence } = this.tip
    await this.#parts.stream.clear(sequence)
    this.isToClear = false
    this.tip = { sequence, last: '', publisher: '', source: '', epoch: '' }
  }

  /** Marks the stream's messages as obsolete. */
  startOver(): void {
    if (!this.isToClear) this.#obsolete = this.epoch
    this.isToClear = true
    this.epoch = randomUUID()
  }

  /** The stream may have other messages than before. */
  doubt(): void {
    this.#isTipKnown = false
    this.heard()
  }

  /** Measures silence from now on. */
  heard(): void {
    this.grewAt = this.#parts.clock.elapsed()
  }
}
