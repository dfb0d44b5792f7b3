import { type Clock, followSignals } from '@pairwire/basics'
import type { HeadWatch } from './head-watch.ts'
import type { BlockAnswer } from './read-block.ts'

/** Milliseconds by which a block that came too late to be found at once is asked for later from then on. */
const LATER_MS = 40

/** Part of the delay that is kept with each block that was found at once, so that it is tried a little earlier. */
const EARLIER = 0.98

/** Milliseconds after which a slot is asked for in any case. */
const MAX_DELAY_MS = 5_000

/** Heads that are remembered with their time. */
const REMEMBERED = 256

/**
 * Decides how long after a slot was heard of its block is asked for. Slots are heard of when they are processed, and
 * their blocks can be had once they are confirmed: to ask earlier is a question too many, of which public endpoints
 * allow few. The delay is learnt from the answers.
 */
export function createPatience(watch: HeadWatch, clock: Clock) {
  const heads: { slot: number; at: number }[] = [{ slot: watch.head(), at: clock.elapsed() }]
  const early = new Set<number>()
  let delayMs = 0

  const note = () => {
    const slot = watch.head()
    if (slot === heads.at(-1)!.slot) return
    heads.push({ slot, at: clock.elapsed() })
    if (heads.length > REMEMBERED) heads.shift()
  }

  return {
    /** The last slot to ask for now. */
    limit(): number {
      note()
      const due = clock.elapsed() - delayMs
      return heads.findLast(({ at }) => at <= due)?.slot ?? heads[0]!.slot - 1
    },

    /** Resolves when the limit may have risen. */
    async moved(signal: AbortSignal): Promise<void> {
      note()
      const due = clock.elapsed() - delayMs
      const next = heads.find(({ at }) => at > due)
      const turn = followSignals(signal)
      const waits = [watch.moved(turn.signal)]
      if (next) waits.push(clock.wait(next.at - due, turn.signal))
      await Promise.race(waits)
      turn.abort()
    },

    /** Learns from an answer; what a skipped slot answers says nothing. */
    answered(slot: number, kind: BlockAnswer['kind']): void {
      if (kind === 'notYet') early.add(slot)
      else if (kind === 'block') {
        delayMs = early.delete(slot) ? Math.min(delayMs + LATER_MS, MAX_DELAY_MS) : delayMs * EARLIER
      }
      if (early.size > REMEMBERED) early.clear()
    },
  }
}
