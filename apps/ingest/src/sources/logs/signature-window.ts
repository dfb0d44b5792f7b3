import { BoundedMap } from '@pairwire/basics'

/** Remembers which transactions came, for as long as the same one may come again. */
type SignatureWindow = Readonly<{
  /** Whether this transaction of this slot has not come before; remembers it. */
  isNew(slot: number, signature: Uint8Array): boolean
}>

/** Slots within which the same transaction may come again: once for each program that it mentions. */
const SLOTS = 150

/** Makes one that remembers nothing yet. */
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
      // Half of a signature tells it apart.
      seen.add(Buffer.from(signature.buffer, signature.byteOffset, 32).toString('latin1'))
      return seen.size > before
    },
  }
}
