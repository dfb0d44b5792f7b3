import type { StreamFrame } from '@pairwire/contract'

/**
 * Reads one frame of the stream. Its shape is the gateway's promise and is not checked member by member here: that
 * would cost a schema library in every page that shows a stream.
 *
 * @returns `undefined` when `text` is no JSON object.
 */
export function readFrame(text: string): StreamFrame | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  // The gateway sends nothing but the contract's frames.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as StreamFrame)
    : undefined
}
