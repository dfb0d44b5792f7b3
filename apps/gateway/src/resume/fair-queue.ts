/** A queue of tasks by owner: an owner with many tasks does not delay one with few. */
type FairQueue = <Value>(owner: string, work: () => Promise<Value>) => Promise<Value>

/** Creates a queue that runs `atATime` tasks at once, taking one from each waiting owner in turn. */
export function createFairQueue(atATime: number): FairQueue {
  /** The owner whose turn is next comes first. */
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
