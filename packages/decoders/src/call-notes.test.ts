import { describe, expect, it } from 'vitest'
import { CallNotes } from './call-notes.ts'
import { createCallTally } from './call-tally.ts'
import { pumpfun } from './programs/pumpfun/decode.ts'

describe('notes of calls', () => {
  it('give a tally the same counts later as at once, even if the bytes are overwritten', () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)
    const signature = new Uint8Array(64).fill(3)
    const [atOnce, later] = [createCallTally(), createCallTally()]
    const notes = new CallNotes()

    for (const counter of [atOnce, notes]) {
      counter.understood('program', pumpfun)
      counter.unknown('program', pumpfun, data, signature)
    }
    data.fill(0)
    signature.fill(0)
    notes.tell(later)

    expect(later.read()).toEqual(atOnce.read())
    expect(later.read().program).toMatchObject({ understood: 1, unknown: 1 })
  })
})
