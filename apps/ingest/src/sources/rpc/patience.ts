import { type Clock, followSignals } from '@pairwire/basics'
import type { HeadWatch } from './head-watch.ts'
import type { BlockAnswer } from './read-block.ts'

/** Milliseconds added to the delay after a block that was not available at first. */
const LATER_MS = 40

/** Factor on the delay after each block that was available at first, to try a little earlier. */
const EARLIER = 0.98

/** Milliseconds after which a slot is requested in any case. */
const MAX_DELAY_MS = 5_000

/** Heads remembered with their time. */
const REMEMBERED = 256

/**
 * Decides how long after a slot was seen its block is requested. Slots are seen when processed, and their blocks are
 * available once confirmed: an earlier request is wasted, and public endpoints allow few. The delay is learned from the
 * answers.
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
    /** The last slot to request now. */
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

    /** Learns from an answer; those for skipped slots tell nothing. */
    answered(slot: number, kind: BlockAnswer['kind']): void {
      if (kind === 'notYet') early.add(slot)
      else if (kind === 'block') {
        delayMs = early.delete(slot) ? Math.min(delayMs + LATER_MS, MAX_DELAY_MS) : delayMs * EARLIER
      }
      if (early.size > REMEMBERED) early.clear()
    },
  }
}
