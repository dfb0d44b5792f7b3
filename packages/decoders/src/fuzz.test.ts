import { describe, expect, it } from 'vitest'
import { propAmms } from './programs/prop-amms/decode.ts'
import { readCorpora } from './testing/corpus.ts'
import { fuzz } from './testing/fuzz.ts'

/** Enough to meet every mutation in every place of a short transaction; `npm run fuzz` tries far more. */
const ROUNDS = 8_000

// Guards the process and the amounts: a broken record or a changed program is refused by name, never made up.
describe('mutated transactions', () => {
  it.each(readCorpora(false))(
    'of $name crash nothing and give no event that the vaults contradict',
    (corpus) => {
      const { events, refusals } = fuzz(corpus, 1, ROUNDS)

      expect(events).toBeGreaterThan(ROUNDS / 4)
      // What is not a swap by the table gives nothing, where the other decoders refuse.
      const isByTable = propAmms.includes(corpus.decoder)
      expect(refusals).toBeGreaterThan(ROUNDS / (isByTable ? 100 : 20))
    },
  )
})
