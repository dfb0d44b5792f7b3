import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareChainPlaces } from './chain-order.ts'
import { createSortedLines, type PlacedLine } from './sorted-lines.ts'

async function readAll(lines: { read(): AsyncIterable<PlacedLine> }): Promise<PlacedLine[]> {
  const read: PlacedLine[] = []
  for await (const line of lines.read()) read.push(line)
  return read
}

const placedLines = fc
  .array(fc.record({ slot: fc.nat(20), index: fc.integer({ min: -1, max: 3 }), line: fc.string() }), {
    maxLength: 60,
  })
  .map((entries) =>
    entries.map(({ slot, index, line }, sequence) => ({
      place: { slot, index, sequence },
      line: JSON.stringify(line),
    })),
  )

describe('sorted lines', () => {
  it('come in chain order, from memory or files, and can be read again', async () => {
    await fc.assert(
      fc.asyncProperty(placedLines, fc.constantFrom(10, 200, 1_000_000), async (placed, memoryLimit) => {
        const lines = createSortedLines(memoryLimit)
        for (const each of placed) await lines.add(each)

        const first = await readAll(lines)
        const second = await readAll(lines)
        await lines.close()

        const expected = [...placed].sort((a, b) => compareChainPlaces(a.place, b.place))
        expect(first).toEqual(expected)
        expect(second).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })
})
