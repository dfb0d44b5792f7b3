/**
 * A text frame as a server sends it: final, unmasked, whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerBytes(length) + length)
  frame.write(text, writeHeader(frame, 0, length))
  return frame
}

/** Bytes of the header of a text frame whose payload has so many. */
export function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
}

/** Writes such a header. @returns where the payload begins */
export function writeHeader(bytes: Buffer, at: number, payloadBytes: number): number {
  bytes[at] = 0x81
  if (payloadBytes < 126) bytes[at + 1] = payloadBytes
  else if (payloadBytes < 65_536) {
    bytes[at + 1] = 126
    bytes.writeUInt16BE(payloadBytes, at + 2)
  } else {
    bytes[at + 1] = 127
    bytes.writeBigUInt64BE(BigInt(payloadBytes), at + 2)
  }
  return at + headerBytes(payloadBytes)
}

/** The answer to a ping: a control frame, whose payload is never longer than 125 bytes. */
export function framePong(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x8a, payload.length), payload])
}
