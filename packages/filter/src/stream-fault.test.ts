import { describe, expect, it } from 'vitest'
import { quoted } from './stream-fault.ts'

describe('what a client wrote', () => {
  it('is quoted whole if it is short', () => {
    expect([quoted('a "b"'), quoted(5), quoted(undefined)]).toEqual(['"a \\"b\\""', '5', 'undefined'])
  })

  it('is cut to a length that fits a sentence, never inside a character', () => {
    const cut = [76, 75].map((letters) => quoted(`${'a'.repeat(letters - 1)}${'🦦'.repeat(9)}`))

    // Strict readers refuse a frame with half of a character.
    expect(cut).toEqual([`"${'a'.repeat(75)}…`, `"${'a'.repeat(74)}🦦…`])
  })
})
