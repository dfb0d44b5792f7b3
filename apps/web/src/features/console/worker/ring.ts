/** The latest entries, newest first when read; the oldest makes room. */
export type Ring<Entry> = Readonly<{
  /** @returns the entry that made room. */
  push(entry: Entry): Entry | undefined
  /** Newest first, as long as `keep` holds. */
  takeWhile(keep: (entry: Entry) => boolean): Entry[]
  readonly size: number
}>

/** Makes an empty ring for at most `capacity` entries. */
export function createRing<Entry>(capacity: number): Ring<Entry> {
  const entries: Entry[] = []
  /** Index of the newest entry. */
  let head = -1

  return {
    push(entry) {
      head = (head + 1) % capacity
      const leaving = entries[head]
      entries[head] = entry
      return leaving
    },
    takeWhile(keep) {
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
