import { STREAM_ERROR_TYPES, type StreamErrorType } from '@pairwire/contract/stream-error-types'

/** A refused request, with a sentence that says how to correct it. */
export class StreamFault extends Error {
  readonly errorType: StreamErrorType
  /** Further members of the answer, for programs. */
  readonly data: Readonly<{ oldest?: string | null }>

  constructor(errorType: StreamErrorType, message: string, data: Readonly<{ oldest?: string | null }> = {}) {
    super(message)
    this.name = 'StreamFault'
    this.errorType = errorType
    this.data = data
  }

  get code(): number {
    return STREAM_ERROR_TYPES[this.errorType]
  }
}

/** Makes a fault for invalid params, with its own sentence. */
export function invalidParams(sentence: string): StreamFault {
  return new StreamFault('INVALID_PARAMS', sentence)
}

/** Quotes what a client wrote, cut to a length that fits a sentence, never inside a character. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77).replace(/[\ud800-\udbff]$/, '')}…` : text
}
