import { encodeBase58 } from '@pairwire/contract'
import type { Exchange } from '@pairwire/contract/exchanges'
import type { Decoder } from './decoder.ts'

/** Calls of one program in successful transactions. */
export type ProgramCalls = Readonly<{
  exchange: Exchange
  /** Calls whose instruction the decoder knows, whatever their result. */
  understood: number
  unknown: number
  /** By discriminator in hex; those beyond {@link MAX_DISCRIMINATORS} are only in `unknown`. */
  byDiscriminator: Readonly<Record<string, UnknownInstruction>>
}>

/** Calls of an instruction that the decoder does not know. */
type UnknownInstruction = Readonly<{
  count: number
  /** Base58 signature of the first transaction with such a call. */
  example: string
}>

/** Discriminators kept per program: bytes that strangers choose must not fill the memory. */
const MAX_DISCRIMINATORS = 64

/**
 * Counts the calls of each decoded program, to show when a program is called with an instruction that its decoder does
 * not know: by program, since one exchange may have several, and by discriminator.
 */
export type CallTally = CallCounter &
  Readonly<{
    /** Counts so far, by base58 address of the program. */
    read(): Readonly<Record<string, ProgramCalls>>
  }>

/** Counts each call. */
export type CallCounter = Readonly<{
  /** Counts a call whose instruction the decoder knows. */
  understood(program: string, decoder: Decoder): void
  /** Counts a call of an unknown instruction; `data` begins with its discriminator. */
  unknown(program: string, decoder: Decoder, data: Uint8Array, signature: Uint8Array): void
}>

/** Creates an empty tally. */
export function createCallTally(): CallTally {
  const programs = new Map<string, Counts>()
  const countsOf = (program: string, { exchange }: Decoder): Counts => {
    const known = programs.get(program)
    if (known !== undefined) return known
    const counts = { exchange, understood: 0, unknown: 0, byDiscriminator: new Map() }
    programs.set(program, counts)
    return counts
  }
  return {
    understood: (program, decoder) => {
      countsOf(program, decoder).understood++
    },
    unknown: (program, decoder, data, signature) => {
      const counts = countsOf(program, decoder)
      counts.unknown++
      const discriminator = Buffer.from(data.subarray(0, decoder.discriminatorBytes ?? 8)).toString('hex')
      const known = counts.byDiscriminator.get(discriminator)
      if (known !== undefined) known.count++
      else if (counts.byDiscriminator.size < MAX_DISCRIMINATORS) {
        counts.byDiscriminator.set(discriminator, { count: 1, example: encodeBase58(signature) })
      }
    },
    read: () =>
      Object.fromEntries(
        [...programs].map(([program, counts]) => [
          program,
          {
            ...counts,
            byDiscriminator: Object.fromEntries(
              [...counts.byDiscriminator].map(([discriminator, each]) => [discriminator, { ...each }]),
            ),
          },
        ]),
      ),
  }
}

type Counts = {
  exchange: Exchange
  understood: number
  unknown: number
  byDiscriminator: Map<string, { count: number; example: string }>
}

type Note = Readonly<{
  program: string
  decoder: Decoder
  /** Set for an unknown call; undefined for a known one. */
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

  /** The unknown instructions among them: `<program>/<discriminator in hex>`, each once. */
  get unknownKinds(): readonly string[] {
    if (!this.#notes?.some(({ unknown }) => unknown)) return NONE
    const kinds = this.#notes.flatMap(({ program, unknown }) =>
      unknown ? `${program}/${Buffer.from(unknown.data).toString('hex') || 'none'}` : [],
    )
    return [...new Set(kinds)]
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

const NONE: readonly string[] = []
