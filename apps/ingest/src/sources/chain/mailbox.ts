import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** What comes in: what a feed or the RPC says, each by its number, or that the hole from a slot on is given up. */
export type ChainMail =
  | Readonly<{ from: number; update: SlotUpdate }>
  | Readonly<{ giveUpFrom: number; toSlot: number | undefined }>

/** Items that a mailbox holds before its senders are asked to wait; bytes wait in a socket more cheaply than here. */
const FULL = 512

/** What many senders put in and one reader takes out; a sender that reads from a socket waits while it is full. */
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

  /** Resolves once everything that is in it now was taken. */
  drained(): Promise<void> {
    if (this.#items.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Takes all that is in it. */
  take(): readonly Item[] {
    const items = this.#items
    this.#items = []
    for (const resolve of this.#waiting.splice(0)) resolve()
    return items
  }

  /** Resolves once something is in it, or it is rung. */
  filled(): Promise<void> {
    if (this.#items.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Wakes the reader although nothing was put in. */
  ring(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
