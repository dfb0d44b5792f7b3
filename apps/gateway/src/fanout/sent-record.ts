import { type NotificationEvent, type StreamKind, slotOf } from '@pairwire/contract'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'

/** Events that were written together, and the newest slot among them; several records may share them. */
export type Written = Readonly<{ events: readonly NotificationEvent[]; newest: string }>

/** Returns the record of events that were written together. */
export function recordOf(outgoing: readonly OutgoingEvent[]): Written {
  let newest = ''
  for (const { cursor } of outgoing) if (cursor > newest) newest = cursor
  return { events: outgoing.map(({ event }) => event), newest: slotOf(newest) }
}

/** The events sent early to a client, so that it hears of those taken back and of no others. */
export class SentRecord {
  #written: Written[] = []

  add(written: Written): void {
    this.#written.push(written)
  }

  /** Forgets the events of a kind whose subscription has ended. */
  forget(kind: StreamKind): void {
    this.#written = this.#written.map(({ events, newest }) => ({
      events: events.filter((event) => event.kind !== kind),
      newest,
    }))
  }

  /** Forgets events that can no longer be taken back: all up to this slot. */
  settle(slot: string): void {
    if (this.#written[0] === undefined) return
    this.#written = this.#written.filter(({ newest }) => newest > slot)
  }

  /** Signatures of those of these events that were sent, by kind; each once, in order of sending. */
  signaturesOf(taken: ReadonlySet<NotificationEvent>): ReadonlyMap<StreamKind, ReadonlySet<string>> {
    const found = new Map<StreamKind, Set<string>>()
    for (const { events } of this.#written) {
      for (const event of events) {
        if (event.kind === 'latestBlock' || !taken.has(event)) continue
        const signatures = found.get(event.kind) ?? new Set()
        found.set(event.kind, signatures.add(event.params.signature))
      }
    }
    return found
  }
}
