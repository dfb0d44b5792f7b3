/**
 * What a client was sent, of the pieces in which it came: the signature in each frame, and when its last byte came.
 *
 * @param chunks milliseconds and bytes of each piece, in order
 */
export function arrivalsOf(chunks) {
  const bytes = Buffer.concat(chunks.map(([, piece]) => piece))
  const arrivals = []
  let chunk = 0
  let chunkEnd = chunks[0]?.[1].length ?? 0
  for (let at = 0; at + 4 <= bytes.length; ) {
    const short = bytes[at + 1]
    const end = at + (short < 126 ? 2 + short : 4 + bytes.readUInt16BE(at + 2))
    if (short === 127 || end > bytes.length) break
    while (chunkEnd < end) chunkEnd += chunks[++chunk][1].length
    const found = bytes.indexOf(SIGNATURE, at)
    if (found >= 0 && found < end) {
      const from = found + SIGNATURE.length
      arrivals.push([bytes.latin1Slice(from, bytes.indexOf('"', from)), chunks[chunk][0]])
    }
    at = end
  }
  return arrivals
}

const SIGNATURE = Buffer.from('"signature":"')
