/**
 * A text frame as a server sends it: final, unmasked, whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
export function frameText(text: string): Buffer {
  return framePayload(Buffer.from(text))
}

/** The answer to a ping: a control frame, whose payload is never longer than 125 bytes. */
export function framePong(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x8a, payload.length), payload])
}

/** The text frame whose payload is these parts, one after the other. */
export function framePayload(...parts: readonly Buffer[]): Buffer {
  let length = 0
  for (const part of parts) length += part.length

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

  let at = headerLength
  for (const part of parts) {
    part.copy(frame, at)
    at += part.length
  }
  return frame
}
