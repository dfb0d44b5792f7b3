/** Moments at which items have to be looked at. All moments are of one clock, in milliseconds. */
type Deadlines<Item> = Readonly<{
  /** Gives the item its moment, in place of the one it had. */
  set(item: Item, at: number): void
  delete(item: Item): void
  /** The earliest moment; infinite without any. */
  next(): number
  /** Takes out the items whose moment has come, the earliest first. */
  takeDue(now: number): Item[]
}>

type Entry<Item> = Readonly<{ item: Item; at: number }>

/** Makes an empty set. A binary heap that knows each item's place, so that no call walks over all items. */
export function createDeadlines<Item>(): Deadlines<Item> {
  const heap: Entry<Item>[] = []
  const places = new Map<Item, number>()

  const put = (entry: Entry<Item>, place: number) => {
    heap[place] = entry
    places.set(entry.item, place)
  }

  /** Puts the entry where it belongs, coming from `place`. */
  const sift = (entry: Entry<Item>, place: number) => {
    for (;;) {
      const parent = (place - 1) >> 1
      if (place === 0 || heap[parent]!.at <= entry.at) break
      put(heap[parent]!, place)
      place = parent
    }
    for (;;) {
      let child = 2 * place + 1
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++
      if (child >= heap.length || heap[child]!.at >= entry.at) break
      put(heap[child]!, place)
      place = child
    }
    put(entry, place)
  }

  const remove = (item: Item) => {
    const place = places.get(item)
    if (place === undefined) return
    places.delete(item)
    const last = heap.pop()!
    if (last.item !== item) sift(last, place)
  }

  return {
    set: (item, at) => sift({ item, at }, places.get(item) ?? heap.length),
    delete: remove,
    next: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    takeDue(now) {
      const due: Item[] = []
      while (heap[0] && heap[0].at <= now) {
        due.push(heap[0].item)
        remove(heap[0].item)
      }
      return due
    },
  }
}
