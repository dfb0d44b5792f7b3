import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Squares per side of a picture, the right half mirroring the left, and pixels per side of a square. */
const SQUARES = 6
const PIXELS = 16

/** A PNG for a mint, the same each time: a pattern of squares in two colours. */
export function drawToken(mint: string): Buffer {
  const hash = createHash('sha256').update(mint).digest()
  const hue = hash.readUInt16BE(0) / 65_536
  const paints = [colour(hue, 0.86), colour(hue + 0.08, 0.42)]
  const side = SQUARES * PIXELS
  const rows: number[] = []
  for (let y = 0; y < side; y++) {
    rows.push(0) // no filter
    for (let x = 0; x < side; x++) {
      const row = Math.floor(y / PIXELS)
      const column = Math.floor(x / PIXELS)
      const mirrored = Math.min(column, SQUARES - 1 - column)
      rows.push(...paints[hash[2 + row * (SQUARES / 2) + mirrored]! & 1]!)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 2], 8) // eight bits of each of three colours
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** @see https://www.w3.org/TR/png-3/#5Chunk-layout */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Red, green and blue of a hue (from 0 to 1), soft, at this lightness. */
function colour(hue: number, lightness: number): readonly number[] {
  const spread = 0.5 * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((offset) => {
    const at = (offset + hue * 12) % 12
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1))))
  })
}
