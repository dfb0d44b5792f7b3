/** Work that waits its turn, by whose it is: who waits with much delays nobody who waits with little. */
type FairQueue = <Value>(owner: string, work: () => Promise<Value>) => Promise<Value>

/** A queue that does so much `atATime`; of those who wait each has one piece done in turn. */
export function createFairQueue(atATime: number): FairQueue {
  /** Whose turn is next stands first. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let running = 0

  const goOn = () => {
    for (const [owner, works] of waiting) {
      if (running >= atATime) return
      waiting.delete(owner)
      const [first, ...rest] = works
      if (rest.length > 0) waiting.set(owner, rest)
      running++
      void first!().finally(() => {
        running--
        goOn()
      })
    }
  }

  return (owner, work) =>
    new Promise((resolve, reject) => {
      const works = waiting.get(owner) ?? []
      works.push(() => work().then(resolve, reject))
      waiting.set(owner, works)
      goOn()
    })
}
