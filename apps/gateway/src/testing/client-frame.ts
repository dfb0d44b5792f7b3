/** A frame as a client sends it; its mask of zeros leaves the payload unchanged. */
export function clientFrame(payload: Buffer, { opcode = 1, isLast = true, isMasked = true } = {}): Buffer {
  const { length } = payload
  const first = (isLast ? 0x80 : 0) | opcode
  const mask = isMasked ? 0x80 : 0
  const header =
    length < 126
      ? Buffer.from([first, mask | length])
      : length < 65_536
        ? Buffer.from([first, mask | 126, length >> 8, length & 255])
        : Buffer.from([
            first,
            mask | 127,
            0,
            0,
            0,
            0,
            length >>> 24,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ])
  return Buffer.concat([header, Buffer.alloc(isMasked ? 4 : 0), payload])
}
