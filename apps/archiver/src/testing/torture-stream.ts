import { hourName, type StreamEvent } from '@pairwire/contract'
import { aStreamBlock, aStreamGap, ONE_O_CLOCK } from './a-stream.ts'

const HOURS = 6
const BLOCKS_PER_HOUR = 24

/** The last hour of the stream that ends. */
export const LAST_HOUR = hourName((ONE_O_CLOCK + (HOURS - 1) * 3_600) * 1000)

/** Some hours from one o'clock on, with every kind of event, and the beginning of one more. */
export function blocksOfTorture(): readonly (readonly StreamEvent[])[] {
  return Array.from({ length: HOURS * BLOCKS_PER_HOUR + 3 }, (_, at) => {
    const slot = at + 1
    const blockTime =
      ONE_O_CLOCK + Math.floor(((at - 2) * 3_600) / BLOCKS_PER_HOUR) - (at % 11 === 5 ? 200 : 0)
    if (at % 50 === 33) return [aStreamGap(slot, slot)]
    const swaps = Array.from({ length: (at * 7) % 23 }, (_, index) => ({
      baseAmount: String(at * 1_000 + index),
    }))
    return aStreamBlock(slot, { blockTime, swaps, pairs: at % 9 === 4 ? [`名前 ${at}`] : [] })
  })
}
