import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** An arrival: an update of a feed or the RPC, with its number, or the hole from a slot on being given up. */
export type ChainMail =
  | Readonly<{ from: number; update: SlotUpdate }>
  | Readonly<{ giveUpFrom: number; toSlot: number | undefined }>

/** Items that a mailbox holds before its senders should wait; bytes wait more cheaply in a socket. */
const FULL = 512

/** A queue with many senders and one reader; a sender that reads from a socket waits while it is full. */
export class Mailbox<Item> {
  #items: Item[] = []
  #wake: (() => void) | undefined
  readonly #waiting: (() => void)[] = []

  /** @returns false when it is full: the sender should wait for {@link drained} */
  put(item: Item): boolean {
    this.#items.push(item)
    if (this.#items.length === 1) this.ring()
    return this.#items.length < FULL
  }

  /** Resolves once everything in it now was taken. */
  drained(): Promise<void> {
    if (this.#items.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Takes everything in it. */
  take(): readonly Item[] {
    const items = this.#items
    this.#items = []
    for (const resolve of this.#waiting.splice(0)) resolve()
    return items
  }

  /** Resolves once it has an item, or `ring` is called. */
  filled(): Promise<void> {
    if (this.#items.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Wakes the reader without an item. */
  ring(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
