import { createHash } from 'node:crypto'
import { Refused } from '../refused.ts'
import { readU32 } from './byte-reader.ts'

/** Returns the bytes of a hex text, as layouts write discriminators. */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/**
 * Returns Anchor's discriminator of a name in the program's source: `global:buy` for an instruction, `event:BuyEvent`
 * for an event, `account:Pool` for a kind of account.
 */
export function anchorName(name: string): Uint8Array {
  return bytesOfHex(anchorHex(name))
}

/** Returns the same in hex, as {@link DiscriminatorTable} takes it. */
export function anchorHex(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16)
}

/** Whether `bytes` have `prefix` at `at`. */
export function holdsAt(bytes: Uint8Array, prefix: Uint8Array, at: number): boolean {
  if (bytes.length < at + prefix.length) return false
  for (let index = 0; index < prefix.length; index++) if (bytes[at + index] !== prefix[index]) return false
  return true
}

/**
 * Maps Anchor's 8-byte discriminators to values, without converting them to text.
 *
 * @example
 * const table = new DiscriminatorTable({ '66063d1201daebea': 'buy' })
 * table.get(instruction.data) // 'buy', or undefined
 */
export class DiscriminatorTable<Value> {
  readonly #entries = new Map<number, { high: number; value: Value }[]>()

  /** `byHex`: values by eight bytes in hex. */
  constructor(byHex: Readonly<Record<string, Value>>) {
    for (const [hex, value] of Object.entries(byHex)) {
      const bytes = bytesOfHex(hex)
      if (bytes.length !== 8) throw new RangeError(`${hex} is not 8 bytes`)
      const low = readU32(bytes, 0)
      const entries = this.#entries.get(low) ?? []
      entries.push({ high: readU32(bytes, 4), value })
      this.#entries.set(low, entries)
    }
  }

  /** Returns the value of the instruction with this data. @throws Refused when it is unknown */
  of(data: Uint8Array): Value {
    const value = this.get(data)
    if (value === undefined) throw new Refused(data.length < 8 ? 'truncated' : 'unknown_instruction')
    return value
  }

  /** Returns the value for the eight bytes of `data` from `at` on; `undefined` when they are unknown or too few. */
  get(data: Uint8Array, at = 0): Value | undefined {
    if (data.length < at + 8) return undefined
    const entries = this.#entries.get(readU32(data, at))
    if (entries === undefined) return undefined
    const high = readU32(data, at + 4)
    for (const entry of entries) if (entry.high === high) return entry.value
    return undefined
  }
}
