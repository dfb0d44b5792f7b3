import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@pairwire/basics'
import type { Decoded } from '@pairwire/decoders'
import { learn, type Memory } from './enrich.ts'

/**
 * Milliseconds of a turn of the loop in which a block is made into events, or learned from: a full one is not to hold up
 * the sockets of the same process. A usual slot of a live chain, which was decoded as it came, takes one.
 */
export const TURN_MS = 2

/** Milliseconds that the gateway of the same process has the loop to itself, to write a block, unless the next one comes. */
const WRITING_MS = 25

/** A transaction with events, from which later blocks' are worth and named. */
export type Lesson = Readonly<{ decoded: Decoded; place: Parameters<typeof learn>[1] }>

/**
 * Learns from a block that was published once its events are out.
 *
 * @returns has it done at once, where it is not done yet, and resolves when it is: the next block must not be made before
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
