import type { CallCounter } from './call-tally.ts'
import type { Decoder } from './decoder.ts'

type Note = Readonly<{
  program: string
  decoder: Decoder
  /** Of a call that the decoder does not know; undefined of one that it knows. */
  unknown: Readonly<{ data: Uint8Array; signature: Uint8Array }> | undefined
}>

/** Keeps the calls of a transaction until it is known whether it counts. */
export class CallNotes implements CallCounter {
  #notes: Note[] | undefined

  understood(program: string, decoder: Decoder): void {
    this.#add({ program, decoder, unknown: undefined })
  }

  unknown(program: string, decoder: Decoder, data: Uint8Array, signature: Uint8Array): void {
    const named = Uint8Array.from(data.subarray(0, decoder.discriminatorBytes ?? 8))
    this.#add({ program, decoder, unknown: { data: named, signature: Uint8Array.from(signature) } })
  }

  /** Counts them. */
  tell(counter: CallCounter): void {
    for (const { program, decoder, unknown } of this.#notes ?? []) {
      if (unknown === undefined) counter.understood(program, decoder)
      else counter.unknown(program, decoder, unknown.data, unknown.signature)
    }
  }

  #add(note: Note): void {
    if (this.#notes === undefined) this.#notes = [note]
    else this.#notes.push(note)
  }
}
