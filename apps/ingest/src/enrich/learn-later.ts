import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@pairwire/basics'
import type { Decoded } from '@pairwire/decoders'
import { learn, type Memory } from './enrich.ts'

/**
 * Milliseconds of a turn of the loop spent on making a block's events, or learning from it, so that a full one does not
 * block the process's sockets. A usual live slot, decoded on arrival, takes one.
 */
export const TURN_MS = 2

/** Milliseconds that the gateway of the same process has the loop to itself to write a block, or until the next one. */
const WRITING_MS = 25

/** A transaction with events that value and name those of later blocks. */
export type Lesson = Readonly<{ decoded: Decoded; place: Parameters<typeof learn>[1] }>

/**
 * Learns from a published block once its events are sent.
 *
 * @returns a function that finishes this at once and resolves when it is done: the next block must not be made earlier
 */
export function learnLater(
  lessons: readonly Lesson[],
  memory: Memory,
  clock: Pick<Clock, 'after' | 'elapsed'>,
): () => Promise<void> {
  let learning: Promise<void> | undefined
  const now = () => {
    cancel()
    learning ??= learnFrom(lessons, memory, clock)
    return learning
  }
  const cancel = clock.after(WRITING_MS, () => void now())
  return now
}

async function learnFrom(
  lessons: readonly Lesson[],
  memory: Memory,
  clock: Pick<Clock, 'elapsed'>,
): Promise<void> {
  let began = clock.elapsed()
  for (const { decoded, place } of lessons) {
    if (clock.elapsed() - began >= TURN_MS) {
      await setImmediate()
      began = clock.elapsed()
    }
    learn(decoded, place, memory)
  }
  const last = lessons.at(-1)
  if (last) memory.prices.endBlock(last.place)
  void memory.tokens.settle()
}
