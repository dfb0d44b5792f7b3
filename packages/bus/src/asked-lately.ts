import { BoundedMap } from '@pairwire/basics'

/** Number of keys remembered. */
const KNOWN = 1_000

/** Remembers keys; returns whether this one was asked for recently. */
export function createAskedLately(): (key: string) => boolean {
  const asked = new BoundedMap<string, true>(KNOWN)
  return (key) => {
    const wasAsked = asked.has(key)
    asked.set(key, true)
    return wasAsked
  }
}
