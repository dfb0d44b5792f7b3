/** As many as are remembered. */
const KNOWN = 1_000

/** Notes what is asked for; says whether it was asked for lately. */
export function createAskedLately(): (key: string) => boolean {
  const asked = new Set<string>()

  return (key) => {
    const wasAsked = asked.delete(key)
    asked.add(key)
    if (asked.size > KNOWN) asked.delete(asked.values().next().value!)
    return wasAsked
  }
}
