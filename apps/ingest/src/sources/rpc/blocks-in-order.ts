import { type Clock, followSignals } from '@pairwire/basics'
import type { ChainBlock } from '../../slot-keeper/slot-assembly.ts'
import type { BlockAnswer } from './read-block.ts'

/** What {@link blocksInOrder} needs. */
type BlocksInOrderOptions = Readonly<{
  fromSlot: number
  /** The slot after whose block it ends; undefined to continue as long as `head` rises. */
  toSlot?: number
  read(slot: number, signal: AbortSignal): Promise<BlockAnswer>
  /** Undefined if all of it is past. */
  head?: Readonly<{
    /** The last slot that may be requested now; it may rise. */
    limit(): number
    /** Resolves when the limit has risen, or after a while. */
    moved(signal: AbortSignal): Promise<void>
  }>
  clock: Clock
  signal: AbortSignal
}>

/** Blocks requested at once: enough to hide latency, few enough for a public endpoint. */
const AT_ONCE = 4

/**
 * Slots examined beyond the first unknown one. An absent leader leaves four in a row without a block, and until they
 * are rooted a validator reports them like future slots; the next block tells the difference.
 */
const LOOK_AHEAD = 64

/** Milliseconds before a slot that is not available yet is requested again, and that later live blocks wait for it. */
const AGAIN_MS = 150
const LACKED_MS = 5_000

/**
 * Yields confirmed blocks in order, requesting a few slots at once. It waits for a slot that is not available yet,
 * until a later block names an earlier parent: then the slot has no block. Slots that are gone are skipped, and of the
 * live chain those that never come; callers that link blocks by their parents see what is missing.
 */
export async function* blocksInOrder(options: BlocksInOrderOptions): AsyncIterable<ChainBlock> {
  const { toSlot = Number.POSITIVE_INFINITY, read, head, clock, signal } = options
  const answers = new Map<number, BlockAnswer>()
  const asked = new Map<number, Promise<void>>()
  const again = new Map<number, number>()
  let next = options.fromSlot
  let failure: unknown
  let waitsSince: number | undefined // of a block, for one before it

  const ask = (slot: number) => {
    const asking = read(slot, signal)
      .then((answer) => {
        if (answer.kind === 'notYet') again.set(slot, clock.elapsed() + AGAIN_MS)
        else if (slot >= next) answers.set(slot, answer)
      })
      .catch((error) => {
        failure ??= error
      })
      .finally(() => asked.delete(slot))
    asked.set(slot, asking)
  }

  /** Returns the next block whose parent comes before everything unknown. */
  const takeNext = (): ChainBlock | undefined => {
    for (let slot = next; slot < next + LOOK_AHEAD; slot++) {
      const answer = answers.get(slot)
      if (answer?.kind === 'block') {
        if (answer.block.parentSlot >= next) {
          waitsSince ??= clock.elapsed()
          const isAsked = asked.has(answer.block.parentSlot)
          if (!head || isAsked || clock.elapsed() - waitsSince < LACKED_MS) return undefined
        }
        waitsSince = undefined
        for (let passed = next; passed <= slot; passed++) {
          answers.delete(passed)
          again.delete(passed)
        }
        next = slot + 1
        return answer.block
      }
      if (answer !== undefined && slot === next) {
        answers.delete(slot)
        next = answer.kind === 'gone' ? Math.max(slot + 1, answer.firstAvailable ?? 0) : slot + 1
      }
    }
    return undefined
  }

  while (!signal.aborted && next <= toSlot) {
    if (failure !== undefined) throw failure
    const before = next
    const block = takeNext()
    if (block) yield block
    if (next !== before) continue

    const last = Math.min(head?.limit() ?? toSlot, toSlot, next + LOOK_AHEAD - 1)
    const held = [...answers.values()].filter(({ kind }) => kind === 'block').length
    for (let slot = next; slot <= last && asked.size < AT_ONCE; slot++) {
      if (asked.has(slot) || answers.has(slot)) continue
      const due = again.get(slot)
      // Earlier requests are always repeated; new slots only while few blocks wait.
      if (due === undefined ? asked.size + held < AT_ONCE : due <= clock.elapsed()) ask(slot)
    }
    const waits = [...asked.values()]
    const dues = [...again.values()].map((due) => due - clock.elapsed()).filter((left) => left > 0)
    const turn = followSignals(signal)
    if (dues.length > 0) waits.push(clock.wait(Math.min(...dues), turn.signal))
    if (head && last < next + LOOK_AHEAD - 1) waits.push(head.moved(turn.signal))
    try {
      await Promise.race(waits.length > 0 ? waits : [clock.wait(AGAIN_MS, turn.signal)])
    } finally {
      turn.abort()
    }
  }
  signal.throwIfAborted()
}
