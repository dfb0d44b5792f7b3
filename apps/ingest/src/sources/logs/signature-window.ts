import { BoundedMap } from '@pairwire/basics'

/** Slots within which the same transaction may be repeated: once for each program that it mentions. */
const SLOTS = 150

/** Remembers transactions for as long as they may be repeated; returns whether this one of this slot is new. */
export function createSignatureWindow(): (slot: number, signature: Uint8Array) => boolean {
  const slots = new BoundedMap<number, Set<string>>(SLOTS)
  return (slot, signature) => {
    const seen = slots.ensure(slot, () => new Set())
    const before = seen.size
    // Half of a signature identifies it.
    seen.add(Buffer.from(signature.buffer, signature.byteOffset, 32).toString('latin1'))
    return seen.size > before
  }
}
