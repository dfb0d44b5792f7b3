/** Result of {@link createRing}. */
export type Ring<Entry> = ReturnType<typeof createRing<Entry>>

/** The latest entries, read newest first; the oldest are dropped. */
export function createRing<Entry>(capacity: number) {
  const entries: Entry[] = []
  /** Index of the newest entry. */
  let head = -1

  return {
    /** @returns the dropped entry. */
    push(entry: Entry): Entry | undefined {
      head = (head + 1) % capacity
      const leaving = entries[head]
      entries[head] = entry
      return leaving
    },
    /** Newest first, while `keep` is true. */
    takeWhile(keep: (entry: Entry) => boolean): Entry[] {
      const taken: Entry[] = []
      for (let back = 0; back < entries.length; back++) {
        const entry = entries[(head - back + entries.length) % entries.length]!
        if (!keep(entry)) break
        taken.push(entry)
      }
      return taken
    },
    get size() {
      return entries.length
    },
  }
}
