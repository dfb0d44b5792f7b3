import { BoundedMap } from '@pairwire/basics'

/** Remembers transactions for as long as they may be repeated. */
type SignatureWindow = Readonly<{
  /** Whether this transaction of this slot is new; remembers it. */
  isNew(slot: number, signature: Uint8Array): boolean
}>

/** Slots within which the same transaction may be repeated: once for each program that it mentions. */
const SLOTS = 150

/** Creates an empty one. */
export function createSignatureWindow(): SignatureWindow {
  const slots = new BoundedMap<number, Set<string>>(SLOTS)
  return {
    isNew(slot, signature) {
      let seen = slots.get(slot)
      if (!seen) {
        seen = new Set()
        slots.set(slot, seen)
      }
      const before = seen.size
      // Half of a signature identifies it.
      seen.add(Buffer.from(signature.buffer, signature.byteOffset, 32).toString('latin1'))
      return seen.size > before
    },
  }
}
