/**
 * A text frame as a server sends it: final, unmasked, whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerLength + length)
  frame[0] = 0x81
  if (headerLength === 2) frame[1] = length
  else if (headerLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headerLength)
  return frame
}

/** Where the payload of a frame that we made stands. */
export function payloadAt(frame: Buffer): number {
  return frame[1] === 127 ? 10 : frame[1] === 126 ? 4 : 2
}

/** The answer to a ping: a control frame, whose payload is never longer than 125 bytes. */
export function framePong(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x8a, payload.length), payload])
}
