import { describe, expect, it } from 'vitest'
import { propAmms } from './programs/prop-amms/decode.ts'
import { readCorpora } from './testing/corpus.ts'
import { fuzz } from './testing/fuzz.ts'

/** Enough for every mutation at every position of a short transaction; `npm run fuzz` tries far more. */
const ROUNDS = 4_000

// Guards the process and the amounts: a broken record or a changed program is refused by name, never made up.
describe('mutated transactions', () => {
  it.each(readCorpora(false))(
    'of $name crash nothing and decode to no event that the vaults contradict',
    (corpus) => {
      const { events, refusals } = fuzz(corpus, 1, ROUNDS)

      expect(events).toBeGreaterThan(ROUNDS / 4)
      // The table decoders return nothing where the others refuse.
      const isByTable = propAmms.includes(corpus.decoder)
      expect(refusals).toBeGreaterThan(ROUNDS / (isByTable ? 100 : 20))
    },
  )
})
