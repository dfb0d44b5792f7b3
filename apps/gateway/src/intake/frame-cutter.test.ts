import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientFrame } from '../testing/client-frame.ts'
import { FrameCutter } from './frame-cutter.ts'

const FRAME_COST = 1_000
const CONTINUATION = 0
const TEXT = 1
const PONG = 10

/** What a cutter finds in the chunks: the piece sizes between costs, and each cost. */
function piecesOf(chunks: readonly Buffer[]): { bytes: number; cost: number }[] {
  const frames = new FrameCutter(FRAME_COST)
  const pieces: { bytes: number; cost: number }[] = []
  let bytes = 0
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const end = frames.advance(chunk, at)
      bytes += end - at
      at = end
      if (frames.cost === 0) continue
      pieces.push({ bytes, cost: frames.cost })
      bytes = 0
    }
  }
  return pieces
}

/** Cuts the bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

describe('frame cutter', () => {
  it('finds each whole frame, wherever the network has split it', () => {
    const frame = fc
      .tuple(fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536, 70_000), fc.boolean())
      .map(([length, isMasked]) => clientFrame(Buffer.alloc(length), { isMasked }))

    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), fc.array(fc.nat()), (all, places) => {
        const pieces = piecesOf(cut(Buffer.concat(all), places))

        expect(pieces.map(({ bytes }) => bytes)).toEqual(all.map(({ length }) => length))
      }),
      { numRuns: 200 },
    )
  })

  // A message is read with its last fragment: if it were charged piece by piece, that turn would be free.
  it('charges a message to its last fragment, and each frame as it ends', () => {
    const pieces = piecesOf([
      clientFrame(Buffer.alloc(5_000), { opcode: TEXT, isLast: false }),
      clientFrame(Buffer.alloc(7), { opcode: PONG }),
      clientFrame(Buffer.alloc(300), { opcode: CONTINUATION, isLast: false }),
      clientFrame(Buffer.alloc(0), { opcode: CONTINUATION }),
      clientFrame(Buffer.alloc(20), { opcode: TEXT }),
    ])

    expect(pieces.map(({ cost }) => cost)).toEqual([1_000, 1_000, 1_000, 6_300, 1_020])
  })

  it('charges nothing for an incomplete frame', () => {
    expect(piecesOf([clientFrame(Buffer.alloc(100)).subarray(0, -1)])).toEqual([])
  })

  it('recognises the close frame at its end', () => {
    const frames = new FrameCutter(FRAME_COST)
    const close = clientFrame(Buffer.from([3, 232]), { opcode: 8 })

    frames.advance(close.subarray(0, 5), 0)
    const before = frames.isClosed
    frames.advance(close, 5)

    expect([before, frames.isClosed]).toEqual([false, true])
  })

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        const buffers = chunks.map((chunk) => Buffer.from(chunk))
        const bytes = piecesOf(buffers).reduce((sum, piece) => sum + piece.bytes, 0)

        expect(bytes).toBeLessThanOrEqual(Buffer.concat(buffers).length)
      }),
    )
  })
})
