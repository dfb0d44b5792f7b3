import { BoundedMap } from '@pairwire/basics'

/** As many as are remembered. */
const KNOWN = 1_000

/** Notes what is asked for; says whether it was asked for lately. */
export function createAskedLately(): (key: string) => boolean {
  const asked = new BoundedMap<string, true>(KNOWN)
  return (key) => {
    const wasAsked = asked.has(key)
    asked.set(key, true)
    return wasAsked
  }
}
