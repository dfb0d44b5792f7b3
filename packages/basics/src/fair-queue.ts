/** A queue of tasks by owner: an owner with many tasks does not delay one with few. */
export type FairQueue = <Value>(owner: string, work: () => Promise<Value>, isSlow?: boolean) => Promise<Value>

type Task = Readonly<{ run(): Promise<void>; isSlow: boolean }>

/**
 * Creates a queue that runs `atATime` tasks at once, `perOwner` of one owner and `ofSlow` slow ones, taking one from each
 * waiting owner in turn.
 */
export function createFairQueue(
  atATime: number,
  { perOwner = atATime, ofSlow = atATime }: Readonly<{ perOwner?: number; ofSlow?: number }> = {},
): FairQueue {
  /** The owner whose turn is next comes first. */
  const waiting = new Map<string, Task[]>()
  const running = new Map<string, number>()
  let [all, slow] = [0, 0]

  const count = (owner: string, { isSlow }: Task, by: 1 | -1) => {
    all += by
    if (isSlow) slow += by
    const own = (running.get(owner) ?? 0) + by
    if (own > 0) running.set(owner, own)
    else running.delete(owner)
  }

  const goOn = () => {
    for (const [owner, tasks] of waiting) {
      if (all >= atATime) return
      if ((running.get(owner) ?? 0) >= perOwner) continue
      const task = tasks.find(({ isSlow }) => !isSlow || slow < ofSlow)
      if (!task) continue
      waiting.delete(owner)
      const rest = tasks.filter((each) => each !== task)
      if (rest.length > 0) waiting.set(owner, rest)
      count(owner, task, 1)
      void task.run().finally(() => {
        count(owner, task, -1)
        goOn()
      })
    }
  }

  return (owner, work, isSlow = false) =>
    new Promise((resolve, reject) => {
      const tasks = waiting.get(owner) ?? []
      tasks.push({ run: () => work().then(resolve, reject), isSlow })
      waiting.set(owner, tasks)
      goOn()
    })
}
