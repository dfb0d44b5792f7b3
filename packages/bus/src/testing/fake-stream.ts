import type { Clock } from '@pairwire/basics'
import type { StreamEvent } from '@pairwire/contract'
import { expect } from 'vitest'
import { readSlot, type SlotHead, writeSlot } from '../nats/slot-message.ts'
import { RivalError, type SlotStream } from '../nats/slot-stream.ts'
import { aBlock } from './slot-end.ts'

/** The slot of a cursor; 0 for an empty one. */
export const slotOf = (cursor: string) => (cursor === '' ? 0 : Number(cursor.split('-')[1]))

/** A clock that a test moves. */
export class ManualClock implements Pick<Clock, 'elapsed' | 'wait'> {
  #now = 0
  #waits: { at: number; resolve: () => void }[] = []

  elapsed = () => this.#now

  wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      this.#waits.push({ at: this.#now + milliseconds, resolve })
    })

  /** Lets time pass in small steps, with their effects after each. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await turns()
    while (this.#now < end) {
      this.#now = Math.min(end, this.#now + 125)
      const due = this.#waits.filter(({ at }) => at <= this.#now)
      this.#waits = this.#waits.filter(({ at }) => at > this.#now)
      for (const { resolve } of due) resolve()
      await turns()
    }
  }
}

/** Waits some turns of the loop, for promises and for packing off the main thread. */
async function turns(): Promise<void> {
  await writeSlot([aBlock(0)])
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve))
}

type Stored = Readonly<{ sequence: number; head: SlotHead; data: Uint8Array }>

/** A stream in memory that fails on command, and counts and fences like JetStream. */
export class FakeStream implements Pick<SlotStream, 'look' | 'lastSequence' | 'append' | 'clear'> {
  messages: Stored[] = []
  /** `unanswered`: it takes the message without an answer. */
  fault: 'refused' | 'unanswered' | undefined
  #sequence = 0
  #ids = new Map<string, number>()

  tip() {
    const stored = this.messages.at(-1)
    const { last = '', publisher = '', source = '', epoch = '' } = stored?.head ?? {}
    return { sequence: this.#sequence, last, publisher, source, epoch }
  }

  look = async () => {
    if (this.fault === 'refused') throw new Error('NATS is away')
    return this.tip()
  }

  lastSequence = async () => (await this.look()).sequence

  append = async (head: SlotHead, data: Uint8Array, id: string, behind: number) => {
    if (this.fault === 'refused') throw new Error('NATS is away')
    const known = this.#ids.get(id)
    if (known !== undefined) return { sequence: known, isDuplicate: true }
    if (behind !== this.#sequence) throw new RivalError()
    const sequence = ++this.#sequence
    this.#ids.set(id, sequence)
    this.messages.push({ sequence, head, data })
    if (this.fault === 'unanswered') throw new Error('no answer')
    return { sequence, isDuplicate: false }
  }

  clear = async (last: number) => {
    this.messages = this.messages.filter(({ sequence }) => sequence > last)
  }

  /** Loses the newest messages, as a crash of its machine does. */
  lose(count: number): void {
    for (const { sequence } of this.messages.splice(-count)) {
      for (const [id, of] of this.#ids) if (of === sequence) this.#ids.delete(id)
    }
    this.#sequence = this.messages.at(-1)?.sequence ?? 0
  }

  async #events(): Promise<StreamEvent[]> {
    const read = await Promise.all(this.messages.map(({ data }) => readSlot(data)))
    return read.flatMap((events) => events ?? [])
  }

  async slots(): Promise<number[]> {
    return (await this.#events()).map(({ cursor }) => slotOf(cursor))
  }

  async gaps(): Promise<[number, number][]> {
    const events = await this.#events()
    return events.flatMap((event) =>
      event.kind === 'gap' ? [[event.params.fromSlot, event.params.toSlot]] : [],
    )
  }

  /** Slots between a message and the one it names as its predecessor: a reader reports them as a gap. */
  missing(): number[] {
    const slots: number[] = []
    let last = ''
    for (const { head } of this.messages) {
      for (let slot = slotOf(last) + 1; slot <= slotOf(head.before); slot++) slots.push(slot)
      last = head.last
    }
    return slots
  }

  publishers(): Set<string> {
    return new Set(this.messages.map(({ head }) => head.publisher))
  }

  async has(...slots: number[]): Promise<void> {
    for (let turn = 0; turn < 20 && this.messages.length < slots.length; turn++) await turns()
    expect(await this.slots()).toEqual(slots)
  }
}
